// What follows from a failure: whether an order is repeated, and what the operator has to do.

import type { AcmeProblemDocument } from '../acme/authority.ts';
import type { FailureClass, IssuanceProblem } from '../store/issuance-problem.ts';

/** A failure that no later order of the same kind would avoid, with what to do. */
const ATTENTION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    userActionRequired: 'Agree to the new terms of service of the authority, then renew.',
    externalAccountRequired:
      'Set PROXY_MANAGER_ACME_EAB_KID and PROXY_MANAGER_ACME_EAB_HMAC_FILE to the credentials that the authority gave you.',
    invalidContact: 'Correct PROXY_MANAGER_ACME_CONTACT.',
    unsupportedContact: 'Correct PROXY_MANAGER_ACME_CONTACT.',
    rejectedIdentifier:
      'The authority does not issue certificates for this name. Correct the name, or use another authority.',
    unsupportedIdentifier: 'The authority does not issue certificates for this kind of name.',
    caa: 'A CAA record of the domain forbids this authority. Add the authority to the record, then renew.',
    invalidProfile: 'Set PROXY_MANAGER_ACME_PROFILE to a profile of the authority, or to nothing.',
  }),
);

/** Of a failed validation. */
const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    dns: 'Check the DNS records of the name.',
    connection: 'Check that the name leads to this machine, and that port 80 is open to the internet.',
    unauthorized: 'Check that the name leads to this machine and not to another server.',
    incorrectResponse: 'Check that the name leads to this machine and not to another server.',
    tls: 'Check that port 80 of the name answers without TLS.',
  }),
);

/** The authority answered about the account, not about an order. */
const OF_ACCOUNT: ReadonlySet<string> = new Set([
  'accountDoesNotExist',
  'userActionRequired',
  'externalAccountRequired',
  'invalidContact',
  'unsupportedContact',
]);

/** The authority judged what was requested: it has not issued that, and would not. */
const OF_REQUEST: ReadonlySet<string> = new Set([
  'badCSR',
  'badPublicKey',
  'caa',
  'rejectedIdentifier',
  'unsupportedIdentifier',
]);

export function isOfRequest({ type }: AcmeProblemDocument): boolean {
  return OF_REQUEST.has(type);
}

export function isOfAccount({ type }: AcmeProblemDocument): boolean {
  return OF_ACCOUNT.has(type);
}

/** Of the authority: its words are kept. */
export function authorityProblem(problem: AcmeProblemDocument, now: Date): IssuanceProblem {
  const { type, detail, subproblems, instance } = problem;
  const attention = ATTENTION.get(type) ?? null;
  const at = instance === undefined ? null : `The authority says more at ${instance}`;
  return {
    class: attention === null ? 'will retry' : 'needs attention',
    type,
    detail,
    subproblems: subproblems.map((one) => ({ name: one.name, type: one.type, detail: one.detail })),
    advice: [attention, at].filter((one) => one !== null).join(' ') || null,
    at: now.toISOString(),
  };
}

/** Of several names: each as a subproblem. At least one. */
export function validationProblem(
  failed: readonly { readonly name: string; readonly problem: AcmeProblemDocument | null }[],
  now: Date,
): IssuanceProblem {
  const problems = failed.map(({ name, problem }) => ({ name, ...(problem ?? UNEXPLAINED) }));
  const worst = problems.find(({ type }) => ATTENTION.has(type)) ?? problems[0]!;
  const subproblems = problems.map(({ name, type, detail }) => ({ name, type, detail }));
  const problem = authorityProblem(worst, now);
  return { ...problem, subproblems, advice: problem.advice ?? ADVICE.get(worst.type) ?? null };
}

/** An issued certificate waits for the clock of this machine. */
export const CLOCK_PROBLEM = 'clock';

export function ownProblem(
  failureClass: FailureClass,
  { type, detail, advice = null }: Pick<IssuanceProblem, 'type' | 'detail'> & { readonly advice?: string | null },
  now: Date,
): IssuanceProblem {
  return { class: failureClass, type, detail, subproblems: [], advice, at: now.toISOString() };
}

const UNEXPLAINED: AcmeProblemDocument = {
  type: 'unknown',
  detail: 'the authority did not say why',
  status: null,
  subproblems: [],
};
