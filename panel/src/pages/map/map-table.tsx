import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { EntryMap, MapBlock } from '../../api/entry-map.ts';
import { ShareBar } from '../../charts/bars.tsx';
import { count } from '../../parts/figures.ts';
import styles from '../../parts/styles.module.css';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import classes from './map.module.css';
import { figureOf, sortedBlocks } from './map-areas.ts';

interface MapTableProps {
  readonly map: EntryMap;
  /** Null: the networks of a /8, which the list shows. */
  readonly onOpen: ((network: string) => void) | null;
}

/** What the map shows, with the same sums: the network with most first. */
export function MapTable({ map, onOpen }: MapTableProps) {
  const rows = useRowKeys();
  const blocks = sortedBlocks(map);
  const ofHits = map.layer === 'hits';
  const most = Math.max(1, ...blocks.map(figureOf));
  return (
    <section className={`${styles.card} ${classes.tableCard}`} aria-label="Networks">
      <h2
        className={classes.cardTitle}
      >{`${ofHits ? 'Denied requests' : 'Entries'}, by ${onOpen === null ? '/14' : '/8'}`}</h2>
      {blocks.length === 0 ? (
        <p className={classes.none}>Nothing is blocked here.</p>
      ) : (
        <div className={classes.scroll}>
          <table className={classes.table} aria-label="Networks with blocked addresses">
            <thead>
              <tr>
                <th scope="col">Network</th>
                <td />
                {ofHits && <th scope="col">Denied, 24 h</th>}
                <th scope="col">Entries</th>
                {!ofHits && <th scope="col">Addresses</th>}
              </tr>
            </thead>
            <tbody ref={rows} data-rows>
              {blocks.map((block) => (
                <tr key={block.network} data-row>
                  <td className={styles.mono}>
                    <Open block={block} onOpen={onOpen} />
                  </td>
                  <td className={classes.bar}>
                    <ShareBar share={figureOf(block) / most} />
                  </td>
                  {ofHits && <td>{count(block.denied ?? 0)}</td>}
                  <td>{count(block.entries)}</td>
                  {!ofHits && <td>{count(block.addresses)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Open({ block: { network }, onOpen }: { readonly block: MapBlock } & Pick<MapTableProps, 'onOpen'>) {
  if (onOpen === null)
    return (
      <Anchor
        inherit
        aria-label={`Show entries in ${network}`}
        renderRoot={(props) => <Link to="/blocked" search={{ q: network }} {...props} />}
      >
        {network}
      </Anchor>
    );
  return (
    <Anchor component="button" type="button" inherit aria-label={`Open ${network}`} onClick={() => onOpen(network)}>
      {network}
    </Anchor>
  );
}
