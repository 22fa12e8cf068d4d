import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSourceEffects } from '../../../api/insight.ts';
import type { InsightSummary } from '../../../api/types.ts';
import { ShareBar } from '../../../charts/bars.tsx';
import type { RangeName } from '../../../charts/times.ts';
import { count, percent } from '../../../parts/figures.ts';
import { ReadProblem } from '../../../parts/read.tsx';
import classes from '../../../parts/small-table.module.css';
import { SmallTable } from '../../../parts/small-table.tsx';
import { colourBySource, othersColour } from '../../../parts/source-colours.ts';
import { SourceName } from '../../../parts/source-name.tsx';
import styles from '../../../parts/styles.module.css';

const shown = 6;
const columns = [
  { name: 'Source' },
  { name: 'Entries', figure: true },
  { name: 'Picture', hidden: true },
  { name: 'Share of denied', figure: true },
];

interface SourceEffectsProps {
  readonly range: RangeName;
  /** Undefined: not loaded yet. */
  readonly summary: InsightSummary | undefined;
}

export function SourceEffects({ range, summary }: SourceEffectsProps) {
  const effects = useSourceEffects(range);
  const all = effects.data?.items ?? [];
  const colourOf = colourBySource(all.filter(({ entries }) => entries > 0).map(({ source }) => source));
  const items = all.toSorted((a, b) => b.denied - a.denied || b.entries - a.entries);
  const { denied = null, not_attributed: unknown = null } = summary ?? {};
  const share = denied === null || unknown === null || denied === 0 ? null : unknown / denied;
  return (
    <div className={styles.grow}>
      <ReadProblem of={effects} failed="Could not load the figures of the sources" />
      <SmallTable
        title="What each source does"
        id="sources"
        link={{ words: 'Sources', to: '/sources' }}
        columns={columns}
        rows={items.slice(0, shown).map((one) => (
          <tr key={one.source} data-row>
            <td className={classes.long} title={one.source}>
              <Anchor inherit renderRoot={(props) => <Link to="/blocked" search={{ source: one.source }} {...props} />}>
                <SourceName name={one.source} colourOf={colourOf} />
              </Anchor>
            </td>
            <td data-figure="true">{count(one.entries)}</td>
            <td className={classes.bar}>
              {one.share !== null && <ShareBar share={one.share} colour={colourOf(one.source) ?? othersColour} />}
            </td>
            <td data-figure="true">{percent(one.share)}</td>
          </tr>
        ))}
        empty={effects.data === undefined ? 'Being counted.' : 'No source claims an address.'}
        {...(share === null || share === 0
          ? {}
          : { note: `${percent(share)} of denied requests are not attributed to an entry.` })}
      />
    </div>
  );
}
