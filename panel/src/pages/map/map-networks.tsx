import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { EntryMap } from '../../api/entry-map.ts';
import { ShareBar } from '../../charts/bars.tsx';
import { count } from '../../parts/figures.ts';
import styles from '../../parts/styles.module.css';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import classes from './map.module.css';
import { sizeGroups, widerThan } from './map-sizes.ts';

interface MapNetworksProps {
  readonly map: EntryMap;
}

/** Wider ones deserve a look: one mistake blocks many clients. */
const wide = 20;
/** More do not fit beside the map. */
const shownWidest = 4;

/** How many entries are how wide. */
export function NetworksBySize({ map }: MapNetworksProps) {
  const groups = sizeGroups(map);
  const most = Math.max(1, ...groups.map(({ entries }) => entries));
  const all = groups.reduce((sum, { entries }) => sum + entries, 0);
  if (groups.length === 0) return null;
  return (
    <section className={styles.card} aria-label="Networks by size">
      <h2 className={classes.cardTitle}>
        Networks by size <span className={classes.beside}>{count(all)} IPv4 entries</span>
      </h2>
      <table className={classes.table} aria-label="Entries by size">
        <thead className={classes.onlyRead}>
          <tr>
            <th scope="col">Size</th>
            <td />
            <th scope="col">Entries</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ label, entries }) => (
            <tr key={label}>
              <td className={styles.mono}>{label}</td>
              <td className={classes.wideBar}>
                <ShareBar share={entries / most} />
              </td>
              <td>{count(entries)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Each leads to the list, which shows it with what is inside. */
export function WidestNetworks({ map }: MapNetworksProps) {
  const rows = useRowKeys();
  const wider = widerThan(map, wide);
  if (map.widest.length === 0) return null;
  return (
    <section className={styles.card} aria-label="Widest networks">
      <h2 className={classes.cardTitle}>
        Widest networks <span className={classes.beside}>{wideWords(map, wider)}</span>
      </h2>
      <table className={classes.table} aria-label="The widest blocked networks">
        <thead className={classes.onlyRead}>
          <tr>
            <th scope="col">Network</th>
            <th scope="col">Addresses</th>
          </tr>
        </thead>
        <tbody ref={rows} data-rows>
          {map.widest.slice(0, shownWidest).map(({ network, addresses }) => (
            <tr key={network} data-row>
              <td className={styles.mono}>
                <Anchor
                  inherit
                  aria-label={`Show ${network} in the list`}
                  renderRoot={(props) => <Link to="/blocked" search={{ q: network }} {...props} />}
                >
                  {network}
                </Anchor>
              </td>
              <td>{count(addresses)} addresses</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The list has no filter for a part of IPv4. */
function wideWords({ network }: EntryMap, wider: number) {
  const words = `${count(wider)} wider than /${wide}`;
  if (network !== '0.0.0.0/0' || wider === 0) return words;
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link to="/blocked" search={{ family: 'ipv4', wider_than: String(wide) }} {...props} />}
    >
      {words}
    </Anchor>
  );
}
