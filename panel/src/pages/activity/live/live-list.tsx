import { Button, Chip, Group, Text } from '@mantine/core';
import { memo, useState } from 'react';
import { useEventLog, useStreamState } from '../../../live/live.tsx';
import type { ServiceEvent } from '../../../live/service-event.ts';
import { momentText } from '../../../parts/age.tsx';
import { PauseIcon, PlayIcon } from '../../../parts/icons.tsx';
import { NothingHere } from '../../../parts/nothing-here.tsx';
import { Said } from '../../../parts/said.tsx';
import { SearchField } from '../../../parts/search-field.tsx';
import styles from '../../../parts/styles.module.css';
import { useMay } from '../../../session/session.ts';
import { type EventKind, eventKinds, kindOfEvent } from './event-kinds.ts';
import { eventWords } from './event-words.ts';
import classes from './live-list.module.css';

/** What happens, the newest first, since the panel was opened. */
export function LiveList() {
  const events = useEventLog();
  const admin = useMay('admin');
  const [search, setSearch] = useState('');
  const [kinds, setKinds] = useState<readonly EventKind[]>([]);
  // While it is held, what was there then is shown.
  const [held, setHeld] = useState<readonly ServiceEvent[] | null>(null);
  const shown = (held ?? events).filter((event) => fits(event, kinds, search));
  const waiting = held === null ? 0 : newerThan(events, held);
  const offered = eventKinds.filter(({ kind }) => admin || kind !== 'keys');
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Group gap="xs">
          <SearchField label="Search what happened" value={search} onChange={setSearch} />
          <Chip.Group multiple value={[...kinds]} onChange={(value) => setKinds(value as EventKind[])}>
            <Group gap={6} role="group" aria-label="Only what is about">
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
          leftSection={held === null ? <PauseIcon size={16} /> : <PlayIcon size={16} />}
          onClick={() => setHeld(held === null ? events : null)}
        >
          {held === null ? 'Hold still' : waiting === 0 ? 'Go on' : `Go on (${waiting} new)`}
        </Button>
      </Group>
      <div className={styles.card}>
        {shown.length === 0 ? (
          <Empty narrowed={search !== '' || kinds.length > 0} />
        ) : (
          <ul className={classes.events} aria-label="What happened, the newest first">
            {shown.map((event) => (
              <Happening key={`${event.id} ${event.type}`} event={event} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

const Happening = memo(function Happening({ event }: { readonly event: ServiceEvent }) {
  const { tone, words } = eventWords(event);
  const time = new Date(event.at);
  return (
    <li className={classes.event}>
      <Text span inherit c="dimmed" className={`${styles.figure} ${classes.time}`} title={momentText(event.at)}>
        {time.toLocaleTimeString(undefined, { timeStyle: 'medium' })}
      </Text>
      <span className={classes.words} data-tone={tone}>
        <span className={styles.dot} data-tone={tone} aria-hidden="true" />
        <Said text={words} />
      </span>
    </li>
  );
});

function Empty({ narrowed }: { readonly narrowed: boolean }) {
  const { kind } = useStreamState();
  if (narrowed) return <NothingHere title="Nothing like that has happened since you opened the panel" />;
  if (kind === 'live') {
    return (
      <NothingHere title="Nothing has happened since you opened the panel">
        What happens from now on appears here by itself.
      </NothingHere>
    );
  }
  return <NothingHere title="The page does not hear of what happens now">Above it says why.</NothingHere>;
}

function fits(event: ServiceEvent, kinds: readonly EventKind[], search: string): boolean {
  const kind = kindOfEvent(event);
  if (kinds.length > 0 && kind !== null && !kinds.includes(kind)) return false;
  const words = search.trim().toLowerCase();
  return words === '' || eventWords(event).words.toLowerCase().includes(words);
}

function newerThan(events: readonly ServiceEvent[], held: readonly ServiceEvent[]): number {
  const [first] = held;
  const at = first === undefined ? -1 : events.indexOf(first);
  return at < 0 ? events.length : at;
}
