import { useEffect } from 'react';
import { focusRow, rowsOf } from './focus-row.ts';

/**
 * Returns the focus of a dialog to the element that opened it or, if its row is gone, to the next row. Mantine does this
 * only for dialogs that stay mounted.
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
