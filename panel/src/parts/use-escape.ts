import { useEffect, useRef } from 'react';

/** Not from a field, a menu or a dialog over the page, which Escape closes first. */
export function useEscape(onClose: () => void): void {
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      const inside = 'input:not([type="checkbox"]), textarea, select, [role="menu"], [aria-modal="true"]';
      if (event.target instanceof Element && event.target.closest(inside) !== null) return;
      close.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
