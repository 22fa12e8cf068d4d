/** `limited`: by the authority or by the service's own limits, until a time. */
export type FailureClass = 'will retry' | 'needs attention' | 'limited';

/** Why a certificate is not issued. Plain data. */
export interface IssuanceProblem {
  readonly class: FailureClass;
  /**
   * Of a problem of the authority, without `urn:ietf:params:acme:error:`; or `unreachable`, `limit`, `wait`,
   * `challenge`, `clock`, `key`, `certificate`, `internal`.
   */
  readonly type: string;
  /** Word for word, if the authority stated it. */
  readonly detail: string;
  readonly subproblems: readonly { readonly name: string | null; readonly type: string; readonly detail: string }[];
  /** What to do, a sentence; null: nothing, it is retried. */
  readonly advice: string | null;
  /** ISO 8601. */
  readonly at: string;
  /** Of an open order: it waits until then. ISO 8601. */
  readonly until?: string;
  /** Of one that needs attention or is limited: an id of the settings that it was ordered with. */
  readonly settings?: string;
}
