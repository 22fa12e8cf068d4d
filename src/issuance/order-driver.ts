// Advances an order as far as it goes now, and decides what follows from a failure: wait, repeat, or end it.

import { AcmeRefusal, AcmeUnreachable } from '../acme/authority.ts';
import type { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import {
  type AcmeOrdersStore,
  type IssuanceOrder,
  OrderClosed,
  type OrderFailure,
} from '../store/acme-orders-store.ts';
import type { IssuanceProblem } from '../store/issuance-problem.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { Accounts } from './accounts.ts';
import { type AuthorityPauses, isLimit } from './authority-pauses.ts';
import { type ChallengeBoard, ChallengeNotShown } from './challenge-board.ts';
import { mostMsOf, type Obstacle, type OrderAges } from './order-ages.ts';
import { type OrderEnd, OrderFailed, OrderWaits } from './order-outcomes.ts';
import { authorityProblem, isOfAccount, ownProblem } from './problems.ts';
import type { Runner } from './runner.ts';
import { pollAgainAt, retryAt } from './schedule.ts';

interface DriverDeps {
  readonly orders: AcmeOrdersStore;
  readonly wanted: AcmeCertificatesStore;
  readonly pauses: AuthorityPauses;
  readonly accounts: Accounts;
  readonly runner: Runner;
  readonly ages: OrderAges;
  /** Another one after other settings. */
  readonly settingsId: string;
  readonly board: ChallengeBoard;
  /** An order ended; null: with a certificate. */
  readonly onEnded: (order: IssuanceOrder, failure: IssuanceProblem | null) => void;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly now: () => Date;
  readonly random: () => number;
}

/** After failures of this machine: a worker that has just started is soon in sync. */
const RETRY = { least: 5_000, most: 1_800_000 };
/** A longer wait that the authority asks for is stored: a restart does not shorten it. */
const STORED_WAIT_MS = 60_000;
/** An order for which nothing is asked of the authority costs little: it is repeated as after this many failures, each hour. */
const UNASKED_FAILURES = 3;

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
        this.#deps.ages.forget(id);
        // It was removed: HAProxy is not to answer its challenges any longer.
        await this.#deps.board.clear();
        return null;
      }
      const paused = await this.#deps.pauses.until(order.directory, order.state === 'planned');
      if (paused !== null) return paused;
      const waits = order.problem?.until === undefined ? null : new Date(order.problem.until);
      if (waits !== null && waits > this.#deps.now()) return waits;
      const wait = await this.#step(order);
      if (wait !== null) return wait;
    }
  }

  async #step(order: IssuanceOrder): Promise<Date | null> {
    this.#deps.ages.begin(order);
    try {
      const wait = await this.#deps.runner.step(order);
      await this.#deps.pauses.reached(order.directory, order.state === 'planned');
      if (order.state === 'issued' && wait === null) this.#deps.onEnded(order, null);
      if (wait !== null) await this.#keepWait(order, wait);
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
    if (error instanceof OrderWaits) return await this.#hold(order, error.problem, 'own');
    if (error instanceof AcmeUnreachable && error.ofOrder) {
      this.#deps.ages.answered(order);
      const problem = ownProblem('will retry', { type: 'unreachable', detail: error.message }, now);
      return await this.#hold(order, problem, 'authority', error.retryAfter);
    }
    if (error instanceof AcmeUnreachable) {
      const { until, problem } = await this.#deps.pauses.unreachable(order.directory, error);
      const isOver = this.#isOver(order, 'silence') || this.#isOver(order, 'authority');
      return isOver ? await this.#end(order, problem) : await this.#paused(order, until, problem);
    }
    if (error instanceof AcmeRefusal) return await this.#refused(order, error);
    const isHidden = error instanceof ChallengeNotShown;
    const detail = causeText(error);
    if (!isHidden) {
      this.#deps.log.error('Order of a certificate not continued; retrying', { order: order.id, cause: detail });
    }
    const problem = ownProblem('will retry', { type: isHidden ? 'challenge' : 'internal', detail }, now);
    return await this.#hold(order, problem, 'own');
  }

  async #refused(order: IssuanceOrder, refusal: AcmeRefusal): Promise<Date | null> {
    const { orders, accounts, now } = this.#deps;
    const { problem } = refusal;
    this.#deps.ages.answered(order);
    if (isLimit(refusal)) return await this.#limited(order, refusal);
    if (problem.type === 'accountDoesNotExist') {
      await accounts.forget(order.directory);
      if (!this.#registeredAgain.has(order.id)) {
        this.#registeredAgain.add(order.id);
        return null;
      }
    }
    // Authorities refuse a replacement in many words, also that of another account.
    if (order.state === 'planned' && order.replaces !== null && !isOfAccount(problem)) {
      await orders.step(order.id, { state: 'planned', replaces: null }, now());
      return null;
    }
    const why = authorityProblem(problem, now());
    // It may be issued: another order would issue a second one. A refusal to issue is `OrderFailed`.
    if (order.state === 'finalizing' || order.state === 'issued') return await this.#hold(order, why, 'authority');
    return await this.#end(order, why);
  }

  /** An order that the authority has not begun ends, so that another one can begin. */
  async #limited(order: IssuanceOrder, refusal: AcmeRefusal): Promise<Date | null> {
    if (refusal.ofOrder) {
      const now = this.#deps.now();
      const problem: IssuanceProblem = { ...authorityProblem(refusal.problem, now), class: 'limited' };
      return await this.#hold(
        order,
        problem,
        'authority',
        refusal.retryAfter ?? new Date(now.getTime() + STORED_WAIT_MS),
      );
    }
    const begins = order.state === 'planned';
    const scope = begins ? 'orders' : 'requests';
    const { until, problem } = await this.#deps.pauses.limited(order.directory, scope, refusal);
    if (!begins) return await this.#paused(order, until, problem);
    const stored = { ...problem, settings: this.#deps.settingsId };
    await this.#close(order, { problem: stored, dueAt: until, dueBy: 'limit', failedNames: [], notIssued: false });
    return null;
  }

  /**
   * It stays in its state for now, unless it has been there for too long.
   * @param notBefore as the authority asks; it is stored, and a restart does not shorten it
   */
  async #hold(
    order: IssuanceOrder,
    problem: IssuanceProblem,
    obstacle: Obstacle,
    notBefore: Date | null = null,
  ): Promise<Date | null> {
    const { orders, ages, now } = this.#deps;
    if (this.#isOver(order, obstacle)) {
      return await this.#end(order, problem, { asked: order.state !== 'planned' });
    }
    const again = pollAgainAt(ages.waitedMs(order), now(), RETRY);
    if (notBefore === null || notBefore <= again) {
      await orders.waiting(order, problem);
      return again;
    }
    const until = new Date(Math.min(notBefore.getTime(), now().getTime() + mostMsOf(order.state)[obstacle]));
    await orders.waiting(order, { ...problem, until: until.toISOString() });
    return until;
  }

  #isOver(order: IssuanceOrder, obstacle: Obstacle): boolean {
    return this.#deps.ages.isOver(order, obstacle);
  }

  async #keepWait(order: IssuanceOrder, at: Date): Promise<void> {
    const { orders, now } = this.#deps;
    if (at.getTime() - now().getTime() <= STORED_WAIT_MS) return;
    const until = at.toISOString();
    const detail = `the authority wants to be asked for the order at ${until}, not earlier`;
    await orders.waiting(order, { ...ownProblem('limited', { type: 'wait', detail }, now()), until });
  }

  async #paused(order: IssuanceOrder, until: Date, problem: IssuanceProblem): Promise<Date> {
    await this.#deps.orders.waiting(order, problem);
    return until;
  }

  async #end(order: IssuanceOrder, problem: IssuanceProblem, how: OrderEnd = {}): Promise<null> {
    const { wanted, settingsId, onEnded, now, random } = this.#deps;
    const { failedNames = [], notIssued = false, asked = true } = how;
    const certificate = await wanted.get(order.certificate);
    const counted = (certificate?.failures ?? 0) + 1;
    const failures = asked ? counted : Math.min(counted, UNASKED_FAILURES);
    // What needs attention may be corrected elsewhere, such as a CAA record: it is repeated at the longest interval.
    const needsAttention = problem.class === 'needs attention';
    const waits = needsAttention ? Number.POSITIVE_INFINITY : failures;
    const dueAt = retryAt(waits, certificate?.life?.notAfter ?? null, now(), random());
    const stored = needsAttention ? { ...problem, settings: settingsId } : problem;
    await this.#close(order, { problem: stored, dueAt, dueBy: 'retry', failedNames, notIssued });
    onEnded(order, problem);
    return null;
  }

  async #close(order: IssuanceOrder, failure: OrderFailure): Promise<void> {
    const { orders, board, now } = this.#deps;
    try {
      await orders.fail(order, failure, now());
    } catch (error) {
      // It was removed meanwhile.
      if (!(error instanceof OrderClosed)) throw error;
    }
    await board.clear();
  }
}
