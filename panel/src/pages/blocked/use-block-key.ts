import { useEffect, useRef } from 'react';
import { isTyping } from '../../app/use-page-keys.ts';

/** `b` opens the dialog for a block. */
export function useBlockKey(allowed: boolean, open: () => void): void {
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    if (!allowed) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'b' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // A field that the dialog focuses would get the letter.
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [allowed]);
}
