import { checkConfiguration } from '../../haproxy/process/binary.ts';

/**
 * Replaces certificates that HAProxy refuses, by its output, so that one certificate never keeps a block from being
 * enforced. True: a file was replaced, and another check may pass.
 */
export type SubstituteCertificates = (output: string) => Promise<boolean>;

/** HAProxy names one or some of the files that it refuses. */
const MOST_CHECKS = 20;

/** As `checkConfiguration`, again while certificates are replaced. */
export async function guardedCheck(
  bin: string,
  file: string,
  substitute: SubstituteCertificates | undefined,
): ReturnType<typeof checkConfiguration> {
  for (let checks = 1; ; checks += 1) {
    const check = await checkConfiguration(bin, file);
    if (check.valid || checks === MOST_CHECKS || !(await substitute?.(check.output))) return check;
  }
}
