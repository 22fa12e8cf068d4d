// A certificate that an authority issues and renews, as it is read.
import type { ChallengeType } from './acme-orders-store.ts';
import type { AcmeCertificatesTable } from './acme-schema.ts';
import type { IssuanceProblem } from './issuance-problem.ts';

/** Why an order is due: asked for, two thirds of the lifetime, the authority's window, after a failure, a limit. */
type DueBy = 'request' | 'age' | 'ari' | 'retry' | 'limit';

/** The window in which the authority wants the active version renewed (RFC 9773). */
export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
  readonly explanationUrl: string | null;
  /** A random moment in it. */
  readonly chosen: Date;
}

/** A certificate that an authority issues and renews. */
export interface WantedCertificate {
  readonly id: string;
  readonly directory: string;
  readonly names: readonly string[];
  readonly challenge: ChallengeType;
  /** Null: that of the settings. */
  readonly profile: string | null;
  readonly createdAt: Date;
  readonly dueAt: Date;
  readonly dueBy: DueBy;
  readonly failures: number;
  readonly problem: IssuanceProblem | null;
  /** Of the active version; null: none, or the authority has no renewal information. */
  readonly ariId: string | null;
  readonly window: RenewalWindow | null;
  /** The lifetime of the active version; null: nothing was issued yet. */
  readonly life: { readonly notBefore: Date; readonly notAfter: Date } | null;
}

/** With the active version. */
export type WantedRow = AcmeCertificatesTable & {
  readonly not_before: string | null;
  readonly not_after: string | null;
  readonly shown_problem: string | null;
};

export function toWanted(row: WantedRow): WantedCertificate {
  const { not_before: notBefore, not_after: notAfter } = row;
  return {
    id: row.id,
    directory: row.directory,
    names: JSON.parse(row.names_json) as string[],
    challenge: row.challenge as WantedCertificate['challenge'],
    profile: row.profile,
    createdAt: new Date(row.created_at),
    dueAt: new Date(row.due_at),
    dueBy: row.due_by as DueBy,
    failures: row.failures,
    problem: row.shown_problem === null ? null : (JSON.parse(row.shown_problem) as IssuanceProblem),
    ariId: row.ari_id,
    window: row.ari_json === null ? null : windowOf(row.ari_json),
    life:
      notBefore === null || notAfter === null ? null : { notBefore: new Date(notBefore), notAfter: new Date(notAfter) },
  };
}

function windowOf(json: string): RenewalWindow {
  const { start, end, explanationUrl, chosen } = JSON.parse(json) as Record<keyof RenewalWindow, string>;
  return { start: new Date(start), end: new Date(end), explanationUrl, chosen: new Date(chosen) };
}
