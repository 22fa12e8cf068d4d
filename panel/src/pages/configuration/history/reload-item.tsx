import { Group, Text } from '@mantine/core';
import type { ReloadRecord } from '../../../api/types.ts';
import { Age, elapsedText } from '../../../parts/age.tsx';
import { Messages } from '../../../parts/messages.tsx';
import { sentence } from '../../../parts/problem-alert.tsx';
import { saysMore } from '../../../parts/reload-failure.tsx';
import { StateMark, type Tone } from '../../../parts/state-mark.tsx';
import styles from '../../../parts/styles.module.css';
import { momentText } from '../../../parts/times.ts';
import classes from './history.module.css';

const outcomes: Readonly<Record<ReloadRecord['status'], { readonly tone: Tone; readonly words: string }>> = {
  completed: { tone: 'good', words: 'Completed' },
  refused: { tone: 'bad', words: 'Refused' },
  failed: { tone: 'bad', words: 'Failed' },
};

export function ReloadItem({ reload }: { readonly reload: ReloadRecord }) {
  const { tone, words } = outcomes[reload.status];
  const { reasons, error, validation_output: output, warnings } = reload;
  return (
    <li className={classes.reload} data-row>
      <Group justify="space-between" gap="xs" align="flex-start">
        <Group gap="sm" align="baseline">
          <StateMark tone={tone} fw={600}>
            {words}
          </StateMark>
          <Text size="sm">{reasons.map((reason) => sentence(reason)).join(' ')}</Text>
        </Group>
        <Text size="xs" c="dimmed" className={styles.figure}>
          {momentText(reload.started_at)} · <Age time={reload.started_at} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" className={`${styles.figure} ${styles.wrap}`}>
        {details(reload).join(' · ')}
      </Text>
      {error !== null && (
        <Text size="sm" mt={4} className={`${styles.tone} ${styles.wrap}`} data-tone="bad">
          {sentence(error)}
        </Text>
      )}
      {saysMore(output, error) && <Messages label="HAProxy messages" text={output} />}
      {warnings.length > 0 && <Messages label="Warnings" text={warnings.join('\n')} />}
    </li>
  );
}

function details(reload: ReloadRecord): string[] {
  const { changed, backup, worker_before: before, worker_after: after, started_at: start, finished_at: end } = reload;
  return [
    changed === null ? 'configuration not rendered' : changed ? 'configuration changed' : 'configuration unchanged',
    before === null && after === null ? 'no worker' : `worker ${before ?? 'none'} → ${after ?? 'none'}`,
    end === null ? 'end not recorded' : `took ${elapsedText(Date.parse(end) - Date.parse(start))}`,
    ...(backup === null ? [] : [`backup ${backup}`]),
  ];
}
