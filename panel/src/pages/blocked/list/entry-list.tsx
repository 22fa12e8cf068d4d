// The list, which renders only the visible rows. One tab stop; arrows, Page Up and Down, Home and End move, Space
// selects, Enter opens, Delete unblocks; so do j and k, x and u; e edits.
import { VisuallyHidden } from '@mantine/core';
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { BlockedQuery } from '../../../api/blocked-ips.ts';
import type { ListedIp } from '../../../api/types.ts';
import { useSourceColours } from '../../../parts/source-colours.ts';
import styles from '../../../parts/styles.module.css';
import { ColumnHeader, type ListSort } from './column-header.tsx';
import classes from './entry-list.module.css';
import { EntryRow, type RowActions } from './entry-row.tsx';
import { columnNames } from './order-menu.tsx';
import type { PageCache } from './page-cache.ts';
import {
  positionShowing,
  positionWithin,
  type ScrollWindow,
  scrolled,
  scrolledHeight,
  settledTop,
  visibleRows,
} from './scroll-window.ts';
import { usePageCacheState } from './use-page-cache.ts';
import { useSparks } from './use-sparks.ts';

const settleMs = 160;

interface EntryListProps {
  readonly cache: PageCache<ListedIp>;
  /** Of the list in the cache. */
  readonly query: BlockedQuery;
  readonly selected: ReadonlySet<string> | 'all';
  /** The address of the entry whose story is open; empty: none. */
  readonly opened: string;
  readonly sort: ListSort;
  /** Null: the key may not change entries. */
  readonly onSelect: ((entry: ListedIp, range: readonly ListedIp[] | null) => void) | null;
  readonly onOpen: (entry: ListedIp) => void;
  readonly onUnblock: ((entry: ListedIp) => void) | null;
  readonly onUnblockSelected: (() => void) | null;
  /** Of the row, or of all selected ones if it is one of them. */
  readonly onEdit: ((entry: ListedIp) => void) | null;
}

export function EntryList(props: EntryListProps) {
  const { cache, query, selected, opened, sort, onSelect, onOpen, onUnblock, onUnblockSelected, onEdit } = props;
  const state = usePageCacheState(cache);
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const touched = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false });
  const { ref: sized, height: viewport } = useElementSize();
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [active, setActive] = useState(0);
  const [anchor, setAnchor] = useState<number | null>(null);
  const [view, setView] = useState<ScrollWindow>({ position: 0, scrollTop: 0 });
  const rowHeight = narrow ? 56 : touched ? 44 : 32;
  const isSelected = (ip: string | undefined): boolean => selected === 'all' || (ip !== undefined && selected.has(ip));
  const rows = state.total ?? 0;
  const shape = { rows, rowHeight, viewport: Math.max(viewport, rowHeight) };
  const position = positionWithin(view.position, shape);
  const { first, last } = visibleRows(position, shape);
  const colourOf = useSourceColours();
  const sparks = useSparks(query, { first, last, shown: !narrow && rows > 0 });

  useEffect(() => {
    if (rows > 0) cache.show(first, last);
  }, [cache, first, last, rows]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another cache only.
  useLayoutEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setView({ position: 0, scrollTop: 0 });
    setActive(0);
    setAnchor(null);
  }, [cache]);

  // In a list too tall for an exact scroll bar, the bar is corrected after the last scroll.
  const exactTop = settledTop(position, shape);
  useEffect(() => {
    if (Math.abs(exactTop - view.scrollTop) < 2) return;
    const timer = setTimeout(() => {
      setView({ position, scrollTop: exactTop });
      scroller.current?.scrollTo({ top: exactTop });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [position, exactTop, view.scrollTop]);

  const show = (index: number): void => {
    const next = Math.min(Math.max(0, index), rows - 1);
    setActive(next);
    const shown = positionShowing(next, position, shape);
    if (shown === position) return;
    const scrollTop = settledTop(shown, shape);
    setView({ position: shown, scrollTop });
    scroller.current?.scrollTo({ top: scrollTop });
  };

  const select = (index: number, extend: boolean): void => {
    const entry = cache.row(index);
    if (entry === undefined || onSelect === null) return;
    const range = extend && anchor !== null ? rowsBetween(cache, anchor, index) : null;
    setAnchor(index);
    onSelect(entry, range);
  };

  const latest = useRef({ select, onOpen, onUnblock });
  useLayoutEffect(() => {
    latest.current = { select, onOpen, onUnblock };
  });
  const [actions] = useState<RowActions>(() => ({
    activate: setActive,
    select: (index, extend) => latest.current.select(index, extend),
    open: (entry) => latest.current.onOpen(entry),
    unblock: (entry) => latest.current.onUnblock?.(entry),
  }));

  const onKeyDown = (event: KeyboardEvent): void => {
    // The buttons of the header have their own keys.
    if ((event.target as Element).closest('[role="columnheader"]') !== null) return;
    const page = Math.max(1, Math.floor(shape.viewport / rowHeight) - 1);
    const to = {
      ArrowDown: active + 1,
      j: active + 1,
      ArrowUp: active - 1,
      k: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows - 1,
    }[event.key];
    const entry = cache.row(active);
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (to !== undefined) show(to);
    else if (event.key === ' ' || event.key === 'x') select(active, event.shiftKey);
    else if (event.key === 'Enter' && entry !== undefined) onOpen(entry);
    // All that the filters select are only unblocked together.
    else if (event.key === 'e' && entry !== undefined && selected !== 'all') onEdit?.(entry);
    else if ((event.key === 'Delete' || event.key === 'u') && entry !== undefined)
      isSelected(entry.ip_address) ? onUnblockSelected?.() : onUnblock?.(entry);
    else return;
    event.preventDefault();
  };

  const rendered = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
  return (
    <div className={`${classes.list} ${styles.card}`} ref={sized} data-narrow={narrow}>
      <div
        ref={scroller}
        className={classes.scroll}
        role="grid"
        aria-label="Blocked addresses"
        aria-rowcount={rows + 1}
        aria-colcount={11}
        aria-multiselectable={onSelect !== null}
        aria-activedescendant={rows > 0 ? `${id}-${active}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={(event) => {
          const { scrollTop } = event.currentTarget;
          setView((from) => scrolled(from, scrollTop, shape));
        }}
      >
        <div className={classes.head} role="row" aria-rowindex={1}>
          <span role="columnheader">
            <VisuallyHidden>Selected</VisuallyHidden>
          </span>
          <ColumnHeader name="address" sort={sort}>
            {columnNames.address}
          </ColumnHeader>
          <span role="columnheader">Reason</span>
          <span role="columnheader" className={classes.author}>
            Blocked by
          </span>
          <span role="columnheader" className={classes.source}>
            Source
          </span>
          <ColumnHeader name="hits" sort={sort} className={classes.denied}>
            {columnNames.hits}
          </ColumnHeader>
          <span role="columnheader" className={classes.spark}>
            <VisuallyHidden>Denied by hour</VisuallyHidden>
          </span>
          <ColumnHeader name="last_hit" sort={sort} className={classes.lastHit}>
            {columnNames.last_hit}
          </ColumnHeader>
          <ColumnHeader name="blocked_at" sort={sort} className={classes.since}>
            {columnNames.blocked_at}
          </ColumnHeader>
          <ColumnHeader name="expires_at" sort={sort} className={classes.expires}>
            {columnNames.expires_at}
          </ColumnHeader>
          <span role="columnheader">
            <VisuallyHidden>Unblock</VisuallyHidden>
          </span>
        </div>
        <div role="rowgroup" className={classes.rows} style={{ height: scrolledHeight(shape) }}>
          {rendered.map((index) => (
            <EntryRow
              key={index}
              id={`${id}-${index}`}
              index={index}
              entry={cache.row(index)}
              top={view.scrollTop + index * rowHeight - position}
              height={rowHeight}
              active={index === active}
              found={query.text}
              // Of a text search they come with the rows.
              spark={sparks.get(cache.row(index)?.ip_address ?? '') ?? cache.row(index)?.hits?.spark}
              selected={isSelected(cache.row(index)?.ip_address)}
              opened={opened !== '' && cache.row(index)?.ip_address === opened}
              selectable={onSelect !== null}
              unblockable={onUnblock !== null}
              colourOf={colourOf}
              actions={actions}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Only loaded rows. */
function rowsBetween(cache: PageCache<ListedIp>, from: number, to: number): ListedIp[] {
  const entries: ListedIp[] = [];
  for (let index = Math.min(from, to); index <= Math.max(from, to); index += 1) {
    const entry = cache.row(index);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}
