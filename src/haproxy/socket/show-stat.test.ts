import { describe, expect, it } from 'vitest';
import { parseShowStat } from './show-stat.ts';

// `@1 show stat site_a.example 4 -1` on 3.0.11, columns omitted.
const body = `# pxname,svname,qcur,status,weight,check_status,addr,
site_a.example,s1_127.0.0.1:80,0,UP,1,L4OK,127.0.0.1:80,
site_a.example,s2_gone.invalid:80,0,MAINT (resolution),1,,,
site_a.example,s3_127.0.0.1:81,0,DOWN 1/2,1,* L4CON,127.0.0.1:81,
`;

describe('show stat', () => {
  it('show stat is read by the names of its columns', () => {
    expect(parseShowStat(body)).toEqual([
      { name: 's1_127.0.0.1:80', status: 'UP', check: 'L4OK', address: '127.0.0.1:80' },
      { name: 's2_gone.invalid:80', status: 'MAINT (resolution)', check: null, address: null },
      { name: 's3_127.0.0.1:81', status: 'DOWN 1/2', check: 'L4CON', address: '127.0.0.1:81' },
    ]);
  });

  it('show stat of a backend without servers is an empty list', () => {
    expect(parseShowStat('# pxname,svname,status,check_status,addr,\n\n')).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['an empty reply', '\n'],
    ['no such proxy', 'No such proxy.\n'],
    ['help', "Unknown command: 'show stat', but maybe one of the following ones is a better match:\n"],
    ['a line without its header', 'site_a,s1,UP\n'],
  ])('refuses as show stat %s', (_what, text) => {
    expect(parseShowStat(text)).toBeNull();
  });
});
