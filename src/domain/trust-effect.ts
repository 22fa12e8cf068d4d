// Trust that has no effect, since the configuration does not use the trusted map.

/** Why a worker does not hold a trusted address, where that is the configuration's doing. */
export const unusedTrustedMap =
  'the live configuration does not use the trusted map, so trust has no effect on it: add the exception of docs/template.md to its rule';

/** Whether nothing that is tried again could help: the configuration has to be changed. */
export function hasNoEffect(report: {
  readonly runtime_map_failures: readonly { readonly reason: string }[];
}): boolean {
  return report.runtime_map_failures.some(({ reason }) => reason === unusedTrustedMap);
}
