import { expect, test } from 'vitest';
import type { BlockedIp, BulkAnswer, Claim } from '../../api/types.ts';
import { blockedAgainWords, bulkRemovalWords, droppedOf, unblockWords } from './removal-words.ts';

const seen = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};
const unseen = { ...seen, runtime_map_updated: false };
const [one, two, three] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(
  (ip_address) => ({ ip_address }) as BlockedIp,
) as [BlockedIp, BlockedIp, BlockedIp];
const trusted = { index: 0, value: '192.0.2.1', why: 'it is covered by trusted 192.0.2.0/24' };

function bulk(facts: Partial<BulkAnswer>): BulkAnswer {
  return { added: 0, updated: 0, removed: 0, unchanged: 0, rejected_total: 0, rejected: [], ...seen, ...facts };
}

test('reports an address covered by a network as still blocked', () => {
  const answer = { ip_address: '192.0.2.1', still_blocked_by: ['192.0.2.0/24'], ...seen };
  expect(unblockWords(answer)).toEqual({
    title: '192.0.2.1 is still blocked',
    tone: 'warn',
    words: 'Entry removed. Still blocked by 192.0.2.0/24.',
  });
  expect(unblockWords({ ...answer, still_blocked_by: [] })).toEqual({
    title: '192.0.2.1 is no longer blocked',
    tone: 'good',
    words: 'Removed from every worker.',
  });
});

test('reports and restores only those entries of a bulk removal that were removed', () => {
  const all = [one, two, three];
  const whole = bulk({ removed: 3, not_blocked: [] });
  expect(bulkRemovalWords(all, whole, null)).toEqual({
    title: '3 entries unblocked',
    tone: 'good',
    words: 'Removed from every worker.',
  });
  expect(droppedOf(all, whole, null)).toEqual(all);
  const part = bulk({ removed: 1, unchanged: 2, not_blocked: ['192.0.2.1', '192.0.2.3'] });
  expect(bulkRemovalWords(all, part, null)).toEqual({
    title: '1 of 3 entries unblocked',
    tone: 'warn',
    words: 'Not blocked before: 192.0.2.1, 192.0.2.3. Removed from every worker.',
  });
  expect(droppedOf(all, part, null)).toEqual([two]);
  const none = bulk({ removed: 0, unchanged: 3, not_blocked: all.map(({ ip_address: ip }) => ip) });
  expect(bulkRemovalWords(all, none, null).title).toBe('No entry unblocked');
  expect(droppedOf(all, none, null)).toEqual([]);
});

test('reports those entries of a bulk removal that a network still blocks', () => {
  const by = '192.0.2.0/24';
  const still_blocked = [one, two, three].map(({ ip_address }) => ({ ip_address, by }));
  expect(
    bulkRemovalWords([one, two, three], bulk({ removed: 3, still_blocked, still_blocked_total: 3 }), null),
  ).toEqual({
    title: '3 entries unblocked',
    tone: 'warn',
    words: '3 addresses are still blocked by 192.0.2.0/24.',
  });
  const first = bulk({ removed: 2, still_blocked: still_blocked.slice(0, 1), still_blocked_total: 1 });
  expect(bulkRemovalWords([one, two], first, null).words).toBe('192.0.2.1 is still blocked by 192.0.2.0/24.');
});

test('restores what lost a claim too, and not what only lists claim', () => {
  const list = { source: 'drop', kind: 'list' } as Claim;
  const alsoListed = { ...two, claims: [{ source: 'manual', kind: 'manual' } as Claim, list] };
  const onlyListed = { ...three, claims: [list] };
  const both = bulk({ removed: 1, still_claimed_total: 1, not_blocked: [] });
  expect(droppedOf([one, alsoListed], both, null)).toEqual([one, alsoListed]);
  expect(bulkRemovalWords([one, alsoListed], both, null).words).toBe(
    'Still blocked by other sources: 192.0.2.2. Removed from every worker.',
  );
  const some = bulk({ ...both, unchanged: 1 });
  expect(droppedOf([one, alsoListed, onlyListed], some, null)).toEqual([one, alsoListed]);
  expect(bulkRemovalWords([one, alsoListed, onlyListed], some, null).words).toBe(
    'Still blocked by other sources: 192.0.2.2, 192.0.2.3. Removed from every worker.',
  );
  const claimed = bulk({ still_claimed_total: 1, not_blocked: [one.ip_address] });
  expect(droppedOf([one, alsoListed], claimed, null)).toEqual([alsoListed]);
  expect(bulkRemovalWords([one, alsoListed], claimed, null)).toEqual({
    title: 'No entry unblocked',
    tone: 'warn',
    words: 'Still blocked by other sources: 192.0.2.2. Not blocked before: 192.0.2.1. Active in every worker.',
  });
  // The list claimed it after it was shown, and another one was unblocked meanwhile.
  expect(droppedOf([one, alsoListed, onlyListed], bulk({ removed: 1, still_claimed_total: 0 }), null)).toBeNull();
});

test('reports an unverified worker next to claims and networks that still block', () => {
  const answer = { ip_address: '192.0.2.1', still_blocked_by: [], ...unseen };
  const still_claimed_by = [{ source: 'drop', kind: 'list' } as Claim];
  expect(unblockWords({ ...answer, still_claimed_by }).words).toMatch(
    /^Still claimed by drop\. Saved, but not verified in every worker/,
  );
  expect(unblockWords({ ...answer, still_blocked_by: ['192.0.2.0/24'] }).words).toMatch(
    /192\.0\.2\.0\/24\. Saved, but not verified in every worker/,
  );
  const still_blocked = [{ ip_address: one.ip_address, by: '192.0.2.0/24' }];
  const facts = { removed: 2, still_blocked, still_blocked_total: 1, ...unseen };
  expect(bulkRemovalWords([one, two], bulk(facts), null).words).toMatch(/Saved, but not verified in every worker/);
});

test('offers no undo if the response does not list the removed entries', () => {
  const answer = bulk({ removed: 2, unchanged: 1 });
  expect(droppedOf([one, two, three], answer, null)).toBeNull();
  expect(bulkRemovalWords([one, two, three], answer, null)).toEqual({
    title: '2 of 3 entries unblocked',
    tone: 'warn',
    words: '1 had no entry. The response does not say which, so there is no Undo. Removed from every worker.',
  });
  expect(droppedOf([one, two, three], bulk({ removed: 3 }), null)).toHaveLength(3);
});

test('reports restored entries as blocked again', () => {
  expect(blockedAgainWords([one], 1, bulk({ added: 1 }))).toEqual({
    title: '192.0.2.1 blocked again',
    tone: 'good',
    words: 'Active in every worker.',
  });
  expect(blockedAgainWords([one, two, three], 3, bulk({ added: 3 })).title).toBe('3 addresses blocked again');
});

test('reports entries that the service rejected as not blocked again', () => {
  expect(blockedAgainWords([one], 1, bulk({ rejected_total: 1, rejected: [trusted] }))).toEqual({
    title: '192.0.2.1 not blocked again',
    tone: 'warn',
    words: 'It is covered by trusted 192.0.2.0/24.',
  });
  const some = bulk({ added: 1, rejected_total: 1, rejected: [trusted] });
  expect(blockedAgainWords([one, two, three], 2, some).title).toBe('2 of 3 addresses not blocked again');
});

test('reports expired entries as not blocked again, sent or not', () => {
  const words = 'Blocks that have expired are not restored.';
  expect(blockedAgainWords([one], 0, null)).toEqual({ title: '192.0.2.1 not blocked again', tone: 'warn', words });
  expect(blockedAgainWords([one, two], 1, bulk({ added: 1 }))).toEqual({
    title: '1 of 2 addresses not blocked again',
    tone: 'warn',
    words,
  });
});

test('reports an unverified worker next to the entries that were left out', () => {
  expect(blockedAgainWords([one, two], 1, bulk({ added: 1, ...unseen })).words).toMatch(
    /are not restored\. Saved, but not verified in every worker/,
  );
});
