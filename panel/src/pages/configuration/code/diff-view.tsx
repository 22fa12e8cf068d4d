import { Text, VisuallyHidden } from '@mantine/core';
import { counted } from '../../../parts/counted.ts';
import styles from '../../../parts/styles.module.css';
import classes from './diff.module.css';
import { type DiffLine, readDiff } from './diff-lines.ts';

const words = { added: 'added: ', removed: 'removed: ', hunk: '', same: '' } as const;

/** A unified diff: what comes is green with a plus, what goes is red with a minus. */
export function DiffView({ diff }: { readonly diff: string }) {
  const lines = readDiff(diff);
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return (
    <>
      <Text size="sm" className={styles.figure}>
        {counted(count('added'), 'line')} added, {count('removed')} removed.
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className={`${classes.diff} ${styles.mono}`} tabIndex={0} aria-label="What a reload would change">
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
          <div className={classes.line} key={index} data-kind={kind}>
            <VisuallyHidden component="span">{words[kind]}</VisuallyHidden>
            {text}
          </div>
        ))}
      </section>
    </>
  );
}
