import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { isInsightLoading, isInsightOff, useSourceEffects } from '../../api/insight.ts';
import { useSources } from '../../api/sources.ts';
import type { Source, SourceEffect } from '../../api/types.ts';
import { ShareBar } from '../../charts/bars.tsx';
import { Age } from '../../parts/age.tsx';
import { count, percent, unknownFigure } from '../../parts/figures.ts';
import { ListTable } from '../../parts/list-table.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read, ReadProblem } from '../../parts/read.tsx';
import { type ColourOf, othersColour, useSourceColours } from '../../parts/source-colours.ts';
import { SourceName } from '../../parts/source-name.tsx';
import { kindWords } from '../../parts/source-words.ts';
import styles from '../../parts/styles.module.css';
import { UserText } from '../../parts/user-text.tsx';
import classes from './sources.module.css';

const days = 30;
const figures = ['Entries', 'Only here', `Matched, ${days} d`];
const columns = ['Name', 'Kind', 'Entries', 'Only here', `Matched, ${days} d`, `Of denied, ${days} d`, 'Newest claim'];

/** Who wants addresses blocked, and what each of them is worth. */
export default function SourcesPage() {
  const sources = useSources({ poll: true });
  const colourOf = useSourceColours();
  const effects = useSourceEffects(`${days}d`);
  const uncounted = isInsightOff(effects.error) || isInsightLoading(effects.error);
  const bySource = new Map(effects.data?.items.map((one) => [one.source, one]));
  return (
    <PageFrame
      title="Sources"
      about="Who wants addresses blocked. An address is blocked while at least one source claims it."
    >
      {!uncounted && <ReadProblem of={effects} failed="Could not load what the sources do" />}
      <Read of={sources} failed="Could not load the sources" loading="Loading the sources">
        {({ items }) => (
          <>
            <div className={styles.card}>
              <ListTable label="Sources" columns={columns} figures={figures} isCards buttons="Actions">
                {items.map((source) => (
                  <Row key={source.name} source={source} effect={bySource.get(source.name)} colourOf={colourOf} />
                ))}
              </ListTable>
              <Text size="xs" c="dimmed" mt="sm">
                {isInsightOff(effects.error)
                  ? 'Denied requests are not counted: the setting PROXY_MANAGER_INSIGHT is off.'
                  : `Matched: entries that denied a request. A request counts for the source whose claim its entry carries.${effects.data?.complete === false ? ` Not all of the last ${days} days was watched: it may be more.` : ''}`}
              </Text>
            </div>
            <Text size="sm" c="dimmed">
              An unblock drops the claims of operators and agents. Those of a list stay, because the next list would
              bring them back: to allow such an address, trust it.
            </Text>
          </>
        )}
      </Read>
    </PageFrame>
  );
}

interface RowProps {
  readonly source: Source;
  /** Undefined: not known. */
  readonly effect: SourceEffect | undefined;
  readonly colourOf: ColourOf;
}

function Row({ source: { name, kind, note, claims, alone, last_claimed_at: last }, effect, colourOf }: RowProps) {
  const share = effect?.share ?? null;
  return (
    <tr data-row>
      <td data-label="Name" data-card="name" data-long>
        <b>
          <SourceName name={name} colourOf={colourOf} />
        </b>
        {note !== null && (
          <Text size="xs" c="dimmed">
            <UserText text={note} />
          </Text>
        )}
      </td>
      <td data-label="Kind" data-card="about">
        {kindWords[kind]}
      </td>
      <td data-label="Entries" data-card="about" data-figure>
        {count(claims)}
      </td>
      <td data-label="Only here" data-card="about" data-figure>
        {count(alone)}
      </td>
      <td data-label={`Matched, ${days} d`} data-card="about" data-figure>
        <span>
          {count(effect?.matched_30d ?? null)}
          {effect !== undefined && claims > 0 && (
            <span className={classes.beside}> {percent(Math.min(1, effect.matched_30d / claims))}</span>
          )}
        </span>
      </td>
      <td data-label={`Of denied, ${days} d`} data-card="value">
        {share === null ? (
          unknownFigure
        ) : (
          <span className={classes.share}>
            <ShareBar share={share} colour={colourOf(name) ?? othersColour} />
            <span className={styles.figure}>{percent(share)}</span>
          </span>
        )}
      </td>
      <td data-label="Newest claim" data-card="when">
        {last === null ? unknownFigure : <Age time={last} />}
      </td>
      <td data-actions="below">
        {claims > 0 && (
          <span className={classes.links}>
            <Anchor
              size="sm"
              aria-label={`Show entries of ${name}`}
              renderRoot={(props) => <Link to="/blocked" search={{ source: name }} {...props} />}
            >
              Show entries
            </Anchor>
            {effect !== undefined && effect.matched_30d < claims && (
              <Anchor
                size="sm"
                aria-label={`Not matched, ${days} d: entries of ${name}`}
                renderRoot={(props) => (
                  <Link to="/blocked" search={{ source: name, not_hit_for: `${days}d` }} {...props} />
                )}
              >
                Not matched, {days} d
              </Anchor>
            )}
          </span>
        )}
      </td>
    </tr>
  );
}
