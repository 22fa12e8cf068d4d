import { Button, Group, Progress, Text } from '@mantine/core';
import { count, counted } from '../../../../../src/domain/counted.ts';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import styles from '../../../parts/styles.module.css';
import { BadLines } from './bad-lines.tsx';
import { CdnNotes } from './cdn-notes.tsx';
import type { Tally } from './transfer.ts';

interface SendingStepProps {
  readonly kind: 'sending' | 'stopped' | 'done';
  readonly tally: Tally;
  readonly total: number;
  readonly failure: unknown;
  readonly onStop: () => void;
  readonly onResume: () => void;
  readonly onClose: () => void;
}

export function SendingStep({ kind, tally, total, failure, onStop, onResume, onClose }: SendingStepProps) {
  return (
    <>
      <Result kind={kind} tally={tally} total={total} />
      <CdnNotes cdns={tally.knownCdns} blocked />
      {failure !== null && <ProblemAlert title="Import stopped" error={failure} />}
      {tally.rejected.length > 0 && (
        <>
          <Text size="sm" fw={600}>
            Rejected
          </Text>
          <BadLines lines={tally.rejected} label="Rejected lines" />
        </>
      )}
      <Group justify="flex-end">
        {kind === 'sending' && (
          <Button variant="default" onClick={onStop}>
            Stop import
          </Button>
        )}
        {kind === 'stopped' && (
          <Button variant="default" onClick={onResume}>
            Resume import
          </Button>
        )}
        {kind !== 'sending' && <Button onClick={onClose}>Close</Button>}
      </Group>
    </>
  );
}

const states = { sending: '', stopped: 'Stopped. ', done: 'Done. ' } as const;

function Result({ kind, tally, total }: Pick<SendingStepProps, 'kind' | 'tally' | 'total'>) {
  const { done, added, updated, unchanged, rejectedTotal, enforced } = tally;
  const percent = total === 0 ? 100 : (done / total) * 100;
  return (
    <>
      <Progress
        value={percent}
        size="lg"
        animated={kind === 'sending'}
        aria-label={`${Math.round(percent)} percent done`}
      />
      <Text role="status" className={styles.figure}>
        {states[kind]}
        {count(done)} of {counted(total, 'entry', 'entries')}: {count(added)} newly blocked,{' '}
        {updated > 0 && `${count(updated)} updated, `}
        {count(unchanged)} unchanged
        {rejectedTotal > 0 && `, ${count(rejectedTotal)} rejected`}
      </Text>
      {kind !== 'sending' && added + updated + unchanged > 0 && (
        <Text size="sm" c="dimmed">
          {enforced ? 'Active in every worker.' : 'Not verified in every worker yet; the overview shows the state.'}
        </Text>
      )}
    </>
  );
}
