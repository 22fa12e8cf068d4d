// Executes an operation, updates the model from its answer, and judges the answer.
import { request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Claim } from '../src/api/sources.ts';
import type { Answer, JsonBody, RealService } from '../testkit/real-service.ts';
import { base, bystander, isTrustable, visitorsOf } from './addresses.ts';
import { ClaimOperations, refuseAll, settleLost } from './claim-operations.ts';
import { type SourceKind, sourceNames, verdictsOf, verdictsThrough } from './claims.ts';
import type { ClientContext } from './client-context.ts';
import { type ApiOutcome, type Figures, Judge } from './judge.ts';
import { absent, listed, type Pending, permanent, presentSomehow } from './model.ts';
import { describeOperation, type Operation } from './program.ts';
import { clock } from './story.ts';
import { type Edge, edgeBody, type Naming, networkOf, peerOf } from './upstreams.ts';
import { type VisitedFrontEnd, visitFrontEnd } from './visited-front-end.ts';

export class Client {
  readonly #context: ClientContext;
  readonly #figures: Figures;
  readonly #judge: Judge;
  readonly #claimOperations: ClaimOperations;

  constructor(context: ClientContext, figures: Figures) {
    this.#context = context;
    this.#figures = figures;
    this.#judge = new Judge(context, figures);
    this.#claimOperations = new ClaimOperations({
      context,
      judge: this.#judge,
      ask: (method, path, options) => this.#ask(method, path, options),
      visitAfter: (entry, body) => this.#visitAfter(entry, body),
    });
  }

  /** A broken promise is recorded in the story, not thrown. */
  async carryOut(operation: Operation): Promise<void> {
    const begun = clock();
    this.#figures.operations += 1;
    const outcome = await this.#carryOut(operation, begun);
    this.#context.story.record(begun, describeOperation(operation), outcome);
  }

  async #carryOut(operation: Operation, begun: number): Promise<string> {
    switch (operation.op) {
      case 'block':
        return await this.#block(operation, begun);
      case 'unblock':
        return await this.#unblock(operation, begun);
      case 'batch':
        return await this.#batch(operation, begun);
      case 'put':
        return operation.aborted ? await this.#putCutOff(linesOf(operation)) : await this.#put(operation, begun);
      case 'sync':
        return this.#judge.other('sync', await this.#ask('POST', '/api/blocked-ips/sync'), [200, 207]);
      case 'reload':
        return this.#judge.other('reload', await this.#ask('POST', this.#reloadPath()), [200]);
      case 'set-site':
      case 'remove-site':
        return await this.#site(operation.domain, operation.op === 'set-site', begun);
      case 'trust':
      case 'distrust':
        return await this.#trust(operation.ip, operation.op === 'trust', begun);
      case 'set-upstream':
      case 'remove-upstream':
        return await this.#upstream(operation.upstream, operation.op === 'set-upstream', begun);
      case 'visit-through':
        return await this.#visitThrough(operation.upstream, operation.ip, 'a visit');
      case 'spoof':
        return await this.#visitAndJudge(operation.ip, this.#someFrontEnd(), 'a visit that names another client', {
          headers: { 'x-forwarded-for': bystander },
        });
      case 'visit':
        return await this.#visitAndJudge(operation.ip, this.#someFrontEnd(), 'a visit');
      case 'hold':
        return await this.#hold(operation.ip, operation.forMs);
      case 'undo': {
        const change = await this.#carryOut(operation.change, begun);
        return `${change}; undo → ${await this.#claimOperations.undo(clock())}`;
      }
      default:
        return await this.#claimOperations.carryOut(operation, begun);
    }
  }

  get #service(): RealService {
    return this.#context.stack.service;
  }

  /** An attached service has no configuration to replace. */
  #reloadPath(): string {
    return `/api/config/reload${this.#context.stack.operator === null ? '?replace_configuration=true' : ''}`;
  }

  #someFrontEnd(among: readonly VisitedFrontEnd[] = this.#context.stack.frontEnds): VisitedFrontEnd {
    return among[this.#figures.operations % among.length] as VisitedFrontEnd;
  }

  async #block(operation: Extract<Operation, { op: 'block' }>, begun: number): Promise<string> {
    const { ip, seconds, force, source } = operation;
    const { claims } = this.#context;
    const pending = claims[source].begin(ip, begun, [seconds === null ? permanent : presentSomehow]);
    const adopted = this.#mayBeAdopted([ip], source, begun);
    // A block without force ends temporary trust.
    const ending = force ? [] : this.#mayEndTrust([ip], begun);
    const all = [pending, ...adopted, ...ending.map(({ pending }) => pending)];
    const more = { ...(seconds === null ? {} : { duration_seconds: seconds }), ...(force ? { force } : {}) };
    const path = `/api/blocked-ips${queryOf(source)}`;
    const asked = () => this.#service.call('POST', path, { body: { ip_address: ip, ...more } });
    const outcome = await this.#call(() => this.#context.underWay.track(asked()));
    const text = this.#judge.fastPath('block', begun, outcome);
    if (!('answer' in outcome)) return settleLost(outcome, all, text);
    const { status, body, headers } = outcome.answer;
    if (status === 409) {
      refuseAll(all);
      if (this.#mayBeTrusted(ip, begun)) return text;
      this.#context.story.addBroken(`block ${ip} was refused with 409, and it is not trusted: ${outcome.answer.text}`);
      return text;
    }
    if (status !== 200 && status !== 201) return text;
    refuseAll(adopted);
    // The entry's own expiry is that of the claim that ends last.
    const own = (body.claims as Claim[] | undefined)?.find((claim) => claim.source === sourceNames[source]);
    const { expires_at: end } = own ?? body;
    const now = clock();
    const after = { present: true, until: end === null ? null : Date.parse(end) } as const;
    const touched = [{ model: claims[source], ip, before: pending.found(begun, now), after }];
    pending.done(now, [after], body.runtime_map_updated === true);
    settleEnded(ending, body, now);
    this.#claimOperations.remember({ operation: 'block', ip, requestId: headers['x-request-id'], touched });
    return `${text}${await this.#visitAfter(ip, body)}`;
  }

  /** A line that a crash left in the map file alone becomes a block of the operator. */
  #mayBeAdopted(ips: readonly string[], source: SourceKind, begun: number): Pending[] {
    if (source === 'manual') return [];
    return ips.map((ip) => this.#context.claims.manual.begin(ip, begun, [presentSomehow]));
  }

  #mayEndTrust(ips: readonly string[], begun: number): EndingTrust[] {
    const { trusted } = this.#context;
    return ips.filter(isTrustable).map((ip) => ({ ip, pending: trusted.begin(ip, begun, [absent]) }));
  }

  /** Without a source it drops the claims of the operator and of all agents. */
  async #unblock({ ip, source }: Extract<Operation, { op: 'unblock' }>, begun: number): Promise<string> {
    const { claims, story, underWay } = this.#context;
    const dropped = source === null ? [claims.manual, claims.agent] : [claims[source]];
    const pending = dropped.map((model) => model.begin(ip, begun, [absent]));
    const path = `/api/blocked-ips/${encodeURIComponent(ip)}${source === null ? '' : queryOf(source)}`;
    const outcome = await this.#call(() => underWay.track(this.#service.call('DELETE', path)));
    const text = this.#judge.fastPath('unblock', begun, outcome);
    if (!('answer' in outcome)) return settleLost(outcome, pending, text);
    const { status, body } = outcome.answer;
    if (![200, 404, 409].includes(status)) return text;
    const now = clock();
    if (status === 409 && !claims.list.mayBe(ip, begun, now, 'acknowledged').present) {
      story.addBroken(`unblock ${ip} was refused with 409, and no list claims it: ${outcome.answer.text}`);
    }
    const touched = pending.map((one, index) => ({
      model: dropped[index]!,
      ip,
      before: one.found(begun, now),
      after: absent,
    }));
    for (const one of pending) one.done(now, [absent], body.runtime_map_updated === true);
    const requestId = outcome.answer.headers['x-request-id'];
    if (status === 200) this.#claimOperations.remember({ operation: 'unblock', ip, requestId, touched });
    return status === 200 ? `${text}${await this.#visitAfter(ip, body)}` : text;
  }

  async #batch(operation: Extract<Operation, { op: 'batch' }>, begun: number): Promise<string> {
    const { manual, agent } = this.#context.claims;
    const { add, remove } = operation;
    const adding = new Map(add.map((ip) => [ip, manual.begin(ip, begun, [permanent, presentSomehow])]));
    const removing = [manual, agent].flatMap((model) => remove.map((ip) => model.begin(ip, begun, [absent])));
    const ending = this.#mayEndTrust(add, begun);
    const body = { add: add.map((ip_address) => ({ ip_address })), remove };
    const outcome = await this.#ask('POST', '/api/blocked-ips/batch', { body });
    const text = this.#judge.change('batch', begun, outcome, [200]);
    const all = [...adding.values(), ...removing, ...ending.map(({ pending }) => pending)];
    if (!('answer' in outcome)) return settleLost(outcome, all, text);
    if (outcome.answer.status !== 200) return text;
    settleEnded(ending, outcome.answer.body, clock());
    const rejected = rejectedOf(outcome.answer.body);
    const proven = outcome.answer.body.runtime_map_updated === true;
    for (const [ip, pending] of adding) {
      if (rejected.has(ip)) this.#refusedForTrust(ip, pending, begun, 'batch');
      else {
        const now = clock();
        pending.done(now, listed(pending.found(begun, now), now), proven);
      }
    }
    for (const pending of removing) pending.done(clock(), [absent], proven);
    const seen = [...add.filter((ip) => !rejected.has(ip)).slice(0, 2), ...remove.slice(0, 2)];
    const visits = await Promise.all(seen.map((ip) => this.#visitAfter(ip, outcome.answer.body)));
    return `${text}${visits.join('')}`;
  }

  async #put(operation: Extract<Operation, { op: 'put' }>, begun: number): Promise<string> {
    const claims = this.#context.claims[operation.source];
    const lines = linesOf(operation);
    const wanted = new Set(lines);
    // Also those that the model learns only from an overlapping operation.
    const known = new Set([...claims.addresses, ...this.#context.entries]);
    const others = [...known].filter((ip) => !wanted.has(ip));
    const removing = others.map((ip) => claims.begin(ip, begun, [absent]));
    // A trusted address is rejected, and then not on the list.
    const adding = new Map([...wanted].map((ip) => [ip, claims.begin(ip, begun, [presentSomehow, absent])]));
    const adopted = this.#mayBeAdopted(lines, operation.source, begun);
    const path = `/api/blocked-ips${queryOf(operation.source)}${operation.allowShrink ? '&allow_shrink=true' : ''}`;
    const raw = `# chaos\n${lines.join('\n')}\n`;
    const outcome = await this.#ask('PUT', path, { raw, contentType: 'text/plain' });
    const all = [...adding.values(), ...removing, ...adopted];
    const text = this.#judge.change('put', begun, outcome, operation.allowShrink ? [200] : [200, 409]);
    if (!('answer' in outcome)) return settleLost(outcome, all, text);
    const { status, body } = outcome.answer;
    if (status === 409) refuseAll(all);
    if (status !== 200) return text;
    refuseAll(adopted);
    const rejected = rejectedOf(body);
    const proven = body.runtime_map_updated === true;
    for (const [ip, pending] of adding) {
      const lacking = rejected.has(ip);
      if (lacking && !this.#mayBeTrusted(ip, begun)) {
        this.#context.story.addBroken(`put rejected ${ip}, and it is not trusted: ${outcome.answer.text}`);
      }
      pending.done(clock(), [lacking ? absent : presentSomehow], proven);
    }
    for (const pending of removing) pending.done(clock(), [absent], proven);
    const seen = [...operation.ips.slice(0, 2), ...others.slice(0, 2)];
    const visits = await Promise.all(seen.map((ip) => this.#visitAfter(ip, body)));
    return `${text}${visits.join('')}`;
  }

  /** The connection ends before the announced length: nothing may change. */
  #putCutOff(ips: readonly string[]): Promise<string> {
    const lines = `${ips.join('\n')}\n`;
    return new Promise((resolve) => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: this.#service.apiPort,
        method: 'PUT',
        path: '/api/blocked-ips?allow_shrink=true',
        headers: {
          authorization: `Bearer ${this.#service.key}`,
          'content-type': 'text/plain',
          'content-length': lines.length + 100,
        },
        agent: false,
      });
      request.once('error', (error) => resolve(`cut off: ${error.message}`));
      request.once('response', (response) => resolve(`cut off, and answered ${response.resume().statusCode}`));
      request.write(lines, () => setTimeout(() => request.destroy(new Error('by us')), 20));
    });
  }

  async #trust(ip: string, wanted: boolean, begun: number): Promise<string> {
    const state = wanted ? permanent : absent;
    const pending = this.#context.trusted.begin(ip, begun, [state]);
    const outcome = await this.#ask(wanted ? 'PUT' : 'DELETE', `/api/trusted-ips/${ip}`);
    const text = this.#judge.change(wanted ? 'trust' : 'distrust', begun, outcome, wanted ? [200, 201] : [200, 404]);
    if (!('answer' in outcome)) return settleLost(outcome, [pending], text);
    const { status, body } = outcome.answer;
    if (status >= 500) return text;
    pending.done(clock(), [state], body.runtime_map_updated === true);
    return status === 404 ? text : `${text}${await this.#visitAfter(ip, body)}`;
  }

  async #site(domain: string, wanted: boolean, begun: number): Promise<string> {
    const state = wanted ? permanent : absent;
    const pending = this.#context.sites.begin(domain, begun, [state]);
    const servers = [{ address: '127.0.0.1', port: this.#context.stack.upstream.port }];
    const outcome = await this.#ask(
      wanted ? 'PUT' : 'DELETE',
      `/api/sites/${domain}?replace_configuration=true`,
      wanted ? { body: { servers } } : {},
    );
    const text = this.#judge.other('site', outcome, wanted ? [200, 201] : [200, 404]);
    if (!('answer' in outcome)) return settleLost(outcome, [pending], text);
    if (outcome.answer.status < 500) {
      // HAProxy refuses the configuration; or another program edited it meanwhile, which is not replaced.
      if ([409, 422].includes(outcome.answer.status)) pending.refused();
      else pending.done(clock(), [state], true);
    }
    return text;
  }

  async #upstream(name: Edge, wanted: boolean, begun: number): Promise<string> {
    const state = wanted ? permanent : absent;
    const pending = this.#context.upstreams.begin(networkOf(name), begun, [state]);
    const outcome = await this.#ask(
      wanted ? 'PUT' : 'DELETE',
      `/api/upstreams/${name}`,
      wanted ? { body: edgeBody(name) } : {},
    );
    const text = this.#judge.other('upstream', outcome, wanted ? [200, 201] : [200, 404]);
    if (!('answer' in outcome)) return settleLost(outcome, [pending], text);
    const { status, body } = outcome.answer;
    if (status >= 500) return text;
    if (status >= 400 && status !== 404) {
      pending.refused();
      return text;
    }
    pending.done(clock(), [state], body.runtime_map_updated === true);
    if (body.runtime_map_updated !== true) return text;
    return `${text}, visited: ${await this.#visitThrough(name, base[0]!, 'the visit after the answer')}`;
  }

  #visitThrough(name: Naming, ip: string, what: string): Promise<string> {
    return this.#visitAndJudge(peerOf(name), this.#someFrontEnd(), `${what} of ${ip}`, {
      headers: { 'x-forwarded-for': ip },
      verdicts: (begun, ended) => verdictsThrough(this.#context, name, ip, begun, ended, 'enforced'),
    });
  }

  async #hold(ip: string, forMs: number): Promise<string> {
    // In TCP mode an accepted connection is not judged again.
    const frontEnd = this.#someFrontEnd(this.#context.stack.frontEnds.filter(({ tcp }) => !tcp));
    const client = this.#service.keepAliveClient(ip, frontEnd.port);
    const since = clock();
    const visit = (): Promise<number> => client.visit();
    try {
      const first = await this.#visitAndJudge(ip, frontEnd, 'the first visit of a held connection', { visit });
      await pause(forMs);
      const second = await this.#visitAndJudge(ip, frontEnd, 'a visit on a held connection', { visit, since });
      return `${first}, then ${second}`;
    } finally {
      client.close();
    }
  }

  /** What an answer promised is true at once. */
  async #visitAfter(entry: string, body: JsonBody): Promise<string> {
    const [from] = visitorsOf(entry);
    if (from === undefined || body.runtime_map_updated !== true) return '';
    const visits = this.#context.stack.frontEnds.map((frontEnd) =>
      this.#visitAndJudge(from, frontEnd, 'the visit after the answer'),
    );
    return `, visited: ${(await Promise.all(visits)).join(' ')}`;
  }

  /** @param how `since`: when an older connection was made; `verdicts`: default those for `ip` */
  async #visitAndJudge(
    ip: string,
    frontEnd: VisitedFrontEnd,
    what: string,
    how: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly visit?: () => Promise<number>;
      readonly since?: number;
      readonly verdicts?: (begun: number, ended: number) => Set<number>;
    } = {},
  ): Promise<string> {
    const { headers = {}, since = clock() } = how;
    const visit = how.visit ?? (() => visitFrontEnd(this.#service, frontEnd, ip, { headers }));
    const verdicts = how.verdicts ?? ((begun, ended) => verdictsOf(this.#context, ip, begun, ended, 'enforced'));
    const begun = clock();
    const seen = await visit().catch((error: Error) => error.message);
    const ended = clock();
    const { stack, story, windows } = this.#context;
    const excused = windows.excuse('traffic', begun, ended);
    // A closed connection may be denied, or one of a killed proxy.
    if (frontEnd.tcp && excused && seen === 403) return 'closed';
    if (seen !== 200 && seen !== 403) {
      if (!excused) story.addBroken(`${what} from ${ip} at ${frontEnd.name} failed: ${seen}`);
      return String(seen);
    }
    // The last answers of a dying proxy follow its map; only a foreign change excuses them.
    if (windows.excuse('enforcement', begun, ended) || windows.excuse('clock', begun, ended)) return String(seen);
    const allowed = verdicts(begun, ended);
    if (stack.mayLackRule(frontEnd, since, ended)) allowed.add(200);
    if (!allowed.has(seen)) {
      story.addBroken(
        `${what} from ${ip} at ${frontEnd.name} saw ${seen}; acknowledged and enforced is ${[...allowed].join(' or ')}`,
      );
    }
    return String(seen);
  }

  #refusedForTrust(ip: string, pending: Pending, begun: number, what: string): void {
    pending.refused();
    if (!this.#mayBeTrusted(ip, begun)) this.#context.story.addBroken(`${what} rejected ${ip}, and it is not trusted`);
  }

  #mayBeTrusted(ip: string, begun: number): boolean {
    return this.#context.trusted.mayBe(ip, begun, clock(), 'acknowledged').present;
  }

  #ask(method: string, path: string, options: Parameters<RealService['call']>[2] = {}): Promise<ApiOutcome> {
    return this.#call(() => this.#service.call(method, path, options));
  }

  async #call(call: () => Promise<Answer<JsonBody>>): Promise<ApiOutcome> {
    try {
      return { answer: await call() };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // A refused connection carried nothing.
      return { lost: message, sent: code !== 'ECONNREFUSED' };
    }
  }
}

interface EndingTrust {
  readonly ip: string;
  readonly pending: Pending;
}

function settleEnded(ending: readonly EndingTrust[], body: JsonBody, now: number): void {
  const ended = new Set((body.trust_ended ?? []) as string[]);
  for (const { ip, pending } of ending) {
    if (ended.has(ip)) pending.done(now, [absent], body.runtime_map_updated === true);
    else pending.refused();
  }
}

function queryOf(source: SourceKind): string {
  return `?source=${sourceNames[source]}`;
}

function linesOf({ ips, base: withBase }: Extract<Operation, { op: 'put' }>): readonly string[] {
  return withBase ? [...ips, ...base] : ips;
}

function rejectedOf(body: JsonBody): Set<string> {
  return new Set((body.rejected as { value: string }[]).map(({ value }) => value));
}
