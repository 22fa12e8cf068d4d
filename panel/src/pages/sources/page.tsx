import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { counted } from '../../../../src/domain/counted.ts';
import { isInsightLoading, isInsightOff, useNeverMatched, useSourceEffects } from '../../api/insight.ts';
import { useSources } from '../../api/sources.ts';
import type { Source, SourceEffect, SourceEffects } from '../../api/types.ts';
import { ShareBar } from '../../charts/bars.tsx';
import { Age, useServiceNow } from '../../parts/age.tsx';
import { count, percent, unknownFigure, withUnit } from '../../parts/figures.ts';
import { ListTable } from '../../parts/list-table.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read, ReadProblem } from '../../parts/read.tsx';
import { type ColourOf, othersColour, useSourceColours } from '../../parts/source-colours.ts';
import { SourceName } from '../../parts/source-name.tsx';
import { kindWords } from '../../parts/source-words.ts';
import styles from '../../parts/styles.module.css';
import { dayText } from '../../parts/times.ts';
import { UserText } from '../../parts/user-text.tsx';
import classes from './sources.module.css';

const days = 30;
const dayMs = 86_400_000;
const span = withUnit(days, 'd');
const matchedColumn = `Matched, ${span}`;
const shareColumn = `Share of denied, ${span}`;
const figures = ['Entries', 'Only here', matchedColumn, shareColumn];
const columns = ['Name', 'Kind', 'Entries', 'Only here', matchedColumn, shareColumn, 'Newest claim'];

/** Where blocked entries come from, and what each source is worth. */
export default function SourcesPage() {
  const sources = useSources({ poll: true });
  const colourOf = useSourceColours();
  const effects = useSourceEffects(`${days}d`);
  const uncounted = isInsightOff(effects.error) || isInsightLoading(effects.error);
  const watched = useNeverMatched(!uncounted).data?.watched_days;
  const now = useServiceNow(60_000);
  const bySource = new Map(effects.data?.items.map((one) => [one.source, one]));
  return (
    <PageFrame
      title="Sources"
      about="Where blocked entries come from. An address is blocked while at least one source claims it."
    >
      {!uncounted && <ReadProblem of={effects} failed="Could not load the figures of the sources" />}
      <Read of={sources} failed="Could not load the sources" loading="Loading the sources">
        {({ items }) => (
          <>
            <div className={styles.card}>
              <ListTable label="Sources" columns={columns} figures={figures} isCards buttons="Actions">
                {items.map((source) => (
                  <Row
                    key={source.name}
                    source={source}
                    effect={bySource.get(source.name)}
                    listsNeverMatched={watched !== undefined && watched >= days}
                    colourOf={colourOf}
                  />
                ))}
              </ListTable>
              <Text size="xs" c="dimmed" mt="sm">
                {isInsightOff(effects.error)
                  ? 'Denied requests are not counted: the setting PROXY_MANAGER_INSIGHT is off.'
                  : footnote(effects.data, watched, now)}
              </Text>
            </div>
            <Text size="sm" c="dimmed">
              Unblocking an address drops the claims of operators and agents. A list keeps its claims, because its next
              version would add them again. To allow an address that a list claims, trust it.
            </Text>
          </>
        )}
      </Read>
    </PageFrame>
  );
}

/** What the columns count, and which part of it is not known. @param watched days; undefined: not known yet @param now milliseconds */
function footnote(effects: SourceEffects | undefined, watched: number | undefined, now: number): string {
  const shares = effects?.items.flatMap(({ share }) => (share === null ? [] : [share])) ?? [];
  const rest = 1 - shares.reduce((all, share) => all + share, 0);
  return [
    'Only here: entries that no other source claims. Matched: entries that denied at least one request. If several sources claim an entry, it counts for the one whose claim expires last.',
    ...(shares.length > 0 && rest >= 0.001
      ? [`Share: of all denied requests; ${percent(rest)} of them belong to no source.`]
      : []),
    ...(effects?.complete === false ? [`A part of the last ${days} days was not watched: there may be more.`] : []),
    ...(watched === undefined || watched >= days ? [] : [neverMatchedFrom(watched, now)]),
  ].join(' ');
}

/** Why the entries that never matched are not listed, and from when. */
function neverMatchedFrom(watched: number, now: number): string {
  const from = new Date(now + (days - watched) * dayMs);
  return `Entries that never matched can be listed after ${days} watched days without larger gaps, on ${dayText(from)} ${from.getFullYear()} at the earliest. ${counted(watched, 'day')} ${watched === 1 ? 'has' : 'have'} passed.`;
}

interface RowProps {
  readonly source: Source;
  /** Undefined: not known. */
  readonly effect: SourceEffect | undefined;
  readonly listsNeverMatched: boolean;
  readonly colourOf: ColourOf;
}

function Row({
  source: { name, kind, note, claims, alone, last_claimed_at: last },
  effect,
  listsNeverMatched,
  colourOf,
}: RowProps) {
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
      <td data-label={matchedColumn} data-card="about" data-figure>
        <span>
          {count(effect?.matched_30d ?? null)}
          {effect !== undefined && claims > 0 && (
            <span className={classes.beside}> ({percent(Math.min(1, effect.matched_30d / claims))})</span>
          )}
        </span>
      </td>
      <td data-label={shareColumn} data-card="value" data-figure>
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
            {listsNeverMatched && effect !== undefined && effect.matched_30d < claims && (
              <Anchor
                size="sm"
                aria-label={`Never matched, ${span}: entries of ${name}`}
                renderRoot={(props) => (
                  <Link to="/blocked" search={{ source: name, not_hit_for: `${days}d` }} {...props} />
                )}
              >
                Never matched, {span}
              </Anchor>
            )}
          </span>
        )}
      </td>
    </tr>
  );
}
