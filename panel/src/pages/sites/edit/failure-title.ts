import { ApiProblem } from '../../../../../src/client/client.ts';
import type { ReloadMembers } from '../../../api/types.ts';
import { changeTitle } from '../../../parts/problem-alert.tsx';

/** The title of a failed change. It says that nothing was changed only if that is certain. */
export function failureTitle(error: unknown): string {
  const broken =
    error instanceof ApiProblem &&
    (error.status >= 500 || (error.problem as ReloadMembers).restore_failure !== undefined);
  return broken ? 'The change failed' : changeTitle(error, 'Not applied; nothing was changed');
}
