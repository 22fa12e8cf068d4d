// `?` anywhere shows which keys there are.
import { ActionIcon, Kbd, Modal } from '@mantine/core';
import { Fragment, useEffect, useState } from 'react';
import { QuestionIcon } from '../parts/icons.tsx';
import { useBackCloses } from '../parts/use-back-closes.ts';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import classes from './keys-help.module.css';

const keys: readonly { readonly names: readonly string[]; readonly what: string }[] = [
  { names: ['/'], what: 'Go to the search' },
  { names: ['Esc'], what: 'Close a dialog, or empty the search' },
  { names: ['↑', '↓', 'Home', 'End'], what: 'Go through the rows of a list' },
  { names: ['Page Up', 'Page Down'], what: 'A screenful further, in the blocked addresses' },
  { names: ['Enter'], what: 'Open the row, or do what its first button does' },
  { names: ['Delete'], what: 'Remove what the row shows' },
  { names: ['Space'], what: 'Select a blocked address; with Shift all from the last one' },
  { names: ['?'], what: 'This list' },
];

export function KeysHelp() {
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement | null;
      if (target?.closest('input, textarea, select, [contenteditable="true"], [role="dialog"]') != null) return;
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
        aria-label="Keys of the keyboard"
        title="Keys of the keyboard ( ? )"
        onClick={() => setOpened(true)}
      >
        <QuestionIcon />
      </ActionIcon>
      {opened && <KeysDialog onClose={() => setOpened(false)} />}
    </>
  );
}

function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  useFocusReturn();
  useBackCloses(onClose);
  return (
    <Modal opened onClose={onClose} title="Keys of the keyboard">
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
    </Modal>
  );
}
