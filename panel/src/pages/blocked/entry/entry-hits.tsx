import { Text } from '@mantine/core';
import { counted } from '../../../../../src/domain/counted.ts';
import { isInsightLoading, isInsightOff, mostOfEntry, useEntryHits } from '../../../api/insight.ts';
import type { KnockingAddress } from '../../../api/types.ts';
import { ShareBar } from '../../../charts/bars.tsx';
import { Age } from '../../../parts/age.tsx';
import { count } from '../../../parts/figures.ts';
import { ReadProblem } from '../../../parts/read.tsx';
import styles from '../../../parts/styles.module.css';
import { momentTitle } from '../../../parts/times.ts';
import classes from './entry-panel.module.css';
import { hitsOf } from './hits-of.ts';
import { Section } from './section.tsx';

const shownClients = 5;

/** What the entry denied, and which clients inside it. Not known is a dash, never 0. */
export function EntryHits({ ip }: { readonly ip: string }) {
  const found = useEntryHits(ip);
  const { data, error } = found;
  if (data === undefined) {
    return (
      <Section title="Denied requests" note="24 h">
        {isInsightOff(error) ? (
          <Text size="sm" c="dimmed">
            Not counted: PROXY_MANAGER_INSIGHT is off.
          </Text>
        ) : isInsightLoading(error) ? (
          <Text size="sm" c="dimmed">
            The service is reading its stored figures.
          </Text>
        ) : error === null ? (
          <Text size="sm" c="dimmed">
            Loading…
          </Text>
        ) : (
          <ReadProblem of={found} failed="Could not load the denied requests" />
        )}
      </Section>
    );
  }
  const { items, total, complete } = data;
  const hits = hitsOf(items);
  // The others are quieter, but not nothing.
  const least = total > items.length ? 'at least ' : '';
  const hasClients = items.length > 0 && ip.includes('/');
  // After all figures that it is about.
  const unwatched = !complete && hits.last !== null && (
    <Text size="xs" c="dimmed" mt={6}>
      A part of the last 24 h is known only as a sum, or not at all.
    </Text>
  );
  return (
    <>
      <Section
        title="Denied requests"
        note={
          <>
            24 h · {hits.last !== null && least}
            <b>{count(hits.last === null && !complete ? null : hits.hits)}</b>
          </>
        }
      >
        {hits.last === null ? (
          <Text size="sm" c="dimmed">
            {complete ? 'None in the last 24 h.' : 'None counted in the last 24 h, of which a part was not watched.'}
          </Text>
        ) : (
          <Hours values={hits.spark} />
        )}
        {hits.first !== null && hits.last !== null && (
          <dl className={classes.figures}>
            <div>
              <dt>First hit</dt>
              <dd title={momentTitle(hits.first)}>
                <Age time={hits.first} />
              </dd>
            </div>
            <div>
              <dt>Last hit</dt>
              <dd title={momentTitle(hits.last)}>
                <Age time={hits.last} />
              </dd>
            </div>
            <div>
              <dt>Since first hit</dt>
              <dd className={styles.figure}>
                {least}
                {count(hits.total)}
              </dd>
            </div>
          </dl>
        )}
        {!hasClients && unwatched}
      </Section>
      {hasClients && (
        <Section
          title="Clients inside"
          note={items.length > shownClients ? `${count(total)}, top ${shownClients}` : count(total)}
        >
          <Clients items={items.slice(0, shownClients)} />
          {total > mostOfEntry && (
            <Text size="xs" c="dimmed">
              The figures add up the {mostOfEntry} loudest of {counted(total, 'client')}.
            </Text>
          )}
          {unwatched}
        </Section>
      )}
    </>
  );
}

function Clients({ items }: { readonly items: readonly KnockingAddress[] }) {
  const most = Math.max(1, ...items.map(({ hits }) => hits));
  return (
    <ul className={classes.plain} aria-label="Clients inside">
      {items.map(({ ip_address: client, hits }) => (
        <li key={client} className={classes.client}>
          <span className={styles.mono} title={client}>
            {client}
          </span>
          <ShareBar share={hits / most} />
          <span className={styles.figure}>{count(hits)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Of each hour; the figures beside it are what a screen reader gets. */
function Hours({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const width = 100 / Math.max(1, values.length);
  return (
    <>
      <svg
        className={classes.hours}
        viewBox="0 0 100 48"
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false"
      >
        {values.map((value, at) => {
          const height = value === 0 ? 0 : Math.max(1.5, (value / most) * 48);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the bars are of hours, which have no other name.
            <rect key={at} x={at * width} y={48 - height} width={width * 0.8} height={height} />
          );
        })}
      </svg>
      <div className={classes.axis} aria-hidden="true">
        <span>24 h ago</span>
        <span>now</span>
      </div>
    </>
  );
}
