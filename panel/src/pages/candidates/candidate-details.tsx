import { ActionIcon, Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import styles from '../../parts/styles.module.css';
import { useEscape } from '../../parts/use-escape.ts';
import { useFocusReturn } from '../../parts/use-focus-return.ts';
import { CandidatePanel, type CandidatePanelProps } from './candidate-panel.tsx';
import classes from './candidates.module.css';

/** Beside the list where there is room, else over it: nothing is behind a long list. */
export function CandidateDetails(props: CandidatePanelProps) {
  const beside = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  return beside ? <Beside {...props} /> : <Over {...props} />;
}

function Beside(props: CandidatePanelProps) {
  const { candidate, onClose } = props;
  const panel = useRef<HTMLDivElement>(null);
  useFocusReturn();
  useEscape(onClose);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <section
      ref={panel}
      role="dialog"
      aria-label={`Candidate ${candidate.ip_address}`}
      tabIndex={-1}
      className={`${styles.card} ${classes.details}`}
    >
      <div className={classes.head}>
        <h2 className={`${classes.title} ${styles.mono}`}>{candidate.ip_address}</h2>
        <ActionIcon variant="subtle" color="gray" aria-label="Close" title="Close ( Esc )" onClick={onClose}>
          ×
        </ActionIcon>
      </div>
      <CandidatePanel {...props} />
    </section>
  );
}

function Over(props: CandidatePanelProps) {
  const { candidate, onClose } = props;
  useFocusReturn();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={candidate.ip_address}
      size="md"
      classNames={{ title: styles.mono ?? '' }}
    >
      <CandidatePanel {...props} />
    </Drawer>
  );
}
