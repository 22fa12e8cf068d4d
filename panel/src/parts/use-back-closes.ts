import { useBlocker } from '@tanstack/react-router';

/** For a dialog while it is open: Back closes it, or does nothing where `close` refuses, and the page stays. */
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
