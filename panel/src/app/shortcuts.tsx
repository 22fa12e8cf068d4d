import { ActionIcon, Kbd, Modal } from '@mantine/core';
import { Fragment, useEffect, useState } from 'react';
import { QuestionIcon } from '../parts/icons.tsx';
import { useBackCloses } from '../parts/use-back-closes.ts';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { destinations, offeredOf } from './navigation.ts';
import classes from './shortcuts.module.css';
import { useOffered } from './use-offered.ts';
import { isTyping } from './use-page-keys.ts';

interface KeyGroup {
  readonly title: string;
  readonly keys: readonly { readonly names: readonly string[]; readonly what: string }[];
}

const fixedGroups: readonly KeyGroup[] = [
  {
    title: 'Anywhere',
    keys: [
      { names: ['Ctrl', 'K'], what: 'Go to a page, check or block an address' },
      { names: ['/'], what: 'Focus the search field' },
      { names: ['Esc'], what: 'Close a dialog or clear the search' },
      { names: ['?'], what: 'Show this list' },
    ],
  },
  {
    title: 'In a list',
    keys: [
      { names: ['↑', '↓', 'Home', 'End'], what: 'Move between rows' },
      { names: ['Enter'], what: 'Open the row or run its first button' },
      { names: ['Delete'], what: 'Remove the entry in this row' },
    ],
  },
  {
    title: 'In the blocked addresses',
    keys: [
      { names: ['j', 'k'], what: 'Move down and up' },
      { names: ['Page Up', 'Page Down'], what: 'Move by a page' },
      { names: ['Space', 'x'], what: 'Select; with Shift, the range from the last selected row' },
      { names: ['b'], what: 'Block an address' },
      { names: ['e'], what: 'Edit the entry, or all selected ones' },
      { names: ['u', 'Delete'], what: 'Unblock the entry, or all selected ones' },
    ],
  },
  {
    title: 'In the map',
    keys: [
      { names: ['↑', '↓', '←', '→'], what: 'Move between networks' },
      { names: ['Enter'], what: 'Open a network' },
      { names: ['Esc'], what: 'Go back' },
    ],
  },
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
  const pages = offeredOf(destinations, useOffered());
  const pageKeys = pages.flatMap(({ key, label }) =>
    key === undefined ? [] : [{ names: ['g', key], what: `Open ${label}` }],
  );
  const groups = [...fixedGroups, { title: 'Pages', keys: pageKeys }];
  useFocusReturn();
  useBackCloses(onClose);
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="xl">
      <div className={classes.groups}>
        {groups.map(({ title, keys }) => (
          <section key={title} aria-label={title} className={classes.group}>
            <h3 className={classes.title}>{title}</h3>
            <dl className={classes.keys}>
              {keys.map(({ names, what }) => (
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
          </section>
        ))}
      </div>
    </Modal>
  );
}
