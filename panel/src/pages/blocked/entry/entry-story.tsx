import { Stack } from '@mantine/core';
import { counted } from '../../../../../src/domain/counted.ts';
import type { useBlockedDetail } from '../../../api/blocked-ips.ts';
import type { BlockedIpDetail } from '../../../api/types.ts';
import { Age, End } from '../../../parts/age.tsx';
import { ClaimList } from '../../../parts/claim-list.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useSourceColours } from '../../../parts/source-colours.ts';
import { SourceName } from '../../../parts/source-name.tsx';
import { claimsOf, kindWords } from '../../../parts/source-words.ts';
import { StateMark } from '../../../parts/state-mark.tsx';
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

/** What one asks first is first: what it is, whether it is enforced, since when and until when. */
export function EntryStory({ ip, detail, gone }: EntryStoryProps) {
  const entry = detail.data;
  const claims = entry === undefined ? [] : claimsOf(entry);
  return (
    <>
      <Section title="Enforcement" {...(detail.isSuccess ? { note: 'checked every 3 s' } : {})}>
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
        {entry !== undefined && <Facts entry={entry} />}
      </Section>
      <EntryHits ip={ip} />
      {/* A single one is the entry itself. */}
      {claims.length > 1 && (
        <Section title="Claims" note={counted(claims.length, 'source')}>
          <ClaimList label="Claims" claims={claims} />
        </Section>
      )}
      {entry !== undefined && <Covering ip={ip} coveredBy={entry.covered_by} />}
      {entry !== undefined && <EntryHistory entry={entry} />}
    </>
  );
}

function Facts({ entry }: { readonly entry: BlockedIpDetail }) {
  const colourOf = useSourceColours();
  const [first, ...others] = claimsOf(entry);
  return (
    <dl className={classes.facts}>
      <dt>Since</dt>
      <dd>
        {momentText(entry.blocked_at)} (<Age time={entry.blocked_at} />)
      </dd>
      <dt>Expires</dt>
      <dd>
        {entry.expires_at === null ? (
          'Never'
        ) : (
          <>
            {momentText(entry.expires_at)} (<End time={entry.expires_at} />)
          </>
        )}
      </dd>
      <dt>Blocked by</dt>
      <dd>{entry.blocked_by === null ? '—' : <UserText text={entry.blocked_by} />}</dd>
      {first !== undefined && others.length === 0 && (
        <>
          <dt>Source</dt>
          <dd>
            <SourceName name={first.source} colourOf={colourOf} />
            {first.kind !== 'manual' && ` (${kindWords[first.kind].toLowerCase()})`}
          </dd>
        </>
      )}
    </dl>
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
    </Stack>
  );
}
