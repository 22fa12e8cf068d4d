import { problemCodes } from '../../../../src/client/problem-codes.ts';
import type { BulkAnswer } from '../../api/types.ts';

/** Whether an element of a list was rejected for nothing but its width: `allow_wide` lets it in. */
export function isTooWide(rejection: BulkAnswer['rejected'][number]): boolean {
  return rejection.code === problemCodes.wideNetwork;
}
