// Plain elements: fast scrolling renders hundreds of rows per second, and Mantine's components cost ten times as much.
import { memo } from 'react';
import type { EntryHits, ListedIp } from '../../../api/types.ts';
import { SparkBars } from '../../../charts/bars.tsx';
import { Age, End } from '../../../parts/age.tsx';
import { UnblockIcon } from '../../../parts/icons.tsx';
import type { ColourOf } from '../../../parts/source-colours.ts';
import { SourceName } from '../../../parts/source-name.tsx';
import { claimsOf, sourceNames } from '../../../parts/source-words.ts';
import styles from '../../../parts/styles.module.css';
import { momentTitle } from '../../../parts/times.ts';
import { visibleText } from '../../../parts/visible-text.ts';
import { matchIn } from '../search.ts';
import classes from './entry-list.module.css';
import { deniedCell, noHitCell } from './hit-words.ts';

export interface RowActions {
  readonly activate: (index: number) => void;
  /** `extend`: from the last selected row. */
  readonly select: (index: number, extend: boolean) => void;
  readonly open: (entry: ListedIp) => void;
  readonly unblock: (entry: ListedIp) => void;
}

/** Characters of an address that fit the narrowest column. A longer one has two lines. */
const oneLine = 18;

interface EntryRowProps {
  readonly id: string;
  readonly index: number;
  /** Undefined: not loaded yet. */
  readonly entry: ListedIp | undefined;
  readonly top: number;
  readonly height: number;
  readonly active: boolean;
  /** Its story is open beside the list. */
  readonly opened: boolean;
  readonly selected: boolean;
  /** Of each of the last 24 hours; null: not known; undefined: not loaded. The same object until it changes. */
  readonly spark: readonly number[] | null | undefined;
  readonly found: string;
  readonly selectable: boolean;
  readonly unblockable: boolean;
  readonly colourOf: ColourOf;
  /** The same object in every render, so that unchanged rows are not rendered again. */
  readonly actions: RowActions;
}

export const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { id, index, entry, top, height, active, opened, selected, found, spark, selectable, unblockable } = props;
  const { colourOf, actions } = props;
  if (entry === undefined) {
    return (
      <div
        id={id}
        className={classes.row}
        role="row"
        aria-rowindex={index + 2}
        aria-busy="true"
        style={{ top, height }}
      >
        <span role="gridcell" className={classes.waiting} aria-label="Loading" />
      </div>
    );
  }
  const ip = entry.ip_address;
  const claims = claimsOf(entry);
  const denied = deniedCell(entry.hits);
  return (
    <div
      id={id}
      className={classes.row}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-active={active}
      data-opened={opened}
      style={{ top, height }}
      onClick={() => {
        actions.activate(index);
        actions.open(entry);
      }}
    >
      <span role="gridcell" className={classes.select}>
        {selectable && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${ip}`}
            checked={selected}
            onClick={(event) => {
              event.stopPropagation();
              actions.activate(index);
              actions.select(index, event.shiftKey);
            }}
            onChange={() => undefined}
          />
        )}
      </span>
      <span
        role="gridcell"
        className={`${classes.address} ${styles.mono}`}
        data-column="address"
        data-long={ip.length > oneLine}
        title={ip}
      >
        {ip}
      </span>
      <span role="gridcell" className={classes.reason} title={visibleText(entry.reason ?? '')}>
        {entry.reason === null ? <span className={classes.none}>—</span> : <Marked text={entry.reason} part={found} />}
        {entry.expires_at !== null && (
          <span className={classes.ends}>
            {' · '}
            <End time={entry.expires_at} />
          </span>
        )}
      </span>
      <span role="gridcell" className={classes.author} title={visibleText(entry.blocked_by ?? '')}>
        {entry.blocked_by === null ? '—' : <Marked text={entry.blocked_by} part={found} />}
      </span>
      <span role="gridcell" className={classes.source} title={sourceNames(claims)}>
        <span className={classes.chip}>
          <span className={classes.chipName}>
            <SourceName name={claims[0]?.source ?? ''} colourOf={colourOf} />
          </span>
          {claims.length > 1 && <span>+{claims.length - 1}</span>}
        </span>
      </span>
      <span role="gridcell" className={`${classes.denied} ${styles.figure}`} {...titleOf(denied)}>
        {denied.text}
      </span>
      <span role="gridcell" className={classes.spark}>
        {spark != null && <SparkBars values={spark} />}
      </span>
      <LastHit hits={entry.hits} />
      <span role="gridcell" className={classes.since} title={momentTitle(entry.blocked_at)}>
        <Age time={entry.blocked_at} />
      </span>
      <span role="gridcell" className={classes.expires} data-permanent={entry.expires_at === null}>
        {entry.expires_at === null ? 'Never' : <End time={entry.expires_at} />}
      </span>
      <span role="gridcell" className={classes.unblock}>
        {unblockable && (
          <button
            type="button"
            className={classes.button}
            tabIndex={-1}
            aria-label={`Unblock ${ip}`}
            title="Unblock"
            onClick={(event) => {
              event.stopPropagation();
              actions.unblock(entry);
            }}
          >
            <UnblockIcon size={16} />
          </button>
        )}
      </span>
    </div>
  );
});

function titleOf({ why }: ReturnType<typeof deniedCell>) {
  return why === undefined ? {} : { title: why };
}

function Marked({ text, part }: { readonly text: string; readonly part: string }) {
  const match = matchIn(part, text);
  if (match === null) return <bdi>{visibleText(text)}</bdi>;
  return (
    <bdi>
      {visibleText(text.slice(0, match.from))}
      <mark>{visibleText(text.slice(match.from, match.to))}</mark>
      {visibleText(text.slice(match.to))}
    </bdi>
  );
}

function LastHit({ hits }: { readonly hits: EntryHits | null }) {
  const time = hits?.last_hit ?? null;
  const none = noHitCell(hits);
  return (
    <span role="gridcell" className={classes.lastHit} {...(time === null ? titleOf(none) : {})}>
      {time === null ? none.text : <Age time={time} />}
    </span>
  );
}
