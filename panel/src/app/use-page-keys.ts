import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { destinations, offeredOf } from './navigation.ts';
import { useOffered } from './use-offered.ts';

/** Between `g` and the key of a page; milliseconds. */
const secondKeyMs = 1_500;

/** `g` and the key of a page open it. */
export function usePageKeys(): void {
  const navigate = useNavigate();
  const { admin, attached } = useOffered();
  useEffect(() => {
    let pressedAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === 'g') {
        pressedAt = event.timeStamp;
        return;
      }
      const page = offeredOf(destinations, { admin, attached }).find(({ key }) => key === event.key);
      const follows = event.timeStamp - pressedAt < secondKeyMs;
      pressedAt = Number.NEGATIVE_INFINITY;
      if (page === undefined || !follows) return;
      // Such as a list, for which the key is another command.
      event.preventDefault();
      event.stopPropagation();
      void navigate({ to: page.path, search: {} });
    };
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, [navigate, admin, attached]);
}

/** In a field, or in a dialog over the page. */
export function isTyping(target: EventTarget | null): boolean {
  const inside = 'input, textarea, select, [contenteditable="true"], [role="dialog"]';
  return target instanceof Element && target.closest(inside) !== null;
}
