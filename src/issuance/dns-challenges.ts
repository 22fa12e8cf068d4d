// dns-01 (RFC 8555, 8.4): a hook of the operator creates TXT records, and the name servers are asked until they have them
// (ADR 0087). Which records there may be, the orders say, so that a crash leaves none behind.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dnsValue } from '../acme/jws.ts';
import { Mutex } from '../concurrency/mutex.ts';
import { pause } from '../concurrency/pause.ts';
import type { IssuanceOrder, OrderChallenge } from '../store/acme-orders-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { ChallengePresenter } from './challenge-board.ts';
import type { HookCall } from './dns-hook.ts';
import { lookUpTxt, type NameServers } from './txt-lookup.ts';

interface DnsChallengesDeps {
  /** Null: none is set. */
  readonly hook: { readonly path: string; run(call: HookCall): Promise<void> } | null;
  readonly nameServers: NameServers;
  readonly orders: {
    /** Orders whose records are not needed any more. */
    withRecords(): Promise<readonly IssuanceOrder[]>;
    recordsRemoved(id: number): Promise<void>;
  };
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
  readonly limits?: Partial<typeof LIMITS>;
}

const LIMITS = { seenWithinMs: 120_000, pollMs: 2_000, unreachableMs: 20_000 };
const HOUR_MS = 3_600_000;
const RETRY_MS = HOUR_MS;
/** Records that the hook cannot remove for this long are given up. */
const GIVEN_UP_MS = 7 * 24 * HOUR_MS;

export class DnsChallenges implements ChallengePresenter {
  readonly #deps: DnsChallengesDeps;
  readonly #limits: typeof LIMITS;
  /** Hooks edit zones: one at a time. */
  readonly #hooks = new Mutex();
  /** When records could not be removed, by order. */
  readonly #failedAt = new Map<number, number>();
  /** When the orders could not be read or changed; null: they could. */
  #unreadAt: number | null = null;
  #cleaning: Promise<void> | null = null;
  #isAsked = false;

  constructor(deps: DnsChallengesDeps) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...deps.limits };
  }

  async test(): Promise<null> {
    const { path } = this.#hook();
    try {
      await access(path, constants.X_OK);
    } catch (error) {
      throw new Error(`the hook of PROXY_MANAGER_ACME_DNS_HOOK cannot be run: ${causeText(error)}`, { cause: error });
    }
    return null;
  }

  async show(challenges: readonly OrderChallenge[]): Promise<string | null> {
    const hook = this.#hook();
    for (const challenge of challenges) {
      try {
        await this.#hooks.run(() => hook.run(callOf('deploy_challenge', challenge)));
      } catch (error) {
        // Some hooks refuse to create a record again, after a crash. Not asked before: a resolver would remember that
        // there is none.
        if (!(await this.#isSeen(challenge))) throw error;
      }
    }
    const untested = await Promise.all(challenges.map((challenge) => this.#untilSeen(challenge)));
    return untested.find((one) => one !== null) ?? null;
  }

  get retryAt(): Date | null {
    const failedAt = [...this.#failedAt.values(), ...(this.#unreadAt === null ? [] : [this.#unreadAt])];
    return failedAt.length === 0 ? null : new Date(Math.min(...failedAt.map((at) => this.#again(at))));
  }

  /** Does not wait: a hook may take a minute. */
  async clear(): Promise<void> {
    this.#isAsked = true;
    this.#cleaning ??= this.#clean();
  }

  /** Resolves when nothing is removed any more. For tests. */
  async cleared(): Promise<void> {
    await this.#cleaning;
  }

  async #clean(): Promise<void> {
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        this.#unreadAt = null;
        const orders = await this.#deps.orders.withRecords();
        const ids = orders.map(({ id }) => id);
        for (const id of this.#failedAt.keys()) if (!ids.includes(id)) this.#failedAt.delete(id);
        for (const order of orders) await this.#remove(order);
      }
    } catch (error) {
      this.#deps.log.warn('TXT records of challenges not removed; retrying later', { cause: causeText(error) });
      this.#unreadAt = this.#deps.now().getTime();
    } finally {
      this.#cleaning = null;
    }
  }

  async #remove({ id, challenges, closedAt }: IssuanceOrder): Promise<void> {
    const { hook, orders, log, now } = this.#deps;
    const time = now().getTime();
    const failedAt = this.#failedAt.get(id);
    if (hook === null || (failedAt !== undefined && this.#again(failedAt) > time)) return;
    try {
      for (const challenge of challenges) await this.#hooks.run(() => hook.run(callOf('clean_challenge', challenge)));
    } catch (error) {
      const givenUp = closedAt !== null && time - closedAt.getTime() > GIVEN_UP_MS;
      const records = challenges.map(({ name }) => recordOf(name));
      log.warn(`TXT records of challenges not removed; ${givenUp ? 'remove them' : 'retrying later'}`, {
        ...{ order: id, records, cause: causeText(error) },
      });
      this.#failedAt.set(id, time);
      if (!givenUp) return;
    }
    this.#failedAt.delete(id);
    await orders.recordsRemoved(id);
  }

  /** When to try again what failed then. A failure of the future, from before the clock was set back, is over. */
  #again(failedAt: number): number {
    return failedAt > this.#deps.now().getTime() ? 0 : failedAt + RETRY_MS;
  }

  #hook() {
    const { hook } = this.#deps;
    if (hook === null) throw new Error('PROXY_MANAGER_ACME_DNS_HOOK is not set');
    return hook;
  }

  async #isSeen({ name, keyAuthorization }: OrderChallenge): Promise<boolean> {
    const { answered, lacking } = await lookUpTxt(recordOf(name), dnsValue(keyAuthorization), this.#deps.nameServers);
    return answered > 0 && lacking === null;
  }

  /** Throws if a server that answers does not have it in time. */
  async #untilSeen({ name, keyAuthorization }: OrderChallenge): Promise<string | null> {
    const { seenWithinMs, unreachableMs, pollMs } = this.#limits;
    const record = recordOf(name);
    const began = performance.now();
    let everAnswered = false;
    for (;;) {
      const { answered, lacking } = await lookUpTxt(record, dnsValue(keyAuthorization), this.#deps.nameServers);
      if (answered > 0 && lacking === null) return null;
      everAnswered ||= answered > 0;
      const waited = performance.now() - began;
      if (!everAnswered && waited >= unreachableMs) return `no name server of ${record} could be asked from here`;
      if (waited >= seenWithinMs) {
        const who = lacking === null ? 'the name servers do' : `the name server ${lacking} does`;
        throw new Error(`${who} not have the TXT record of ${record} ${Math.round(waited / 1_000)} s after the hook`);
      }
      await pause(pollMs);
    }
  }
}

function callOf(verb: HookCall['verb'], { name, token, keyAuthorization }: OrderChallenge): HookCall {
  return { verb, domain: baseOf(name), token, value: dnsValue(keyAuthorization) };
}

/** Of a wildcard too (RFC 8555, 8.4). */
function recordOf(name: string): string {
  return `_acme-challenge.${baseOf(name)}`;
}

function baseOf(name: string): string {
  return name.replace(/^\*\./, '');
}
