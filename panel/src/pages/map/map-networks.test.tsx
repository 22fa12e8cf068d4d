import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { EntryMap } from '../../api/entry-map.ts';
import { renderInApp } from '../../test/render.tsx';
import { NetworksBySize, WidestNetworks } from './map-networks.tsx';

const map: EntryMap = {
  layer: 'density',
  network: '0.0.0.0/0',
  cells: new Uint8Array(0),
  sources: [],
  blocks: [],
  sizes: [
    { prefix: 12, entries: 2 },
    { prefix: 28, entries: 12_000 },
    { prefix: 29, entries: 544 },
    { prefix: 32, entries: 162_496 },
  ],
  widest: [
    { network: '42.128.0.0/12', addresses: 1_048_576 },
    { network: '102.192.0.0/13', addresses: 524_288 },
  ],
};
const show = async (shown: EntryMap): Promise<unknown> =>
  await renderInApp(
    <>
      <NetworksBySize map={shown} />
      <WidestNetworks map={shown} />
    </>,
    { signedIn: false },
  );
const rowsOf = (name: string): string[][] =>
  within(within(screen.getByRole('table', { name })).getAllByRole('rowgroup')[1] as HTMLElement)
    .getAllByRole('row')
    .map((row) => [...row.querySelectorAll('td')].map(({ textContent }) => textContent ?? '').filter(Boolean));

it('says how many entries are how wide, and which networks are the widest', async () => {
  await show(map);
  expect(rowsOf('Entries by size')).toEqual([
    ['/12–/15', '2'],
    ['/28–/29', '12,544'],
    ['/32', '162,496'],
  ]);
  expect(screen.getByRole('heading', { name: 'Networks by size 175,042 IPv4 entries' })).toBeDefined();
  expect(rowsOf('The widest blocked networks')).toEqual([
    ['42.128.0.0/12', '1,048,576 addresses'],
    ['102.192.0.0/13', '524,288 addresses'],
  ]);
});

it('leads to the networks in the list', async () => {
  await show(map);
  const address = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
  expect(address('Show 42.128.0.0/12 in the list')).toBe('/blocked?q=42.128.0.0%2F12');
  expect(address('2 wider than /20')).toBe('/blocked?family=ipv4&wider_than=20');
});

it('has no link to all wide networks of a part of IPv4, which the list cannot select', async () => {
  await show({ ...map, network: '42.0.0.0/8' });
  expect(screen.getByText('2 wider than /20').closest('a')).toBeNull();
});

it('shows nothing where nothing is blocked', async () => {
  await show({ ...map, sizes: [], widest: [] });
  expect(screen.queryAllByRole('heading')).toEqual([]);
});
