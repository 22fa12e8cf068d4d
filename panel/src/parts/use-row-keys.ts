// Keyboard navigation of a small list: arrows, Home and End move between rows, from a control to the same control of the
// next row; Enter runs the row's first control, Delete the removing one. Tab visits all controls as usual.
import { useCallback } from 'react';
import { focusRow, rowsOf } from './focus-row.ts';

const control = 'button:not(:disabled), a[href]';
const ownKeys = 'input, textarea, select, pre, [contenteditable="true"]';

/** Marks the control for Enter if it is not the row's first. */
export const opens = { 'data-opens': true } as const;
export const removes = { 'data-removes': true } as const;

/** For the element around the rows, each marked with `data-row`. */
export function useRowKeys(): (list: HTMLElement | null) => (() => void) | undefined {
  return useCallback((list) => (list === null ? undefined : listen(list)), []);
}

function listen(list: HTMLElement): () => void {
  /** The focused row, kept while a dialog is open and after the row is removed. */
  let place: { readonly row: HTMLElement; readonly index: number } | null = null;

  const settle = (): void => {
    const rows = rowsOf(list);
    const stop = rows.find((row) => row.tabIndex === 0) ?? rows[0];
    for (const row of rows) row.tabIndex = row === stop ? 0 : -1;
    // A removed row must not lose the focus.
    const nowhere = document.activeElement === null || document.activeElement === document.body;
    if (place === null || place.row.isConnected || !nowhere) return;
    const { index } = place;
    place = null;
    focusRow(list, index);
  };

  const onFocusIn = ({ target }: FocusEvent): void => {
    const row = rowAt(list, target);
    if (row === null) {
      // A dialog returns the focus to the row.
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
    if (row === null || event.defaultPrevented || target.closest(ownKeys) !== null) return;
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

function sameIn(row: HTMLElement, from: HTMLElement, target: HTMLElement): HTMLElement {
  const at = [...from.querySelectorAll<HTMLElement>(control)].findIndex((one) => one === target);
  return at < 0 ? row : (row.querySelectorAll<HTMLElement>(control)[at] ?? row);
}
