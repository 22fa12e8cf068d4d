// A service that dies at crash points and is started again: afterwards nothing acknowledged is undone, and an
// unfinished operation is there completely or not at all.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { builtInTemplate } from '../src/configuration/template/builtin-template.ts';
import { type CrashPoint, crashVariable } from '../src/faults/crash-point.ts';
import { checkConfiguration } from '../src/haproxy/process/binary.ts';
import { childrenOf, processAlive, processStartTime } from '../src/system/processes.ts';
import { eventually } from './conditions.ts';
import { answered, cut, expectTrustedAlike, expectUpstreamAlike } from './crash-agreement.ts';
import type { CrashOperation } from './crash-scenarios.ts';
import { freePort } from './free-port.ts';
import { longTests } from './proxies.ts';
import { type JsonBody, RealService } from './real-service.ts';
import { CrashCertificates } from './tls/crash-certificates.ts';
import { addressOf, expectAgreement } from './traffic.ts';
import { askProxy, startUpstream, type Upstream } from './upstream.ts';
import { Visitor } from './visitor.ts';

/** The built-in template, except that HAProxy rejects its output for one domain. */
const template = `${builtInTemplate}
{%- for site in sites %}
{%- if site.domain == 'refused.example' %}
backend nonsense
    no-such-keyword here
{%- endif %}
{%- endfor %}
`;

const never = '127.0.0.9';
/** Always blocked. */
const held = [1, 2, 3, 4, 5].map((number) => `127.90.0.${number}`);
const spares = 8;
const trustedAddress = '127.91.0.1';
const wholeSetSize = 1_400;
/** One delete takes some tenths of a millisecond in this map, so that thousands are left to a replace. */
const largeSet = longTests ? 30_000 : 15_000;
const smallSet = largeSet / 15;

/** Both are allowed after a death. */
interface Either<T> {
  readonly before: T;
  readonly after: T;
}

export class CrashStack {
  readonly service: RealService;
  readonly #bin: string;
  readonly #upstream: Upstream;
  readonly #folder: string;
  readonly #certificates: CrashCertificates;
  readonly #blocked: Either<ReadonlySet<string>>[] = [];
  #set: ReadonlySet<string> = new Set(held);
  #trusted = false;
  #hasUpstream = false;
  #site: string | null = null;
  #next = 0;
  #logRead = 0;
  #lastPut = '';
  #died = 'nothing';
  #wasAnswered = false;
  readonly #ofAgents = new Set<string>();
  /** A key whose binding may have been interrupted, and what it blocked before. */
  #bound: { readonly name: string; readonly ip: string } | null = null;
  /** Killed, and not started again yet. */
  #proxyIsDead = false;
  #visitor: Visitor | null = null;

  private constructor(
    service: RealService,
    bin: string,
    parts: { readonly upstream: Upstream; readonly certificates: CrashCertificates; readonly folder: string },
  ) {
    this.#folder = parts.folder;
    this.#certificates = parts.certificates;
    this.service = service;
    this.#bin = bin;
    this.#upstream = parts.upstream;
  }

  static async start(bin: string): Promise<CrashStack> {
    const folder = await mkdtemp(join(tmpdir(), 'pm-crash-'));
    const path = join(folder, 'proxy.liquid');
    await writeFile(path, template);
    const upstream = await startUpstream('site');
    const certificates = new CrashCertificates(await freePort());
    const https = `127.0.0.1:${certificates.port}`;
    const environment = { PROXY_MANAGER_TEMPLATE: path, PROXY_MANAGER_HTTPS_BIND: https };
    const service = await RealService.start({ bin, environment });
    const stack = new CrashStack(service, bin, { upstream, certificates, folder });
    const first = [...held, ...Array.from({ length: spares }, () => stack.#fresh())];
    const answers = await Promise.all(first.map((ip) => service.block(ip)));
    expect(answers.map(({ status }) => status)).toEqual(first.map(() => 201));
    stack.#acknowledged(new Set(first));
    return stack;
  }

  async stop(): Promise<void> {
    await this.#visitor?.stop();
    await this.service.stop();
    await this.#upstream.stop();
    await rm(this.#folder, { recursive: true });
  }

  /**
   * The service dies each time it reaches `point`: at its start as often as that passes it, then in `operation`. The
   * next start repairs what this one left; `recover` does so for the last.
   */
  async dieAt(point: CrashPoint, operation: CrashOperation, how: { readonly withProxy: boolean }): Promise<void> {
    if (operation === 'start with a bulk change') await this.#dieWithBulkChange();
    const atStart = operation === 'start with a bulk change' || operation === 'start of HAProxy';
    let deaths = 0;
    for (let pass = 1; ; pass += 1) {
      if (operation === 'start of HAProxy') await this.#killProxy();
      // The repair after an earlier death may pass the point too, once the service is ready.
      const ready = (await this.#launch({ [crashVariable]: `${point}:${pass}` })) && (await this.#recoversAlive());
      if (!ready || !atStart) {
        if (ready) await this.#operate(operation);
        // The earlier pass left nothing to repair.
        if (ready && operation.endsWith('site') && this.#wasAnswered) await this.#operate(operation);
        await this.#expectDeathAt(point, operation);
        deaths += 1;
        if (how.withProxy) await this.#killProxy();
        else if (operation !== 'start of HAProxy') await this.#expectServed();
      }
      // HAProxy may still be starting: the next start must find it instead of starting a second one.
      if (ready || operation === 'start of HAProxy') break;
    }
    expect(deaths, `it never got to ${point}`).toBeGreaterThan(0);
  }

  async recover(): Promise<void> {
    await this.#launch({});
    await this.expectRecovered();
  }

  /**
   * Dies at each step of a map replacement. Each start finds a worker with the large set and begins the replacement
   * again, until one got as far as its switch.
   */
  async dieReplacing(points: readonly CrashPoint[], how: { readonly withProxy: boolean }): Promise<void> {
    // Includes entries that earlier deaths left.
    const large = new Set([...held, ...this.#set, ...Array.from({ length: largeSet }, () => this.#fresh())]);
    const small = new Set([...large].slice(0, smallSet));
    let replacing = false;
    for (const point of points) {
      const ready = await this.#launch({ [crashVariable]: point });
      if (ready) {
        await this.expectRecovered();
        await this.#putWhole(large);
        expect(this.#set.size, `the large set was acknowledged: ${this.#lastPut}`).toBe(large.size);
        await this.#putWhole(small);
        replacing = true;
      }
      expect(replacing, `${point} was passed`).toBe(true);
      await this.#expectDeathAt(point, 'replace');
      if (how.withProxy) await this.#killProxy();
      else await this.#expectServed();
    }
    await this.recover();
  }

  async #putWhole(listed: ReadonlySet<string>): Promise<void> {
    // It replaces the claims of the operator alone.
    const wanted = new Set([...listed, ...this.#ofAgents]);
    this.#expecting(wanted);
    const path = '/api/blocked-ips?allow_shrink=true';
    const put = this.service.call('PUT', path, { raw: [...listed].join('\n'), contentType: 'text/plain' });
    const answer = await answered(put);
    if (answer?.status === 200) this.#acknowledged(wanted);
    this.#lastPut = answer === null ? 'no answer' : `${answer.status} ${answer.text}`;
  }

  async #dieWithBulkChange(): Promise<void> {
    await this.#launch({ [crashVariable]: 'bulk.ready' });
    await this.expectRecovered();
    await this.#operate('replacement');
    await this.#expectDeathAt('bulk.ready', 'replacement');
  }

  async expectRecovered(): Promise<void> {
    const died = this.#died;
    try {
      await this.#expectRecovered();
    } catch (error) {
      throw new Error(`after the death at ${died}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** False: it died meanwhile. */
  async #recoversAlive(): Promise<boolean> {
    try {
      if (!(await this.#livesUntilHealthy())) return false;
      await this.expectRecovered();
      return true;
    } catch (error) {
      if (await this.#isDead()) return false;
      throw error;
    }
  }

  #isDead(): Promise<boolean> {
    return this.service.ended(0).then(
      () => true,
      () => false,
    );
  }

  async #livesUntilHealthy(): Promise<boolean> {
    const { service } = this;
    const state = await eventually(`health is ok after the death at ${this.#died}`, async () => {
      if (await this.#isDead()) return 'dead' as const;
      return (await service.health()).body['status'] === 'ok' ? ('healthy' as const) : null;
    });
    return state === 'healthy';
  }

  async #expectRecovered(): Promise<void> {
    const { service } = this;
    await service.healthy();
    await this.#expectBlockedSet();
    this.#trusted = await expectTrustedAlike(this.service);
    this.#hasUpstream = await expectUpstreamAlike(this.service);
    await this.#expectBound();
    await this.#expectSite();
    await this.#certificates.expectAgreement(service);
    expect(await checkConfiguration(this.#bin, service.paths.config)).toMatchObject({ valid: true });
    expect(await this.#masters(), 'masters of this configuration').toHaveLength(1);
    const [first = '', last = ''] = [held[0], held.at(-1)];
    expect([await service.visit(first), await service.visit(last), await service.visit(never)]).toEqual([
      403, 403, 200,
    ]);
  }

  async #launch(environment: Readonly<Record<string, string>>): Promise<boolean> {
    const { service } = this;
    service.kill('SIGKILL');
    await service.ended();
    this.#logRead = (await readFile(service.paths.jsonLog, 'utf8')).length;
    try {
      await service.launch(environment);
      this.#proxyIsDead = false;
      return true;
    } catch (error) {
      if ((await service.ended()).signal === 'SIGKILL') return false;
      throw error;
    }
  }

  async #expectDeathAt(point: CrashPoint, operation: CrashOperation): Promise<void> {
    const how = await this.service.ended().catch((error: unknown) => {
      throw new Error(`${operation} never got to ${point}`, { cause: error });
    });
    expect(how).toMatchObject({ signal: 'SIGKILL' });
    const log = (await readFile(this.service.paths.jsonLog, 'utf8')).slice(this.#logRead);
    expect(log).toContain(`{"killed_at":"${point}"}`);
    this.#died = point;
  }

  async #expectServed(): Promise<void> {
    if (this.#proxyIsDead) return;
    for (const ip of held.slice(0, 2)) expect(await this.service.visit(ip), ip).toBe(403);
    expect(await this.service.visit(never)).toBe(200);
  }

  /** Everything that runs this configuration. */
  async #killProxy(): Promise<void> {
    await this.#visitor?.stop();
    this.#proxyIsDead = true;
    for (const pid of await this.service.proxyPids()) {
      const startTime = await processStartTime(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
      await eventually('HAProxy is dead', async () => !(await processAlive(pid, startTime)));
    }
  }

  async #masters(): Promise<number[]> {
    const pids = await this.service.proxyPids();
    const workers = new Set((await Promise.all(pids.map(childrenOf))).flat());
    return pids.filter((pid) => !workers.has(pid));
  }

  async #operate(operation: CrashOperation): Promise<void> {
    const { service } = this;
    switch (operation) {
      case 'block': {
        const ip = this.#fresh();
        this.#expecting(new Set([...this.#set, ip]));
        return await cut(service.block(ip));
      }
      case 'unblock': {
        const ip = [...this.#set].find((text) => !held.includes(text) && !this.#ofAgents.has(text)) ?? '';
        this.#expecting(new Set([...this.#set].filter((text) => text !== ip)));
        return await cut(service.unblock(ip));
      }
      case 'expiry': {
        const ip = this.#fresh();
        // Acknowledged, and expired soon after: it must be gone in the end.
        await cut(service.block(ip, { duration_seconds: 1 }));
        return;
      }
      case 'blocks beyond the slots':
        for (const count of [1_000, 100]) {
          const add = Array.from({ length: count }, () => this.#fresh());
          const wanted = new Set([...this.#set, ...add]);
          this.#expecting(wanted);
          const answer = await answered(service.call('POST', '/api/blocked-ips/batch', { body: { add, remove: [] } }));
          if (answer?.status === 200) this.#acknowledged(wanted);
        }
        return;
      case 'replacement': {
        return await this.#putWhole(new Set([...held, ...Array.from({ length: wholeSetSize }, () => this.#fresh())]));
      }
      case 'release': {
        // One only of the source, which must be gone in the end, and one that is blocked without it.
        for (const ip of [this.#fresh(), ...[...held].slice(0, 1)])
          await cut(service.call('POST', '/api/blocked-ips?source=agent', { body: { ip_address: ip } }));
        return await cut(service.call('POST', '/api/sources/agent/release', { body: { after_seconds: 0 } }));
      }
      case 'key bind': {
        // Blocks of a key that is not bound are claims of the operator, until it is bound.
        const [name, ip] = [`agent-${this.#next}`, this.#fresh()];
        const { body } = await service.call('POST', '/api/keys', { body: { name, scopes: ['block'] } });
        const key = String(body['key']);
        await service.call('POST', '/api/blocked-ips', { body: { ip_address: ip }, key });
        this.#acknowledged(new Set([...this.#set, ip]));
        this.#bound = { name, ip };
        this.#ofAgents.add(ip);
        return await cut(service.call('PUT', `/api/keys/${name}/source`, { body: { source: name } }));
      }
      case 'sync':
        return await cut(service.call('POST', '/api/blocked-ips/sync'));
      case 'trust': {
        const path = `/api/trusted-ips/${trustedAddress}`;
        return await cut(this.#trusted ? service.call('DELETE', path) : service.call('PUT', path, { body: {} }));
      }
      case 'certificate':
        return await cut(this.#certificates.upload(service));
      case 'certificate removal':
        return await cut(this.#certificates.remove(service));
      case 'upstream': {
        // The first one and the removal of the last are reloads.
        const path = '/api/upstreams/crash';
        const body = { networks: ['127.92.0.0/24'], header: 'x-real-ip' };
        return await cut(this.#hasUpstream ? service.call('DELETE', path) : service.call('PUT', path, { body }));
      }
      case 'site': {
        this.#next += 1;
        this.#site = `site-${this.#next}.example`;
        const servers = [{ address: '127.0.0.1', port: this.#upstream.port, options: { check: false } }];
        this.#wasAnswered = false;
        this.#visitor ??= new Visitor(service, never);
        const put = service.call('PUT', `/api/sites/${this.#site}`, { body: { servers } });
        this.#wasAnswered = (await answered(put)) !== null;
        return;
      }
      case 'refused site': {
        const servers = [{ address: '127.0.0.1', port: this.#upstream.port, options: { check: false } }];
        const put = service.call('PUT', '/api/sites/refused.example', { body: { servers } });
        this.#wasAnswered = (await answered(put)) !== null;
        return;
      }
      default:
        throw new Error(`${operation} is no operation of a running service`);
    }
  }

  #fresh(): string {
    this.#next += 1;
    return addressOf(this.#next % 60_000);
  }

  #expecting(after: ReadonlySet<string>): void {
    this.#blocked.push({ before: this.#set, after });
  }

  #acknowledged(set: ReadonlySet<string>): void {
    this.#set = set;
    this.#blocked.length = 0;
  }

  async #expectBlockedSet(): Promise<void> {
    const states = [this.#set, ...this.#blocked.map(({ after }) => after)];
    // An expired entry may still be there for a moment.
    const state = await eventually('the set is what it was, or what it was to be', async () => {
      const listed = new Set(await this.service.listed());
      return states.find((known) => known.size === listed.size && [...known].every((ip) => listed.has(ip)));
    });
    this.#acknowledged(state);
    await expectAgreement(this.service, state);
  }

  /** The claims of a key belong to the source to which it is bound. */
  async #expectBound(): Promise<void> {
    if (this.#bound === null) return;
    const { name, ip } = this.#bound;
    const keys = (await this.service.call('GET', '/api/keys')).body['items'] as JsonBody[];
    const entry = (await this.service.call('GET', `/api/blocked-ips/${ip}`)).body;
    const claims = (entry['claims'] ?? [{ source: 'manual', blocked_by: name }]) as JsonBody[];
    expect(claims).toMatchObject([{ source: name, blocked_by: name }]);
    expect(keys.find((key) => key['name'] === name)?.['source']).toBe(name);
    this.#bound = null;
  }

  /** In the database, the live file and HAProxy; or in none of them. */
  async #expectSite(): Promise<void> {
    const visits = await this.#visitor?.stop();
    this.#visitor = null;
    expect(visits?.failures ?? [], 'visits while it died').toEqual([]);
    const stored = (await this.service.call('GET', '/api/sites')).body['items'] as JsonBody[];
    const domains = stored.map((site) => String(site['domain']));
    expect(domains).not.toContain('refused.example');
    if (this.#site === null) return;
    const domain = this.#site;
    const isStored = domains.includes(domain);
    const live = (await readFile(this.service.paths.config, 'utf8')).includes(domain);
    const served = (await askProxy(this.service.proxyPort, domain)).text === 'site';
    expect({ live, served }, `the site is ${isStored ? '' : 'not '}stored`).toEqual({
      live: isStored,
      served: isStored,
    });
  }
}
