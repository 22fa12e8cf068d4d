import { Text } from '@mantine/core';
import { useConfigDiff } from '../../api/config.ts';
import { Loading } from '../../parts/loading.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { DiffView } from './code/diff-view.tsx';

/** What a reload would change now: the live text against what the template gives. */
export function PendingChange() {
  const diff = useConfigDiff();
  if (diff.error !== null) {
    return (
      <ProblemAlert
        title="What a reload would change cannot be told"
        error={diff.error}
        onRetry={() => void diff.refetch()}
      >
        <ReloadFailure error={diff.error} />
      </ProblemAlert>
    );
  }
  if (diff.data === undefined) return <Loading what="Rendering the template" />;
  if (!diff.data.changed) {
    return (
      <Text component="div" size="sm">
        <StateMark tone="good">Nothing: what is live is what the template and the sites give.</StateMark>
      </Text>
    );
  }
  return <DiffView diff={diff.data.diff} />;
}
