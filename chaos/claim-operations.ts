// Operations on several claims at once: release and keep, bulk unblock, undo, the binding of a key, temporary trust.
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonBody, RealService } from '../testkit/real-service.ts';
import { sourceNames } from './claims.ts';
import type { ClientContext } from './client-context.ts';
import type { ApiOutcome, Judge } from './judge.ts';
import { absent, type Model, type Pending, permanent, presentSomehow, type State } from './model.ts';
import type { Operation } from './program.ts';
import { clock } from './story.ts';

export type ClaimOperation = Extract<
  Operation,
  { op: 'release' | 'keep' | 'restart' | 'unblock-all' | 'bind' | 'trust-for' }
>;

interface Touched {
  readonly model: Model;
  readonly ip: string;
  /** What the change may have found. */
  readonly before: readonly State[];
  readonly after: State;
}

/** A change that was acknowledged. */
interface Change {
  readonly operation: 'block' | 'unblock';
  readonly ip: string;
  readonly requestId: unknown;
  readonly touched: readonly Touched[];
}

interface ClaimClientParts {
  readonly context: ClientContext;
  readonly judge: Judge;
  readonly ask: (method: string, path: string, options?: Parameters<RealService['call']>[2]) => Promise<ApiOutcome>;
  readonly visitAfter: (entry: string, body: JsonBody) => Promise<string>;
}

const path = `/api/sources/${encodeURIComponent(sourceNames.agent)}`;
const trustedSeconds = 3_600;
/** A release that is due later is not due in its round. */
const lastsSeconds = 60;

export class ClaimOperations {
  readonly #parts: ClaimClientParts;
  #last: Change | null = null;

  constructor(parts: ClaimClientParts) {
    this.#parts = parts;
  }

  remember(change: Change): void {
    this.#last = change;
  }

  async carryOut(operation: ClaimOperation, begun: number): Promise<string> {
    switch (operation.op) {
      case 'release':
        return await this.#release(operation.seconds, begun);
      case 'keep':
        return await this.#keep(begun);
      case 'restart':
        return await this.#restart(operation.forMs, begun);
      case 'unblock-all':
        return await this.#unblockAll(begun);
      case 'bind':
        return await this.#bind(operation, begun);
      case 'trust-for':
        return await this.#trustFor(operation.ip, begun);
    }
  }

  async #release(seconds: number, begun: number): Promise<string> {
    const { releases } = this.#parts.context;
    const isDue = seconds < lastsSeconds;
    const pending = isDue ? this.#droppingAgent(begun) : [];
    const outcome = await this.#parts.ask('POST', `${path}/release`, { body: { after_seconds: seconds } });
    const text = this.#parts.judge.change('release', begun, outcome, [200, 404]);
    if (!('answer' in outcome)) {
      if (outcome.sent) releases.lost();
      else refuseAll(pending);
    } else if (outcome.answer.status === 404) refuseAll(pending);
    else if (outcome.answer.status !== 200) releases.lost();
    else if (isDue) releases.released({ begun, ended: clock(), pending });
    else releases.releasedForLater();
    return text;
  }

  async #restart(forMs: number, begun: number): Promise<string> {
    const released = await this.#release(1, begun);
    await pause(forMs);
    return `${released}, kept → ${await this.#keep(clock())}`;
  }

  async #keep(begun: number): Promise<string> {
    const { releases } = this.#parts.context;
    releases.keeping();
    const outcome = await this.#parts.ask('POST', `${path}/keep`);
    const text = this.#parts.judge.change('keep', begun, outcome, [200]);
    const kept = 'answer' in outcome && outcome.answer.status === 200 ? (outcome.answer.body.kept as boolean) : null;
    releases.kept(begun, clock(), kept);
    return `${text}${kept === null ? '' : `, kept: ${kept}`}`;
  }

  /** Counts first, as an operator does; refused if the count has changed. */
  async #unblockAll(begun: number): Promise<string> {
    const query = `/api/blocked-ips?source=${encodeURIComponent(sourceNames.agent)}`;
    const counted = await this.#parts.ask('DELETE', `${query}&dry_run=true`);
    const count = this.#parts.judge.change('count', begun, counted, [200, 404]);
    if (!('answer' in counted) || counted.answer.status !== 200) return `count ${count}`;
    const { removed, still_claimed_total: stays = 0 } = counted.answer.body;
    const dropping = clock();
    const pending = this.#droppingAgent(dropping);
    const outcome = await this.#parts.ask('DELETE', `${query}&expect=${removed + stays}`);
    const text = this.#parts.judge.change('unblock-all', dropping, outcome, [200, 409]);
    if (!('answer' in outcome)) return settleLost(outcome, pending, text);
    const { status, body } = outcome.answer;
    if (status === 409) refuseAll(pending);
    if (status !== 200) return text;
    for (const one of pending) one.done(clock(), [absent], body.runtime_map_updated === true);
    return `${text}, ${removed + stays} claims`;
  }

  /** Also of addresses that the model learns only from an overlapping operation. */
  #droppingAgent(begun: number): Pending[] {
    const { claims, entries } = this.#parts.context;
    const known = new Set([...claims.agent.addresses, ...entries]);
    return [...known].map((ip) => claims.agent.begin(ip, begun, [absent]));
  }

  /** Of the change that this client made last. */
  async undo(begun: number): Promise<string> {
    const last = this.#last;
    this.#last = null;
    if (last === null) return 'nothing to undo';
    const id = await this.#auditId(last);
    if (id === null) return 'its audit row is not known';
    const pending = last.touched.map(({ model, ip, before }) => model.begin(ip, begun, before));
    const outcome = await this.#parts.ask('POST', `/api/audit/${id}/undo`);
    const text = this.#parts.judge.change('undo', begun, outcome, [200, 409]);
    if (!('answer' in outcome)) return settleLost(outcome, pending, text);
    const { status, body } = outcome.answer;
    if (status === 409) refuseAll(pending);
    if (status !== 200) return text;
    const now = clock();
    for (const [index, one] of pending.entries()) {
      const touched = last.touched[index]!;
      // What the change left as it was, the undo leaves as it is.
      const states = changed(touched) ? touched.before : [...touched.before, ...one.found(begun, now)];
      one.done(now, states, body.runtime_map_updated === true);
    }
    return `${text}${await this.#parts.visitAfter(last.ip, body)}`;
  }

  async #auditId({ operation, ip, requestId }: Change): Promise<number | null> {
    const query = `operation=${operation}&ip_address=${encodeURIComponent(ip)}&limit=50`;
    const outcome = await this.#parts.ask('GET', `/api/audit?${query}`);
    if (!('answer' in outcome) || outcome.answer.status !== 200) return null;
    const row = outcome.answer.body.items.find((item: JsonBody) => item.request_id === requestId);
    return row?.id ?? null;
  }

  /** A key without a source blocks an address that nothing else names, and is bound then. */
  async #bind({ ip, key: name }: Extract<Operation, { op: 'bind' }>, begun: number): Promise<string> {
    const { judge, ask, context } = this.#parts;
    const { manual, agent } = context.claims;
    const created = await ask('POST', '/api/keys', { body: { name, scopes: ['block'] } });
    const made = judge.change('create-key', begun, created, [201, 409]);
    if (!('answer' in created) || created.answer.status !== 201) return `create key ${made}`;
    const key = String(created.answer.body.key);
    const blocking = manual.begin(ip, clock(), [permanent]);
    const blocked = await ask('POST', '/api/blocked-ips', { body: { ip_address: ip }, key });
    const block = judge.change('block', begun, blocked, [201]);
    if (!('answer' in blocked)) return settleLost(blocked, [blocking], `block ${block}`);
    if (blocked.answer.status !== 201) return `block ${block}`;
    blocking.done(clock(), [permanent], blocked.answer.body.runtime_map_updated === true);
    const binding = clock();
    const moving = [manual.begin(ip, binding, [absent]), agent.begin(ip, binding, [permanent])] as const;
    const bound = await ask('PUT', `/api/keys/${name}/source`, { body: { source: sourceNames.agent } });
    const text = judge.change('bind', binding, bound, [200]);
    if (!('answer' in bound)) return settleLost(bound, moving, text);
    if (bound.answer.status !== 200) return text;
    const now = clock();
    // A list of the operator may have dropped it first.
    const mayBeGone = moving[0].found(binding, now).some(({ present }) => !present);
    moving[0].done(now, [absent], true);
    moving[1].done(now, mayBeGone ? [permanent, absent] : [permanent], true);
    judge.other('revoke-key', await ask('DELETE', `/api/keys/${name}`), [200]);
    return `${text}, ${bound.answer.body.claims_moved} moved`;
  }

  /** Drops what the operator and agents claim, and trusts the address for an hour. */
  async #trustFor(ip: string, begun: number): Promise<string> {
    const { claims, trusted } = this.#parts.context;
    const dropping = [claims.manual, claims.agent].map((model) => model.begin(ip, begun, [absent]));
    const trusting = trusted.begin(ip, begun, [presentSomehow]);
    const all = [...dropping, trusting];
    const outcome = await this.#parts.ask('DELETE', `/api/blocked-ips/${ip}?trust_for=${trustedSeconds}s`);
    const text = this.#parts.judge.change('trust-for', begun, outcome, [200, 404]);
    if (!('answer' in outcome)) return settleLost(outcome, all, text);
    const { status, body } = outcome.answer;
    // Nothing is trusted that is not blocked. An unblock at the same time may come after the trust.
    if (status === 404) {
      for (const one of dropping) one.done(clock(), [absent], false);
      trusting.refused();
    }
    if (status !== 200) return text;
    const now = clock();
    for (const one of dropping) one.done(now, [absent], body.runtime_map_updated === true);
    trusting.done(now, [permanent], body.runtime_map_updated === true);
    return `${text}${await this.#parts.visitAfter(ip, body)}`;
  }
}

/** Whether it certainly changed the claim. */
function changed({ before, after }: Touched): boolean {
  return before.length === 1 && before[0]?.present !== after.present;
}

export function settleLost(outcome: { readonly sent: boolean }, pending: readonly Pending[], text: string): string {
  if (!outcome.sent) refuseAll(pending);
  return text;
}

export function refuseAll(pending: readonly Pending[]): void {
  for (const one of pending) one.refused();
}
