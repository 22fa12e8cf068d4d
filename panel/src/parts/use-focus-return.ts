import { useEffect } from 'react';
import { focusRow, rowsOf } from './focus-row.ts';

/**
 * For a dialog that is there only while it is open, which Mantine's own return of the focus does not know: gives it back
 * to whoever opened it, or, where his row is gone, to the next one.
 */
export function useFocusReturn(): void {
  useEffect(() => {
    const opener = document.activeElement;
    if (!(opener instanceof HTMLElement) || opener === document.body) return;
    const list = opener.closest('[data-rows]');
    const index = list === null ? -1 : rowsOf(list).findIndex((row) => row.contains(opener));
    return () => {
      if (opener.isConnected) opener.focus({ preventScroll: true });
      else if (list?.isConnected) focusRow(list, index);
      else document.getElementById('main')?.focus();
    };
  }, []);
}
