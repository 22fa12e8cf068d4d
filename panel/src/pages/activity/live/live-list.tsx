import { Anchor, Button, Chip, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { useEventLog, useStreamState } from '../../../live/live.tsx';
import type { ServiceEvent } from '../../../live/service-event.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { PauseIcon, PlayIcon } from '../../../parts/icons.tsx';
import { SearchField } from '../../../parts/search-field.tsx';
import styles from '../../../parts/styles.module.css';
import { momentTitle, secondText } from '../../../parts/times.ts';
import { UserText } from '../../../parts/user-text.tsx';
import { useAllowed } from '../../../session/session.ts';
import { type EventKind, eventKinds, kindOfEvent } from './event-kinds.ts';
import { eventWords } from './event-words.ts';
import classes from './live-list.module.css';

export function LiveList() {
  const events = useEventLog();
  const admin = useAllowed('admin');
  const [search, setSearch] = useState('');
  const [kinds, setKinds] = useState<readonly EventKind[]>([]);
  const [paused, setPaused] = useState<readonly ServiceEvent[] | null>(null);
  const shown = (paused ?? events).filter((event) => fits(event, kinds, search));
  const waiting = paused === null ? 0 : newerThan(events, paused);
  const offered = eventKinds.filter(({ kind }) => admin || kind !== 'keys');
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Group gap="xs">
          <SearchField label="Search events" value={search} onChange={setSearch} />
          <Chip.Group multiple value={[...kinds]} onChange={(value) => setKinds(value as EventKind[])}>
            <Group gap={6} role="group" aria-label="Filter by subject">
              {offered.map(({ kind, label }) => (
                <Chip key={kind} value={kind} size="xs">
                  {label}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Group>
        <Button
          variant="default"
          leftSection={paused === null ? <PauseIcon size={16} /> : <PlayIcon size={16} />}
          onClick={() => setPaused(paused === null ? events : null)}
        >
          {paused === null ? 'Pause list' : waiting === 0 ? 'Resume list' : `Resume list (${waiting} new)`}
        </Button>
      </Group>
      <div className={styles.card}>
        {shown.length === 0 ? (
          <Empty narrowed={search !== '' || kinds.length > 0} hasAudit={admin} />
        ) : (
          <ul className={classes.events} aria-label="Events, newest first">
            {shown.map((event) => (
              <EventItem key={`${event.id} ${event.type}`} event={event} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

const EventItem = memo(function EventItem({ event }: { readonly event: ServiceEvent }) {
  const { tone, words } = eventWords(event);
  return (
    <li className={classes.event}>
      <Text span inherit c="dimmed" className={`${styles.figure} ${classes.time}`} title={momentTitle(event.at)}>
        {secondText(new Date(event.at))}
      </Text>
      <span className={classes.words} data-tone={tone}>
        <span className={styles.dot} data-tone={tone} aria-hidden="true" />
        <UserText text={words} />
      </span>
    </li>
  );
});

function Empty({ narrowed, hasAudit }: { readonly narrowed: boolean; readonly hasAudit: boolean }) {
  const { kind } = useStreamState();
  if (narrowed) return <EmptyState title="No matching events since you opened the panel" />;
  if (kind === 'live') {
    return (
      <EmptyState title="No events since you opened the panel">
        New events appear here automatically.
        {hasAudit && (
          <>
            {' What was changed before is in the '}
            <Anchor inherit renderRoot={(props) => <Link to="/activity" search={{ tab: 'audit' }} {...props} />}>
              audit log
            </Anchor>
            .
          </>
        )}
      </EmptyState>
    );
  }
  return <EmptyState title="Live updates are disconnected">The reason is shown above.</EmptyState>;
}

function fits(event: ServiceEvent, kinds: readonly EventKind[], search: string): boolean {
  const kind = kindOfEvent(event);
  if (kinds.length > 0 && kind !== null && !kinds.includes(kind)) return false;
  const words = search.trim().toLowerCase();
  return words === '' || eventWords(event).words.toLowerCase().includes(words);
}

function newerThan(events: readonly ServiceEvent[], shown: readonly ServiceEvent[]): number {
  const [first] = shown;
  const at = first === undefined ? -1 : events.indexOf(first);
  return at < 0 ? events.length : at;
}
