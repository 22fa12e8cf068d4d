import { useBlocker } from '@tanstack/react-router';

/** While a dialog is open, Back calls `close` instead of leaving the page. */
export function useBackCloses(close: () => void): void {
  useBlocker({
    enableBeforeUnload: false,
    shouldBlockFn: ({ action }) => {
      if (action !== 'BACK') return false;
      close();
      return true;
    },
  });
}
