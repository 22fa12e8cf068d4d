import { describe, expect, it } from 'vitest';
import { parseRequestTable, TableUnreadable } from './request-table.ts';

const header = '# table: pm_unnamed, type: ipv6, size:10240, used:2';

describe('a table of requests', () => {
  it('is read from HAProxy 2.6 and from later versions, which add a shard', () => {
    expect(
      parseRequestTable([
        header,
        '0x5581d3a0: key=::ffff:10.0.3.7 use=0 exp=86399000 http_req_cnt=3',
        '0x5581d3b0: key=2001:db8::1 use=1 exp=5 shard=0 http_req_cnt=70000',
        '',
      ]),
    ).toEqual([
      { address: '::ffff:10.0.3.7', requests: 3, expiresInMs: 86_399_000 },
      { address: '2001:db8::1', requests: 70_000, expiresInMs: 5 },
    ]);
    expect(parseRequestTable([header])).toEqual([]);
  });

  it('that the configuration does not have is null', () => {
    expect(parseRequestTable(['No such table', ''])).toBeNull();
  });

  it('that cannot be read is an error', () => {
    expect(() => parseRequestTable([])).toThrow(TableUnreadable);
    expect(() => parseRequestTable(['Unknown command: show table'])).toThrow(TableUnreadable);
    expect(() => parseRequestTable([header, '0x1: key=10.0.3.7 use=0 exp=5 gpc0=3'])).toThrow(TableUnreadable);
  });
});
