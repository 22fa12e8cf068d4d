// Keys for a small list: arrows, Home and End go from row to row, from one control to the same one of the next row; Enter
// does what the row's first control does, Delete what the one that removes does. Tab goes through all controls as ever.
import { useCallback } from 'react';
import { focusRow, rowsOf } from './focus-row.ts';

const control = 'button:not(:disabled), a[href]';
/** There these keys are somebody else's. */
const elsewhere = 'input, textarea, select, pre, [contenteditable="true"]';

/** What the control that Enter means is marked with, where it is not the row's first. */
export const opens = { 'data-opens': true } as const;
/** What a control that removes its row is marked with. */
export const removes = { 'data-removes': true } as const;

/** For the element around the rows, each marked with `data-row`. */
export function useRowKeys(): (list: HTMLElement | null) => (() => void) | undefined {
  return useCallback((list) => (list === null ? undefined : listen(list)), []);
}

function listen(list: HTMLElement): () => void {
  /** Where somebody is, or was until a dialog opened or the row went. */
  let place: { readonly row: HTMLElement; readonly index: number } | null = null;

  const settle = (): void => {
    const rows = rowsOf(list);
    const stop = rows.find((row) => row.tabIndex === 0) ?? rows[0];
    for (const row of rows) row.tabIndex = row === stop ? 0 : -1;
    // Nobody loses his place to a row that went from under him.
    const nowhere = document.activeElement === null || document.activeElement === document.body;
    if (place === null || place.row.isConnected || !nowhere) return;
    const { index } = place;
    place = null;
    focusRow(list, index);
  };

  const onFocusIn = ({ target }: FocusEvent): void => {
    const row = rowAt(list, target);
    if (row === null) {
      // A dialog comes back here.
      if (!(target as Element).closest('[role="dialog"]')) place = null;
      return;
    }
    const rows = rowsOf(list);
    for (const other of rows) other.tabIndex = other === row ? 0 : -1;
    place = { row, index: rows.indexOf(row) };
  };
  const onPointerDown = ({ target }: PointerEvent): void => {
    if (rowAt(list, target) === null) place = null;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rowAt(list, event.target);
    const target = event.target as HTMLElement;
    if (row === null || event.defaultPrevented || target.closest(elsewhere) !== null) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const rows = rowsOf(list);
    const at = rows.indexOf(row);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) {
      const next = rows[Math.min(Math.max(0, to), rows.length - 1)];
      if (next !== undefined) sameIn(next, row, target).focus();
    } else if (event.key === 'Enter' && target === row) {
      (row.querySelector<HTMLElement>('[data-opens]') ?? row.querySelector<HTMLElement>(control))?.click();
    } else if (event.key === 'Delete') row.querySelector<HTMLElement>('[data-removes]:not(:disabled)')?.click();
    else return;
    event.preventDefault();
  };

  const watcher = new MutationObserver(settle);
  watcher.observe(list, { childList: true, subtree: true });
  list.addEventListener('keydown', onKeyDown);
  document.addEventListener('focusin', onFocusIn);
  document.addEventListener('pointerdown', onPointerDown);
  settle();
  return () => {
    watcher.disconnect();
    list.removeEventListener('keydown', onKeyDown);
    document.removeEventListener('focusin', onFocusIn);
    document.removeEventListener('pointerdown', onPointerDown);
  };
}

function rowAt(list: HTMLElement, target: EventTarget | null): HTMLElement | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return row !== null && list.contains(row) ? row : null;
}

/** The control of `row` that stands where `target` stands in `from`; the row itself where there is none. */
function sameIn(row: HTMLElement, from: HTMLElement, target: HTMLElement): HTMLElement {
  const at = [...from.querySelectorAll<HTMLElement>(control)].findIndex((one) => one === target);
  return at < 0 ? row : (row.querySelectorAll<HTMLElement>(control)[at] ?? row);
}
