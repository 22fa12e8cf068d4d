import { Text, VisuallyHidden } from '@mantine/core';
import { counted } from '../../../../../src/domain/counted.ts';
import styles from '../../../parts/styles.module.css';
import classes from './diff.module.css';

const words = { added: 'added: ', removed: 'removed: ', hunk: '', same: '' } as const;

export function DiffView({ diff }: { readonly diff: string }) {
  const lines = readDiff(diff);
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return (
    <>
      <Text size="sm" className={styles.figure}>
        {counted(count('added'), 'line')} added, {count('removed')} removed.
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
      <section className={`${classes.diff} ${styles.mono}`} tabIndex={0} aria-label="Configuration changes">
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity.
          <div className={classes.line} key={index} data-kind={kind}>
            <VisuallyHidden component="span">{words[kind]}</VisuallyHidden>
            {text}
          </div>
        ))}
      </section>
    </>
  );
}

interface DiffLine {
  readonly kind: 'added' | 'removed' | 'hunk' | 'same';
  readonly text: string;
}

/** The lines of a unified diff without its file names: both are the live file. */
function readDiff(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(0, first)).map((text) => ({ kind: kindOf(text), text }));
}

function kindOf(line: string): DiffLine['kind'] {
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
