import { Text, Title } from '@mantine/core';
import { useAttacks } from '../../api/insight.ts';
import type { Attack } from '../../api/types.ts';
import { SpanSince, spanText } from '../../parts/age.tsx';
import { count } from '../../parts/figures.ts';
import { ListTable } from '../../parts/list-table.tsx';
import { Read } from '../../parts/read.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { momentText } from '../../parts/times.ts';
import classes from './denied.module.css';

/** The newest; the older ones are in the API. */
const shown = 10;

export function Attacks({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const attacks = useAttacks(true);
  return (
    <section className={styles.card} aria-label="Attacks">
      <Title order={2} size="sm" mb={4}>
        Attacks
      </Title>
      <Read of={attacks} failed="Could not load the attacks" loading="Loading the attacks">
        {(items) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              None so far. An attack is a rise of denied requests far above the usual, for three minutes or longer.
            </Text>
          ) : (
            <>
              <ListTable
                label="Attacks"
                columns={['Began', 'Lasted', 'Peak/min', 'Usual/min', 'Denied', 'Top site', 'Top entry']}
                figures={['Peak/min', 'Usual/min', 'Denied']}
                isCards
                buttons={null}
              >
                {items.slice(0, shown).map((attack) => (
                  <Row key={attack.id} attack={attack} onOpen={onOpen} />
                ))}
              </ListTable>
              {items.length > shown && (
                <Text size="xs" c="dimmed" mt={6}>
                  The newest {shown} of {count(items.length)}.
                </Text>
              )}
            </>
          )
        }
      </Read>
    </section>
  );
}

interface RowProps {
  readonly attack: Attack;
  readonly onOpen: (id: string) => void;
}

function Row({ attack, onOpen }: RowProps) {
  const {
    id,
    started_at: start,
    ended_at: end,
    peak,
    usual,
    denied,
    top_sites: sites,
    top_networks: networks,
  } = attack;
  return (
    <tr data-row>
      <td data-label="Began" data-card="name">
        <button type="button" className={classes.open} onClick={() => onOpen(String(id))}>
          {momentText(start)}
        </button>
      </td>
      <td data-label="Lasted" data-card="about">
        {end === null ? (
          <StateMark tone="warn">
            <SpanSince time={start} />, continues
          </StateMark>
        ) : (
          spanText(Date.parse(end) - Date.parse(start))
        )}
      </td>
      <td data-label="Peak/min" data-card="about" data-figure>
        {count(peak)}
      </td>
      <td data-label="Usual/min" data-figure>
        {count(usual)}
      </td>
      <td data-label="Denied" data-card="value" data-figure>
        {count(denied)}
      </td>
      <td data-label="Top site" data-card="about" data-long>
        {sites[0]?.site ?? '–'}
      </td>
      <td data-label="Top entry" data-card="about" data-long className={styles.mono}>
        {networks[0]?.entry ?? '–'}
      </td>
    </tr>
  );
}
