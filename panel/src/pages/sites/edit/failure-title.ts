import { ApiProblem } from '../../../../../src/client/client.ts';
import type { ReloadMembers } from '../../../api/types.ts';
import { changeTitle } from '../../../parts/problem-alert.tsx';

/** Why a site is not as it was given. That nothing was changed is said only where all was put back. */
export function failureTitle(error: unknown): string {
  const broken =
    error instanceof ApiProblem &&
    (error.status >= 500 || (error.problem as ReloadMembers).restore_failure !== undefined);
  return broken ? 'The change failed' : changeTitle(error, 'It is not live, and nothing was changed');
}
