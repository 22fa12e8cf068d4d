import { ActionIcon, Kbd, Modal } from '@mantine/core';
import { Fragment, useEffect, useState } from 'react';
import { QuestionIcon } from '../parts/icons.tsx';
import { useBackCloses } from '../parts/use-back-closes.ts';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { destinations, offeredOf } from './navigation.ts';
import classes from './shortcuts.module.css';
import { useOffered } from './use-offered.ts';
import { isTyping } from './use-page-keys.ts';

const fixedKeys: readonly { readonly names: readonly string[]; readonly what: string }[] = [
  { names: ['Ctrl', 'K'], what: 'Go to a page, check or block an address' },
  { names: ['/'], what: 'Focus the search field' },
  { names: ['Esc'], what: 'Close a dialog or clear the search' },
  { names: ['↑', '↓', 'Home', 'End'], what: 'Move between the rows of a list' },
  { names: ['Page Up', 'Page Down'], what: 'Move by a page in the list of blocked addresses' },
  { names: ['Enter'], what: 'Open the row or run its first button' },
  { names: ['Delete'], what: 'Remove the entry in this row' },
  { names: ['Space'], what: 'Select a blocked address; with Shift, select the range from the last selected one' },
  {
    names: ['j', 'k', 'x', 'e', 'u'],
    what: 'In the list of blocked addresses: move down and up, select, edit, remove',
  },
  { names: ['b'], what: 'Block an address, from the list of blocked addresses' },
  { names: ['?'], what: 'Show this list' },
];

export function Shortcuts() {
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return;
      event.preventDefault();
      setOpened(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <ActionIcon
        variant="default"
        size="lg"
        visibleFrom="sm"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts ( ? )"
        onClick={() => setOpened(true)}
      >
        <QuestionIcon size={16} />
      </ActionIcon>
      {opened && <ShortcutsDialog onClose={() => setOpened(false)} />}
    </>
  );
}

function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const pageKeys = offeredOf(destinations, useOffered()).flatMap(({ key, label }) =>
    key === undefined ? [] : [{ names: ['g', key], what: `Open ${label}` }],
  );
  useFocusReturn();
  useBackCloses(onClose);
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <dl className={classes.keys}>
        {[...fixedKeys, ...pageKeys].map(({ names, what }) => (
          <Fragment key={what}>
            <dt>
              {names.map((name) => (
                <Kbd key={name}>{name}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  );
}
