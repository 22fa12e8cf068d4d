import type { IssuanceProblem } from '../store/issuance-problem.ts';

export interface OrderEnd {
  /** Whose validation failed. */
  readonly failedNames?: readonly string[];
  /** The authority refused to issue, so this order does not count as an issue. Absent: it may have issued. */
  readonly notIssued?: boolean;
  /** Whether the authority was asked for anything. Absent: it was. */
  readonly asked?: boolean;
}

/** Ends the order with this problem. */
export class OrderFailed extends Error implements OrderEnd {
  readonly problem: IssuanceProblem;
  readonly failedNames: readonly string[];
  readonly notIssued: boolean;

  constructor(problem: IssuanceProblem, { failedNames = [], notIssued = false }: OrderEnd = {}) {
    super(problem.detail);
    this.name = 'OrderFailed';
    this.problem = problem;
    this.failedNames = failedNames;
    this.notIssued = notIssued;
  }
}

/** The order stays where it is, because of this machine. */
export class OrderWaits extends Error {
  readonly problem: IssuanceProblem;

  constructor(problem: IssuanceProblem) {
    super(problem.detail);
    this.name = 'OrderWaits';
    this.problem = problem;
  }
}
