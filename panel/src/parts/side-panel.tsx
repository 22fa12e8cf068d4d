import { ActionIcon, Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { useEscape } from './use-escape.ts';
import { useFocusReturn } from './use-focus-return.ts';

interface SidePanelProps {
  readonly title: string;
  /** Its name for screen readers; default: the title. */
  readonly label?: string;
  /** The width of the window, in em, from which there is room beside the list. */
  readonly besideFrom: number;
  readonly classNames: {
    readonly beside: string;
    readonly head: string;
    readonly title: string;
    /** Of the content over the list. */
    readonly over?: string;
  };
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** What belongs to a row of a list: beside it where there is room, else over it. */
export function SidePanel({ besideFrom, ...props }: SidePanelProps) {
  const beside = useMediaQuery(`(min-width: ${besideFrom}em)`, true, { getInitialValueInEffect: false });
  return beside ? <Beside {...props} /> : <Over {...props} />;
}

function Beside({ title, label = title, classNames, onClose, children }: Omit<SidePanelProps, 'besideFrom'>) {
  const panel = useRef<HTMLDivElement>(null);
  useFocusReturn();
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  useEscape(onClose);
  return (
    <section ref={panel} role="dialog" aria-label={label} className={classNames.beside} tabIndex={-1}>
      <div className={classNames.head}>
        <h2 className={classNames.title}>{title}</h2>
        <ActionIcon variant="subtle" color="gray" aria-label="Close" title="Close ( Esc )" onClick={onClose}>
          ×
        </ActionIcon>
      </div>
      {children}
    </section>
  );
}

function Over({ title, classNames, onClose, children }: Omit<SidePanelProps, 'besideFrom'>) {
  useFocusReturn();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={title}
      size="md"
      classNames={{ title: classNames.title, body: classNames.over ?? '' }}
    >
      {children}
    </Drawer>
  );
}
