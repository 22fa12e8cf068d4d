import { describe, expect, it } from 'vitest';
import { showTable, type TableEntry, TableListing, TableUnreadable } from './stick-table.ts';

const head = '# table: pm_denied, type: ipv6, size:102400, used:3';
const v26 = '0x5578e10859a0: key=::ffff:192.0.2.7 use=0 exp=86399695 gpc0=4 gpc0_rate(60000)=3';
const v34 = '0x56113dd0dc10: key=2001:db8::1 use=1 exp=5 shard=0 gpc0=4294967295 gpc0_rate(60000)=0';

function listed(stores: readonly string[], batches: readonly (readonly string[])[]) {
  const entries: TableEntry[] = [];
  const listing = new TableListing(stores, (entry) => entries.push(entry));
  for (const lines of batches) listing.take(lines);
  return { head: listing.end(), entries };
}

describe('a stick table', () => {
  it.each([
    ['at once', [[head, v26, v34]]],
    ['line by line', [[head], [v26], [], [v34]]],
  ])('is read %s, from HAProxy 2.6 and from later versions, which add a shard', (_how, batches) => {
    expect(listed(['gpc0', 'gpc0_rate'], batches)).toEqual({
      head: { name: 'pm_denied', size: 102_400, used: 3 },
      entries: [
        { key: '::ffff:192.0.2.7', expiresInMs: 86_399_695, values: [4, 3] },
        { key: '2001:db8::1', expiresInMs: 5, values: [4_294_967_295, 0] },
      ],
    });
  });

  it('is read in whatever order it lists its stores', () => {
    const line = '0x1: key=a use=0 exp=5 gpc0_rate(60000)=1 my_gpc0=9 gpc0=3';
    expect(listed(['gpc0', 'gpc0_rate'], [[head, line]]).entries).toEqual([
      { key: 'a', expiresInMs: 5, values: [3, 1] },
    ]);
  });

  it('that the configuration does not have is null', () => {
    expect(listed(['gpc0'], [['No such table']])).toEqual({ head: null, entries: [] });
  });

  it.each([
    ['no reply', []],
    ['a reply that is no table', ['Unknown command: show table']],
    ['an entry without a store that is needed', [head, '0x1: key=::1 use=0 exp=5 gpc0=3']],
    ['an entry whose value is no number', [head, '0x1: key=::1 use=0 exp=5 gpc0=x gpc0_rate(60000)=1']],
    ['a line that is cut', [head, v26.slice(0, 30)]],
    ['a key with a blank', [head, '0x1: key=a\\ b use=0 exp=5 gpc0=3 gpc0_rate(60000)=1']],
    ['a second header', [head, head]],
    ['a value without digits', [head, '0x1: key=::1 use=0 exp= gpc0=3 gpc0_rate(60000)=1']],
    ['a value of sixteen digits', [head, '0x1: key=::1 use=0 exp=5 gpc0=1234567890123456 gpc0_rate(60000)=1']],
    [
      'a store whose value is that of the next one',
      [head, '0x1: key=::1 use=0 exp=5 gpc0(5 gpc1=7 gpc0_rate(60000)=1'],
    ],
    ['a store without a value', [head, '0x1: key=::1 use=0 exp=5 gpc0_rate(60000)=1 gpc0']],
    ['a key in the place of a store', [head, '0x1: key=gpc0=7 use=0 exp=5 gpc0_rate(60000)=1']],
    ['an entry without a key', [head, '0x1: use=0 exp=5 gpc0=3 gpc0_rate(60000)=1']],
    ['an entry without a pointer', [head, 'key=::1 use=0 exp=5 gpc0=3 gpc0_rate(60000)=1']],
  ])('rejects %s', (_what, lines) => {
    expect(() => listed(['gpc0', 'gpc0_rate'], [lines])).toThrow(TableUnreadable);
  });

  it('is asked for as a whole, or for what is active', () => {
    expect(showTable('pm_denied')).toBe('show table pm_denied');
    expect(showTable('pm_denied', 'gpc0_rate')).toBe('show table pm_denied data.gpc0_rate gt 0');
  });
});
