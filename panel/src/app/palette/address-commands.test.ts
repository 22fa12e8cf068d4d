import { expect, it } from 'vitest';
import type { CheckAnswer, Scope } from '../../api/types.ts';
import { type AddressAction, addressCommands } from './address-commands.ts';

const order: readonly Scope[] = ['read', 'block', 'admin'];
function offered(ip: string, answer: Pick<CheckAnswer, 'verdict' | 'by'> | undefined, scope: Scope = 'admin') {
  const done: unknown[] = [];
  const commands = addressCommands(ip, {
    answer,
    allowed: (wanted) => order.indexOf(scope) >= order.indexOf(wanted),
    open: (action: AddressAction) => done.push(action),
    goTo: (...where) => done.push(where),
  });
  for (const { run } of commands) run();
  return { labels: commands.map(({ label }) => label), done };
}

const ip = '192.0.2.7';
const network = '192.0.2.0/24';

it('offers to block what is allowed, and names a network as one', () => {
  const allowed = offered(ip, { verdict: 'allowed', by: null });
  expect(allowed.labels).toEqual([
    `Check ${ip}`,
    `Block address ${ip}…`,
    `Trust ${ip}…`,
    `Find ${ip} in the blocked addresses`,
  ]);
  expect(allowed.done.slice(0, 3)).toEqual([['/check', { ip }], { kind: 'block', ip }, { kind: 'trust', ip }]);
  expect(offered(network, { verdict: 'partly', by: null }).labels[1]).toBe(`Block network ${network}…`);
});

it('offers to unblock the entry that blocks it, or to trust only this address', () => {
  const { labels, done } = offered(ip, { verdict: 'blocked', by: network });
  expect(labels.slice(1)).toEqual([`Unblock ${network}…`, `Trust ${ip}…`, `Show ${network} in the blocked addresses`]);
  expect(done.slice(1)).toEqual([
    { kind: 'unblock', ip: network },
    { kind: 'trust', ip },
    ['/blocked', { entry: network }],
  ]);
});

it('leads to the entry of what is trusted', () => {
  const { labels, done } = offered(ip, { verdict: 'trusted', by: ip });
  expect(labels.slice(1)).toEqual([`Show ${ip} in the trusted addresses`]);
  expect(done.at(-1)).toEqual(['/trusted', { q: ip }]);
});

it('changes nothing while the verdict is not known', () => {
  expect(offered(ip, undefined).labels).toEqual([`Check ${ip}`, `Find ${ip} in the blocked addresses`]);
});

it('offers each key what it may do', () => {
  const kinds = (scope: Scope) =>
    [offered(ip, { verdict: 'blocked', by: ip }, scope), offered(ip, { verdict: 'allowed', by: null }, scope)].map(
      ({ labels }) => labels.slice(1, -1),
    );
  expect(kinds('read')).toEqual([[], []]);
  expect(kinds('block')).toEqual([[`Unblock ${ip}…`], [`Block address ${ip}…`]]);
});
