// Advances an order as far as it goes now, and decides what follows from a failure: wait, repeat, or end it.

import { AcmeRefusal, AcmeUnreachable } from '../acme/authority.ts';
import type { AcmePause } from '../store/acme-accounts-store.ts';
import type { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import { type AcmeOrdersStore, type IssuanceOrder, OrderClosed } from '../store/acme-orders-store.ts';
import type { IssuanceProblem } from '../store/issuance-problem.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { Accounts } from './accounts.ts';
import { type AuthorityPauses, isLimit } from './authority-pauses.ts';
import { type ChallengeBoard, ChallengeNotShown } from './challenge-board.ts';
import { authorityProblem, ownProblem } from './problems.ts';
import { type OrderEnd, OrderFailed, type Runner } from './runner.ts';
import { pollAgainAt, retryAt } from './schedule.ts';

interface DriverDeps {
  readonly orders: AcmeOrdersStore;
  readonly wanted: AcmeCertificatesStore;
  readonly pauses: AuthorityPauses;
  readonly accounts: Accounts;
  readonly runner: Runner;
  readonly board: ChallengeBoard;
  /** An order ended; null: with a certificate. */
  readonly onEnded: (order: IssuanceOrder, failure: IssuanceProblem | null) => void;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly now: () => Date;
  readonly random: () => number;
}

/** After failures of this machine: a worker that has just started is soon in sync. */
const RETRY = { least: 5_000, most: 1_800_000 };
const NOT_SHOWN_MS = 3_600_000;
/** An issued certificate that the authority does not hand out for this long is given up. */
const UNREAD_MS = 86_400_000;

export class OrderDriver {
  readonly #deps: DriverDeps;
  /** Orders whose account was registered again. */
  readonly #registeredAgain = new Set<number>();
  #stopped = false;

  constructor(deps: DriverDeps) {
    this.#deps = deps;
  }

  /** Orders take no further step. */
  stop(): void {
    this.#stopped = true;
  }

  /** Returns when to go on; null: the order is closed. */
  async advance(id: number): Promise<Date | null> {
    for (;;) {
      if (this.#stopped) return this.#deps.now();
      const order = await this.#deps.orders.open(id);
      if (order === null) {
        this.#registeredAgain.delete(id);
        // It was removed: HAProxy is not to answer its challenges any longer.
        await this.#deps.board.clear();
        return null;
      }
      const paused = await this.#deps.pauses.until(order.directory, order.state === 'planned');
      if (paused !== null) return paused;
      const wait = await this.#step(order);
      if (wait !== null) return wait;
    }
  }

  async #step(order: IssuanceOrder): Promise<Date | null> {
    try {
      const wait = await this.#deps.runner.step(order);
      await this.#deps.pauses.reached(order.directory, order.state === 'planned');
      if (order.state === 'issued' && wait === null) this.#deps.onEnded(order, null);
      return wait;
    } catch (error) {
      return await this.#failed(order, error);
    }
  }

  async #failed(order: IssuanceOrder, error: unknown): Promise<Date | null> {
    const now = this.#deps.now();
    if (error instanceof OrderClosed) {
      await this.#deps.board.clear();
      return null;
    }
    if (error instanceof OrderFailed) return await this.#end(order, error.problem, error);
    if (error instanceof AcmeUnreachable) {
      return await this.#paused(order, await this.#deps.pauses.unreachable(order.directory, error));
    }
    if (error instanceof AcmeRefusal) return await this.#refused(order, error);
    const detail = causeText(error);
    if (!(error instanceof ChallengeNotShown)) {
      this.#deps.log.error('Order of a certificate not continued; retrying', { order: order.id, cause: detail });
    } else if (now.getTime() - order.updatedAt.getTime() > NOT_SHOWN_MS) {
      return await this.#end(order, ownProblem('will retry', { type: 'challenge', detail }, now));
    }
    const type = error instanceof ChallengeNotShown ? 'challenge' : 'internal';
    await this.#deps.orders.waiting(order, ownProblem('will retry', { type, detail }, now));
    return pollAgainAt(order.updatedAt, now, RETRY);
  }

  async #refused(order: IssuanceOrder, refusal: AcmeRefusal): Promise<Date | null> {
    const { orders, accounts, now } = this.#deps;
    const { problem } = refusal;
    if (isLimit(refusal)) {
      const scope = order.state === 'planned' ? 'orders' : 'requests';
      return await this.#paused(order, await this.#deps.pauses.limited(order.directory, scope, refusal));
    }
    if (problem.type === 'accountDoesNotExist') {
      await accounts.forget(order.directory);
      if (order.state === 'planned' && !this.#registeredAgain.has(order.id)) {
        this.#registeredAgain.add(order.id);
        return null;
      }
    }
    // Authorities refuse a replacement in many words, also that of another account.
    if (order.state === 'planned' && order.replaces !== null) {
      await orders.step(order.id, { state: 'planned', replaces: null }, now());
      return null;
    }
    // It exists: another order would issue a second one.
    if (order.state === 'issued' && now().getTime() - order.updatedAt.getTime() < UNREAD_MS) {
      await orders.waiting(order, authorityProblem(problem, now()));
      return pollAgainAt(order.updatedAt, now(), RETRY);
    }
    // Its reply was lost; the state of the order says whether it was carried out.
    if (problem.type === 'orderNotReady' && order.state === 'finalizing') return pollAgainAt(order.updatedAt, now());
    return await this.#end(order, authorityProblem(problem, now()));
  }

  async #paused(order: IssuanceOrder, { until, problem }: AcmePause): Promise<Date> {
    await this.#deps.orders.waiting(order, problem);
    return until;
  }

  async #end(order: IssuanceOrder, problem: IssuanceProblem, how: OrderEnd = {}): Promise<null> {
    const { orders, wanted, board, onEnded, now, random } = this.#deps;
    const certificate = await wanted.get(order.certificate);
    const failures = (certificate?.failures ?? 0) + 1;
    const dueAt =
      problem.class === 'needs attention'
        ? null
        : retryAt(failures, certificate?.life?.notAfter ?? null, now(), random());
    try {
      const { failedNames = [], notIssued = false } = how;
      await orders.fail(order, { problem, dueAt, failedNames, notIssued }, now());
    } catch (error) {
      if (!(error instanceof OrderClosed)) throw error;
    }
    await board.clear();
    onEnded(order, problem);
    return null;
  }
}
