import { expect, it } from 'vitest';
import { addressIn, type Command, grouped, matching, verbIn } from './commands.ts';

const command = (label: string, group: Command['group'], keywords = ''): Command => ({
  id: label,
  group,
  label,
  keywords,
  run: () => undefined,
});
const commands = [
  command('Blocked addresses', 'Pages', 'deny list'),
  command('Sites', 'Pages'),
  command('Sign out', 'Actions'),
];
const labels = (found: readonly Command[]) => found.map(({ label }) => label);

it.each([
  ['198.51.100.7', '198.51.100.7'],
  [' block 198.51.100.0/24', '198.51.100.0/24'],
  ['check 2001:DB8::1', '2001:db8::1'],
  ['198.51.100', null],
  ['shop.example', null],
  ['', null],
])('finds in “%s” the address %s', (text, address) => {
  expect(addressIn(text)).toBe(address);
});

it('finds a command by each of the words, wherever they are', () => {
  expect(labels(matching(commands, 'si'))).toEqual(['Sites', 'Sign out']);
  expect(labels(matching(commands, 'LIST blo'))).toEqual(['Blocked addresses']);
  expect(labels(matching(commands, 'blo missing'))).toEqual([]);
  expect(matching(commands, ' ')).toHaveLength(3);
});

it('limits the commands of each group', () => {
  expect([...grouped(commands, 1)].map(([group, some]) => [group, labels(some)])).toEqual([
    ['Pages', ['Blocked addresses']],
    ['Actions', ['Sign out']],
  ]);
});

it('knows what to do with an address', () => {
  expect([' Block 192.0.2.1', 'trust 192.0.2.1', '192.0.2.1', 'blocked'].map(verbIn)).toEqual([
    'block',
    'trust',
    null,
    null,
  ]);
});
