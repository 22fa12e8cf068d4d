import { Stack, Text } from '@mantine/core';
import type { useBlockedDetail } from '../../../api/blocked-ips.ts';
import type { BlockedIpDetail } from '../../../api/types.ts';
import { Age } from '../../../parts/age.tsx';
import { ClaimList } from '../../../parts/claim-list.tsx';
import { counted } from '../../../parts/counted.ts';
import { Loading } from '../../../parts/loading.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { claimsOf } from '../../../parts/source-words.ts';
import { StateMark } from '../../../parts/state-mark.tsx';
import styles from '../../../parts/styles.module.css';
import { momentText } from '../../../parts/times.ts';
import { UserText } from '../../../parts/user-text.tsx';
import { Covering } from './covering.tsx';
import { EntryHistory } from './entry-history.tsx';
import { EntryHits } from './entry-hits.tsx';
import classes from './entry-panel.module.css';
import { Section } from './section.tsx';

interface EntryStoryProps {
  readonly ip: string;
  readonly detail: ReturnType<typeof useBlockedDetail>;
  readonly gone: boolean;
}

export function EntryStory({ ip, detail, gone }: EntryStoryProps) {
  const entry = detail.data;
  return (
    <>
      {entry !== undefined && (
        <Section title="Entry">
          <dl className={classes.facts}>
            <dt>Reason</dt>
            <dd>{entry.reason === null ? '—' : <UserText text={entry.reason} />}</dd>
            <dt>Blocked by</dt>
            <dd>{entry.blocked_by === null ? '—' : <UserText text={entry.blocked_by} />}</dd>
            <dt>Since</dt>
            <dd>
              {momentText(entry.blocked_at)} (<Age time={entry.blocked_at} />)
            </dd>
            <dt>Expires</dt>
            <dd>{entry.expires_at === null ? 'Never' : momentText(entry.expires_at)}</dd>
          </dl>
        </Section>
      )}
      <EntryHits ip={ip} />
      {entry !== undefined && (
        <Section title="Claims" note={counted(claimsOf(entry).length, 'source')}>
          <ClaimList label="Claims" claims={claimsOf(entry)} />
        </Section>
      )}
      <Section title="Enforcement">
        {gone && <StateMark tone="unknown">No longer blocked</StateMark>}
        {detail.isPending && <Loading what="Checking each worker" />}
        {detail.isError && !gone && (
          <ProblemAlert
            title="Could not check the workers"
            error={detail.error}
            onRetry={() => void detail.refetch()}
          />
        )}
        {!detail.isError && entry !== undefined && <Workers workers={entry.workers} />}
      </Section>
      {entry !== undefined && <Covering ip={ip} coveredBy={entry.covered_by} />}
      {entry !== undefined && <EntryHistory entry={entry} />}
    </>
  );
}

function Workers({ workers }: Pick<BlockedIpDetail, 'workers'>) {
  if (workers.length === 0) return <StateMark tone="unknown">No HAProxy worker could be checked</StateMark>;
  return (
    <Stack gap={6}>
      {workers.map(({ pid, draining, holds }) => (
        <StateMark key={pid} tone={holds === null ? 'unknown' : holds ? 'good' : 'bad'}>
          {holds === null ? 'Not checked' : holds ? 'Blocked' : 'Not blocked'} on worker {pid}
          {draining ? ' (draining)' : ''}
        </StateMark>
      ))}
      <Text size="xs" c="dimmed" className={styles.figure}>
        Checked in HAProxy every 3 s
      </Text>
    </Stack>
  );
}
