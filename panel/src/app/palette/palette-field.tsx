import { Kbd, UnstyledButton } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { SearchIcon } from '../../parts/icons.tsx';
import type { AddressAction } from './address-commands.ts';
import classes from './palette-field.module.css';

const load = () => import('./palette.tsx');
const Palette = lazy(load);
const AddressDialog = lazy(() => import('./address-dialog.tsx'));
/** Before it is needed, so that it opens at once, and while the service is unreachable. */
const preload = (): void => void load().catch(() => undefined);
const label = 'Search or run a command';

/** Opens the palette; so does Ctrl K, also while typing. */
export function PaletteField() {
  const [opened, setOpened] = useState(false);
  const [action, setAction] = useState<AddressAction | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      // Not over a dialog, which may hold what was typed.
      if (document.querySelector('[role="dialog"]') === null) setOpened(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const open = (): void => setOpened(true);
  useEffect(() => {
    const timer = setTimeout(preload, 4_000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <UnstyledButton className={classes.field ?? ''} title={label} onClick={open} onPointerEnter={preload}>
        <SearchIcon size={16} />
        <span className={classes.words}>{label}</span>
        <Kbd size="xs" aria-hidden="true">
          Ctrl K
        </Kbd>
      </UnstyledButton>
      {opened && (
        <Suspense>
          <Palette onClose={() => setOpened(false)} onAction={setAction} />
        </Suspense>
      )}
      {action !== null && !opened && (
        <Suspense>
          <AddressDialog action={action} onClose={() => setAction(null)} />
        </Suspense>
      )}
    </>
  );
}
