// Why a safe reload did not come to be, and what holds now: the two things to know at once.
import { Text } from '@mantine/core';
import { ApiProblem } from '../../../src/client/client.ts';
import type { ReloadMembers } from '../api/types.ts';
import { Messages } from './messages.tsx';
import { StateMark } from './state-mark.tsx';

/** Shows nothing for an error that is of no reload. */
export function ReloadFailure({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiProblem)) return null;
  const members = error.problem as ReloadMembers;
  const { output, restored, restore_failure: restoreFailure } = members;
  return (
    <>
      {output !== undefined && output.trim() !== '' && <Messages label={whose(error)} text={output} />}
      {restored === true && restoreFailure === undefined && (
        <Text size="sm" mt="xs" component="div">
          <StateMark tone="good">
            The last configuration that worked is back in force. What is blocked stays blocked.
          </StateMark>
        </Text>
      )}
      {restoreFailure !== undefined && (
        <Text size="sm" mt="xs" component="div">
          <StateMark tone="bad">
            {restored === true
              ? `The proxy was not seen to run with it: ${restoreFailure}.`
              : `The last configuration that worked could not be put back: ${restoreFailure}.`}{' '}
            Look at the overview.
          </StateMark>
        </Text>
      )}
    </>
  );
}

/** 5001: the template could not be rendered. */
function whose({ code }: ApiProblem): string {
  return code === 5001 ? 'The template’s own messages' : 'HAProxy’s own messages';
}
