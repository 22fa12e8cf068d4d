// Trust without effect, because the configuration does not use the trusted map.

/** Why a worker does not hold a trusted address, if the configuration is the cause. */
export const unusedTrustedMap =
  'the live configuration does not use the trusted map, so trust has no effect on it: add the exception of docs/template.md to its rule';

/** Whether no retry can help: the configuration has to be changed. */
export function hasNoEffect(report: {
  readonly runtime_map_failures: readonly { readonly reason: string }[];
}): boolean {
  return report.runtime_map_failures.some(({ reason }) => reason === unusedTrustedMap);
}
