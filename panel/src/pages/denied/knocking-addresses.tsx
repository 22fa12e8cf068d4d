import { Anchor, SegmentedControl } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { KnockingOrder, useKnockingPages } from '../../api/insight.ts';
import type { KnockingAddress, KnockingPage } from '../../api/types.ts';
import { SparkBars } from '../../charts/bars.tsx';
import { type RangeName, rangeLabels } from '../../charts/times.ts';
import { Age } from '../../parts/age.tsx';
import { count } from '../../parts/figures.ts';
import { LoadOlder } from '../../parts/load-older.tsx';
import { Read } from '../../parts/read.tsx';
import classes from '../../parts/small-table.module.css';
import { SmallTable } from '../../parts/small-table.tsx';
import { type ColourOf, useSourceColours } from '../../parts/source-colours.ts';
import { SourceName } from '../../parts/source-name.tsx';
import styles from '../../parts/styles.module.css';

interface KnockingAddressesProps {
  readonly knocking: ReturnType<typeof useKnockingPages>;
  readonly range: RangeName;
  readonly order: KnockingOrder;
  readonly onOrder: (order: KnockingOrder) => void;
}

/** A longer range has only totals. */
const isTotal = (range: RangeName): boolean => range === '7d' || range === '30d' || range === '90d';

/** The addresses that were denied, and by which entry. */
export function KnockingAddresses({ knocking, range, order, onOrder }: KnockingAddressesProps) {
  const colourOf = useSourceColours();
  const columns = [
    { name: 'Address' },
    { name: 'Entry', wide: true },
    { name: 'Source', wide: true },
    { name: isTotal(range) ? 'Denied in all' : 'Denied', figure: true },
    { name: '24 h', hidden: true, wide: true },
    { name: 'First', figure: true, wide: true },
    { name: 'Last', figure: true },
  ];
  return (
    <Read of={knocking} failed="Could not load the denied addresses" loading="Loading the denied addresses">
      {({ pages }) => (
        <div>
          <SmallTable
            title="Denied addresses"
            id="addresses"
            aside={
              <SegmentedControl
                size="xs"
                aria-label="Order"
                value={order}
                onChange={(value) => onOrder(value as KnockingOrder)}
                data={[
                  { value: 'hits', label: 'Most denied' },
                  { value: 'last_hit', label: 'Last denied' },
                ]}
              />
            }
            columns={columns}
            isCards
            rows={pages.flatMap(({ items }) =>
              items.map((one) => <Row key={one.ip_address} address={one} colourOf={colourOf} />),
            )}
            empty={`No request was denied in the last ${rangeLabels[range]}.${pages[0]?.complete === false ? ' A part of it was not watched.' : ''}`}
            {...(pages[0] === undefined || pages[0].total === 0 ? {} : { note: noteOf(pages[0], range) })}
          />
          <LoadOlder of={knocking} words="Load more addresses" />
        </div>
      )}
    </Read>
  );
}

function noteOf({ total, complete }: KnockingPage, range: RangeName): string {
  const label = rangeLabels[range];
  return [
    `${count(total)} addresses in ${label}, of the last 100,000.`,
    ...(isTotal(range) ? ['The figures are all requests of an address since its first one.'] : []),
    ...(complete ? [] : [`A part of the last ${label} was not watched: there may be more.`]),
  ].join(' ');
}

function Row({ address, colourOf }: { readonly address: KnockingAddress; readonly colourOf: ColourOf }) {
  const { ip_address: ip, entry, source, hits, spark, first_hit: first, last_hit: last } = address;
  return (
    <tr data-row>
      <td data-card="name" className={`${styles.mono} ${styles.wrap}`}>
        <Anchor inherit renderRoot={(props) => <Link to="/check" search={{ ip }} {...props} />}>
          {ip}
        </Anchor>
      </td>
      <td
        // Beside the address, the same again would say nothing.
        data-card={entry === ip ? undefined : 'about'}
        className={`${styles.mono} ${styles.wrap} ${classes.wide}`}
      >
        {entry === null ? (
          <span className={classes.dim}>not blocked now</span>
        ) : (
          <Anchor inherit renderRoot={(props) => <Link to="/blocked" search={{ entry }} {...props} />}>
            {entry === ip ? 'same' : entry}
          </Anchor>
        )}
      </td>
      <td data-card="about" className={`${classes.dim} ${classes.wide}`}>
        {source !== null && <SourceName name={source} colourOf={colourOf} />}
      </td>
      <td data-card="value" data-figure="true">
        {count(hits)}
      </td>
      <td className={classes.wide}>
        <SparkBars values={spark} />
      </td>
      <td data-figure="true" className={`${classes.dim} ${classes.wide}`}>
        <Age time={first} />
      </td>
      <td data-card="when" data-figure="true" className={classes.dim}>
        <Age time={last} />
      </td>
    </tr>
  );
}
