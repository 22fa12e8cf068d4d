import { useComputedColorScheme } from '@mantine/core';
import type { EntryMap } from '../../api/entry-map.ts';
import styles from '../../parts/styles.module.css';
import { visibleText } from '../../parts/visible-text.ts';
import classes from './map.module.css';
import { areasOf, firstByte } from './map-areas.ts';
import { cssOf, isUnused, legendOf, scaleGradient, unusedColour } from './map-colours.ts';

const titles = {
  density: 'Blocked addresses in a cell',
  hits: 'Denied requests of a cell, 24 h',
  source: 'The source that claims most of a cell',
  expiry: 'The first expiry in a cell',
} as const;

export function Legend({ map }: { readonly map: EntryMap }) {
  const theme = useComputedColorScheme('light');
  const whole = map.network === '0.0.0.0/0';
  const { cellPrefix } = areasOf(whole ? null : map.network);
  const hasUnused = whole || isUnused(firstByte(map.network));
  return (
    <section className={styles.card} aria-label="Legend">
      <h2 className={classes.cardTitle}>{titles[map.layer]}</h2>
      {map.layer === 'density' || map.layer === 'hits' ? (
        <div className={classes.scale}>
          <span>{map.layer === 'hits' ? '1' : '1 address'}</span>
          <span className={classes.gradient} style={{ background: scaleGradient(theme) }} aria-hidden="true" />
          <span>{map.layer === 'hits' ? '1M or more' : `all of a /${cellPrefix}`}</span>
        </div>
      ) : (
        <ul className={classes.legend}>
          {legendOf(map, theme).map(({ label, colour }) => (
            <li key={label}>
              <span className={classes.swatch} style={{ background: colour }} aria-hidden="true" />
              <bdi>{visibleText(label)}</bdi>
            </li>
          ))}
        </ul>
      )}
      <p className={classes.cells}>
        {hasUnused && (
          <>
            <span className={classes.swatch} style={{ background: cssOf(unusedColour(theme)) }} aria-hidden="true" />
            {'Reserved: no clients. '}
          </>
        )}
        One cell is a /{cellPrefix}.
      </p>
    </section>
  );
}
