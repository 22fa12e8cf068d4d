import { Text, VisuallyHidden } from '@mantine/core';
import { counted } from '../../../parts/counted.ts';
import { type DiffLine, readDiff } from './diff-lines.ts';
import './code.css';

const words = { added: 'added: ', removed: 'removed: ', place: '', same: '' } as const;

/** A unified diff: what comes is green with a plus, what goes is red with a minus. */
export function DiffView({ diff }: { readonly diff: string }) {
  const lines = readDiff(diff);
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return (
    <>
      <Text size="sm" className="figure">
        {counted(count('added'), 'line')} added, {count('removed')} removed.
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className="diff mono" tabIndex={0} aria-label="What a reload would change">
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
          <div className="diff-line" key={index} data-kind={kind}>
            <VisuallyHidden component="span">{words[kind]}</VisuallyHidden>
            {text}
          </div>
        ))}
      </section>
    </>
  );
}
