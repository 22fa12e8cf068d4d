import { Text } from '@mantine/core';
import { useConfigDiff } from '../../api/config.ts';
import { Loading } from '../../parts/loading.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { DiffView } from './code/diff-view.tsx';

interface PendingChangeProps {
  /** Id of a backup; null: what a reload would deploy. */
  readonly backup: string | null;
}

export function PendingChange({ backup }: PendingChangeProps) {
  const diff = useConfigDiff(backup);
  if (diff.error !== null) {
    return (
      <ProblemAlert
        title={backup === null ? 'Could not load the pending changes' : 'Could not compare with this backup'}
        error={diff.error}
        onRetry={() => void diff.refetch()}
      >
        <ReloadFailure error={diff.error} />
      </ProblemAlert>
    );
  }
  if (diff.data === undefined)
    return <Loading what={backup === null ? 'Rendering the template' : 'Loading the backup'} />;
  if (!diff.data.changed) {
    return (
      <Text component="div" size="sm">
        <StateMark tone="good">
          {backup === null
            ? 'Up to date: the live configuration matches the template and the sites.'
            : 'No changes: the live configuration matches this backup.'}
        </StateMark>
      </Text>
    );
  }
  return <DiffView diff={diff.data.diff} />;
}
