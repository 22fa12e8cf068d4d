import { checkConfiguration } from '../../haproxy/process/binary.ts';

/**
 * Replaces certificates that HAProxy refuses, by its output, so that no certificate ever keeps a block from being
 * enforced. Null: the output is not known. True: a file was replaced, and another check may pass.
 */
export type SubstituteCertificates = (output: string | null, check: RefusedCheck) => Promise<boolean>;

interface RefusedCheck {
  /** Of `performance.now()`: files that were written later are not refused. */
  readonly began: number;
  /** From 1. */
  readonly number: number;
}

/** Each check replaces at least one certificate, and takes seconds if there are thousands. */
const TIME_LIMIT_MS = 60_000;

/** @param refusal what HAProxy put out; undefined: it accepts the files. Of the last check, at which nothing is left to replace. */
export async function guardedCheck<Check>(
  check: () => Promise<Check>,
  refusal: (check: Check) => string | null | undefined,
  substitute: SubstituteCertificates | undefined,
): Promise<Check> {
  const end = performance.now() + TIME_LIMIT_MS;
  for (let number = 1; ; number += 1) {
    const began = performance.now();
    const checked = await check();
    const output = refusal(checked);
    if (output === undefined || performance.now() >= end || !(await substitute?.(output, { began, number })))
      return checked;
  }
}

/** As `checkConfiguration`, again while certificates are replaced. */
export async function checkGuarded(bin: string, file: string, substitute: SubstituteCertificates | undefined) {
  return await guardedCheck(
    () => checkConfiguration(bin, file),
    ({ valid, output }) => (valid ? undefined : output),
    substitute,
  );
}
