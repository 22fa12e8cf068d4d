// http-01 (RFC 8555, 8.3): HAProxy answers (ADR 0085). Before an authority validates, this service asks as it would: only
// then is it known that no rule before ours answers, and that HAProxy is what listens there.
import { randomBytes } from 'node:crypto';
import {
  type ChallengeAddress,
  type ChallengesInConfiguration,
  challengesNotReady,
} from '../blocking/challenge-set.ts';
import { pause } from '../concurrency/pause.ts';
import type { OrderChallenge } from '../store/acme-orders-store.ts';
import type { ChallengePresenter } from './challenge-board.ts';
import { type AskedChallenge, askForChallenge } from './challenge-request.ts';

interface HttpChallengesDeps {
  readonly set: {
    inConfiguration(): Promise<ChallengesInConfiguration>;
    during<T>(answer: readonly [token: string, answer: string], work: () => Promise<T>): Promise<T>;
    show(): Promise<void>;
    clear(): Promise<void>;
  };
  /** Whether HAProxy expects PROXY protocol of connections from this address. */
  readonly speaksProxyProtocol: (address: string) => Promise<boolean>;
  /** For one request. */
  readonly withinMs?: number;
}

const TOKEN_BYTES = 16;
/** SHA-256 (RFC 8555, 8.1). */
const THUMBPRINT_BYTES = 32;
const WITHIN_MS = 2_000;
const TRIES = 3;
const BETWEEN_TRIES_MS = 200;
/** More than these are not tried: a range of ports may have thousands. */
const MOST_ADDRESSES = 8;

export class HttpChallenges implements ChallengePresenter {
  readonly #deps: HttpChallengesDeps;

  constructor(deps: HttpChallengesDeps) {
    this.#deps = deps;
  }

  async test(names: readonly string[]): Promise<string | null> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const answer = `${token}.${randomBytes(THUMBPRINT_BYTES).toString('base64url')}`;
    const challenges = names.map((name) => ({ name, token, answer }));
    return await this.#deps.set.during([token, answer], () => this.#ask(challenges));
  }

  async show(challenges: readonly OrderChallenge[]): Promise<string | null> {
    await this.#deps.set.show();
    return await this.#ask(
      challenges.map(({ name, token, keyAuthorization }) => ({ name, token, answer: keyAuthorization })),
    );
  }

  async clear(): Promise<void> {
    await this.#deps.set.clear();
  }

  async #ask(challenges: readonly AskedChallenge[]): Promise<string | null> {
    const { addresses, oneSuffices, untried, mapLoaded } = await this.#deps.set.inConfiguration();
    if (mapLoaded === null)
      throw challengesNotReady('it is not known whether HAProxy has the rule for ACME challenges');
    if (addresses.length === 0) {
      return untried.length === 0 ? 'the configuration has no address without TLS' : untried.join('; ');
    }
    const failures = await Promise.all(
      addresses.slice(0, MOST_ADDRESSES).map((address) => this.#failureAt(address, challenges)),
    );
    const failed = failures.filter((one) => one !== null);
    if (failed.length === 0 || (oneSuffices && failed.length < failures.length)) return null;
    throw new Error(failed[0]);
  }

  /** Null: it answers each of them. */
  async #failureAt(address: ChallengeAddress, challenges: readonly AskedChallenge[]): Promise<string | null> {
    const { withinMs = WITHIN_MS } = this.#deps;
    // A connection to an address of this machine comes from that address.
    const proxyProtocol = address.proxyProtocol || (await this.#deps.speaksProxyProtocol(address.host));
    for (const challenge of challenges) {
      let failure: string | null = null;
      for (let tries = 0; tries < TRIES; tries += 1) {
        if (tries > 0) await pause(BETWEEN_TRIES_MS);
        failure = await askForChallenge({ ...address, proxyProtocol }, challenge, withinMs);
        if (failure === null) break;
      }
      if (failure !== null) return failure;
    }
    return null;
  }
}
