// Shows a configuration. All lines are in the page, so that the browser's search finds them; invisible ones are neither
// laid out nor coloured.
import { useInViewport } from '@mantine/hooks';
import { Fragment, memo, type RefObject, useMemo } from 'react';
import styles from '../../../parts/styles.module.css';
import classes from './code.module.css';
import { tokenize } from './lexer.ts';

const chunkLines = 100;

interface CodeViewProps {
  readonly label: string;
  readonly lines: readonly string[];
  /** The scrolling element; its lines have their numbers, counted from 1, as `data-n`. */
  readonly scroller: RefObject<HTMLElement | null>;
}

export function CodeView({ label, lines, scroller }: CodeViewProps) {
  const chunks = useMemo(() => {
    const all: (readonly string[])[] = [];
    for (let from = 0; from < lines.length; from += chunkLines) all.push(lines.slice(from, from + chunkLines));
    return all;
  }, [lines]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard.
    <section className={`${classes.code} ${styles.mono}`} ref={scroller} tabIndex={0} aria-label={label}>
      {chunks.map((chunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: chunks have no state and no other identity.
        <Chunk key={index} lines={chunk} first={index * chunkLines + 1} />
      ))}
    </section>
  );
}

const Chunk = memo(function Chunk({ lines, first }: { readonly lines: readonly string[]; readonly first: number }) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  return (
    <div className={classes.chunk} ref={ref} style={{ containIntrinsicBlockSize: `auto ${lines.length * 1.55}em` }}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity.
        <div className={classes.line} key={index} data-n={first + index}>
          {inViewport ? <Coloured line={line} /> : line}
          {'\n'}
        </div>
      ))}
    </div>
  );
});

function Coloured({ line }: { readonly line: string }) {
  return tokenize(line).map(({ kind, text }, index) =>
    kind === 'blank' || kind === 'word' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: words have no other identity.
      <Fragment key={index}>{text}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: words have no other identity.
      <span key={index} data-token={kind}>
        {text}
      </span>
    ),
  );
}
