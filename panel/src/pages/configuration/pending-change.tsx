import { Text } from '@mantine/core';
import { useConfigDiff } from '../../api/config.ts';
import { Loading } from '../../parts/loading.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { DiffView } from './code/diff-view.tsx';

export interface PendingChangeProps {
  /** Of a backup; null: of a reload, to what the template gives. */
  readonly backup: string | null;
}

/** What a reload, or the restore of a backup, would change in the live text. */
export function PendingChange({ backup }: PendingChangeProps) {
  const diff = useConfigDiff(backup);
  if (diff.error !== null) {
    return (
      <ProblemAlert
        title={
          backup === null ? 'What a reload would change cannot be told' : 'What this backup would change cannot be told'
        }
        error={diff.error}
        onRetry={() => void diff.refetch()}
      >
        <ReloadFailure error={diff.error} />
      </ProblemAlert>
    );
  }
  if (diff.data === undefined)
    return <Loading what={backup === null ? 'Rendering the template' : 'Reading the backup'} />;
  if (!diff.data.changed) {
    return (
      <Text component="div" size="sm">
        <StateMark tone="good">
          {backup === null
            ? 'Nothing: what is live is what the template and the sites give.'
            : 'Nothing: what is live is what the backup holds.'}
        </StateMark>
      </Text>
    );
  }
  return <DiffView diff={diff.data.diff} />;
}
