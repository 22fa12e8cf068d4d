import { Text } from '@mantine/core';
import { ApiProblem } from '../../../src/client/client.ts';
import type { ReloadMembers } from '../api/types.ts';
import { Messages } from './messages.tsx';
import { StateMark } from './state-mark.tsx';

export function ReloadFailure({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiProblem)) return null;
  const members = error.problem as ReloadMembers;
  const { output, restored, restore_failure: restoreFailure } = members;
  return (
    <>
      {saysMore(output, error.message) && <Messages label="HAProxy messages" text={output} />}
      {restored === true && restoreFailure === undefined && (
        <Text size="sm" mt="xs" component="div">
          <StateMark tone="good">
            The last working configuration was restored. Blocked addresses stay blocked.
          </StateMark>
        </Text>
      )}
      {restoreFailure !== undefined && (
        <Text size="sm" mt="xs" component="div">
          <StateMark tone="bad">
            {restored === true
              ? `The last working configuration was restored, but HAProxy is not confirmed to run it: ${restoreFailure}.`
              : `The last working configuration could not be restored: ${restoreFailure}.`}{' '}
            See the overview.
          </StateMark>
        </Text>
      )}
    </>
  );
}

/** Whether `output` says more than the message of the failure, which names the first finding. */
export function saysMore(output: string | null | undefined, message: string | null): output is string {
  const text = output?.trim() ?? '';
  return text !== '' && message?.includes(text) !== true;
}
