import type { ReactNode } from 'react';
import styles from '../../../parts/styles.module.css';
import classes from './entry-panel.module.css';

interface SectionProps {
  readonly title: string;
  /** Beside the title. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, note, children }: SectionProps) {
  return (
    <section aria-label={title} className={classes.section}>
      <div className={classes.sectionHead}>
        <h3 className={classes.sectionTitle}>{title}</h3>
        {note !== undefined && <span className={`${styles.none} ${styles.figure}`}>{note}</span>}
      </div>
      {children}
    </section>
  );
}
