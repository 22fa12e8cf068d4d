import { useSeries } from '../../../api/insight.ts';
import type { InsightSummary } from '../../../api/types.ts';
import { ShareBar, SparkLine } from '../../../charts/bars.tsx';
import { type RangeName, rangeText } from '../../../charts/times.ts';
import { useServiceNow } from '../../../parts/age.tsx';
import { changeText, count } from '../../../parts/figures.ts';
import styles from '../../../parts/styles.module.css';
import { Figure } from './figure.tsx';
import { growthText, isComparable, neverMatchedWords, shareWords } from './figure-words.ts';
import classes from './figures.module.css';

interface FiguresProps {
  readonly summary: InsightSummary;
  readonly range: RangeName;
}

/** Each with its unit, its trend, and a link to the details. */
export function Figures({ summary, range }: FiguresProps) {
  const denied = useSeries('denied', 'none', range).data?.values[0];
  const entries = useSeries('entries', 'none', range).data?.values[0];
  const now = useServiceNow(60_000);
  const { previous, never_matched: never } = summary;
  const words = neverMatchedWords(never, summary.entries);
  return (
    <section
      className={`${styles.card} ${classes.figures}`}
      aria-label={`Figures of the last ${rangeText(summary.range_seconds)}`}
    >
      <Figure
        name="Denied requests"
        value={count(summary.denied)}
        trend={isComparable(summary, now) ? changeText(summary.denied, previous.denied) : null}
        about={shareWords(summary)}
        to="/denied"
        search={{ range }}
      >
        {denied !== undefined && <SparkLine values={denied.slice(0, -1)} />}
      </Figure>
      <Figure
        name="Denied addresses"
        value={count(summary.addresses)}
        trend={null}
        about={`${count(summary.new_addresses)} for the first time`}
        to="/denied"
        search={{ range }}
      />
      <Figure
        name="Blocked entries"
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
        to="/sources"
      >
        {never.count !== null && summary.entries > 0 && <ShareBar share={never.count / summary.entries} />}
      </Figure>
      <Figure
        name="Candidates"
        value={count(summary.candidates)}
        trend="not blocked"
        about="Loud clients, estimated"
        to="/candidates"
      />
    </section>
  );
}
