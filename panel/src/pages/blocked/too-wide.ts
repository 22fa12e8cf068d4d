import type { BulkAnswer } from '../../api/types.ts';
import { type RejectionFacts, wideNetworkCode } from '../../api/upcoming.ts';

/** Whether an element of a list was rejected for nothing but its width: `allow_wide` lets it in. */
export function isTooWide(rejection: BulkAnswer['rejected'][number] & RejectionFacts): boolean {
  return rejection.code === wideNetworkCode;
}
