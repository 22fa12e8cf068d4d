import { Text } from '@mantine/core';
import { useSeries } from '../../../api/insight.ts';
import type { InsightSummary } from '../../../api/types.ts';
import { ShareBar, SparkLine } from '../../../charts/bars.tsx';
import { type RangeName, rangeText } from '../../../charts/times.ts';
import { useServiceNow } from '../../../parts/age.tsx';
import { changeText, count } from '../../../parts/figures.ts';
import styles from '../../../parts/styles.module.css';
import { Figure } from './figure.tsx';
import { gapWords, growthText, isComparable, neverMatchedWords, shareWords } from './figure-words.ts';
import classes from './figures.module.css';

/** The configuration of HAProxy lacks a table; a notice says so. */
const notCounted = 'Not counted by HAProxy';
const names = ['Denied requests', 'Denied addresses', 'Blocked entries', 'Never matched, 90 d', 'Candidates'] as const;

interface FiguresProps {
  /** Undefined: not loaded yet. */
  readonly summary: InsightSummary | undefined;
  readonly range: RangeName;
}

/** Each with its unit, its trend, and a link to the details. */
export function Figures({ summary, range }: FiguresProps) {
  // With the figures, not after them.
  const series = {
    denied: useSeries('denied', 'none', range).data?.values[0],
    addresses: useSeries('addresses', 'none', range).data?.values[0],
    entries: useSeries('entries', 'none', range).data?.values[0],
  };
  if (summary !== undefined) return <Known summary={summary} range={range} series={series} />;
  return (
    <section className={`${styles.card} ${classes.figures}`} aria-label="Figures" aria-busy="true">
      {names.map((name) => (
        <div key={name} className={classes.figure}>
          <Text size="sm" c="dimmed">
            {name}
          </Text>
          <span className={classes.value}>
            <b>&nbsp;</b>
          </span>
          <Text size="xs">&nbsp;</Text>
          <span className={classes.picture} />
        </div>
      ))}
    </section>
  );
}

type Values = readonly (number | null)[] | undefined;

interface KnownProps {
  readonly summary: InsightSummary;
  readonly range: RangeName;
  readonly series: Readonly<Record<'denied' | 'addresses' | 'entries', Values>>;
}

function Known({ summary, range, series: { denied, addresses, entries } }: KnownProps) {
  const now = useServiceNow(60_000);
  const { previous, never_matched: never } = summary;
  const words = neverMatchedWords(never, summary.entries);
  return (
    <section
      className={`${styles.card} ${classes.figures}`}
      aria-label={`Figures of the last ${rangeText(summary.range_seconds)}`}
    >
      <Figure
        name={names[0]}
        value={count(summary.denied)}
        why={gapWords(summary.denied, summary)}
        trend={isComparable(summary, now) ? changeText(summary.denied, previous.denied) : null}
        about={shareWords(summary)}
        to="/denied"
        search={{ range }}
      >
        {denied !== undefined && <SparkLine values={denied.slice(0, -1)} />}
      </Figure>
      <Figure
        name={names[1]}
        value={count(summary.addresses)}
        why={gapWords(summary.addresses, summary)}
        trend={null}
        about={summary.addresses === null ? notCounted : `${count(summary.new_addresses)} for the first time`}
        to="/denied"
        search={{ range }}
      >
        {addresses !== undefined && <SparkLine values={addresses.slice(0, -1)} />}
      </Figure>
      <Figure
        name={names[2]}
        value={count(summary.entries)}
        trend={entries === undefined ? null : growthText(entries)}
        about={`${count(summary.expiring_24h)} expire within 24 h`}
        to="/blocked"
      >
        {entries !== undefined && <SparkLine values={entries} fromZero={false} />}
      </Figure>
      <Figure
        name={`Never matched, ${never.days} d`}
        value={words.value}
        trend={words.share}
        about={words.about}
        {...(words.share === null
          ? { to: '/sources' as const }
          : { to: '/blocked' as const, search: { not_hit_for: `${never.days}d` } })}
      >
        {words.share !== null && never.count !== null && <ShareBar share={never.count / summary.entries} />}
      </Figure>
      <Figure
        name={names[4]}
        value={count(summary.candidates)}
        trend="not blocked"
        about={summary.candidates === null ? notCounted : 'Loud clients, estimated'}
        to="/candidates"
      />
    </section>
  );
}
