// A configuration to read. All of it is in the page, so that the browser's own search finds everything; what is far
// from sight is neither laid out nor coloured.
import { useInViewport } from '@mantine/hooks';
import { Fragment, memo, type RefObject, useMemo } from 'react';
import styles from '../../../parts/styles.module.css';
import classes from './code.module.css';
import { tokenize } from './lexer.ts';

const chunkLines = 100;

export interface CodeViewProps {
  readonly label: string;
  readonly lines: readonly string[];
  /** Of what scrolls; each line in it has its number, counted from 1, as `data-n`. */
  readonly scroller: RefObject<HTMLElement | null>;
}

export function CodeView({ label, lines, scroller }: CodeViewProps) {
  const chunks = useMemo(() => {
    const all: (readonly string[])[] = [];
    for (let from = 0; from < lines.length; from += chunkLines) all.push(lines.slice(from, from + chunkLines));
    return all;
  }, [lines]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className={`${classes.code} ${styles.mono}`} ref={scroller} tabIndex={0} aria-label={label}>
      {chunks.map((chunk, index) => (
        // A chunk is its place: nothing in it lives on.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
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
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
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
      // biome-ignore lint/suspicious/noArrayIndexKey: a word is its place.
      <Fragment key={index}>{text}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a word is its place.
      <span key={index} data-token={kind}>
        {text}
      </span>
    ),
  );
}
