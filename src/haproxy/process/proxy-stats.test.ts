import { describe, expect, it } from 'vitest';
import { StatListing, StatsUnreadable } from './proxy-stats.ts';

// `show stat -1 3 -1` on 3.0.11, columns omitted.
const header = '# pxname,svname,scur,stot,dreq,status,hrsp_5xx,req_tot,qtime,ctime,rtime,last_chk,';
const lines = [
  header,
  'http,FRONTEND,2,9,3,OPEN,1,7,,,,,',
  'welcome,BACKEND,0,3,0,UP,0,3,0,0,0,,',
  'site_a.example,BACKEND,1,1,0,UP,1,1,3,1,103,,',
  'tcp,FRONTEND,4,4,0,OPEN,,,,,,,',
  'site_b.example,BACKEND,0,0,0,DOWN,0,0,0,0,0,,',
];
const read = (...pieces: (readonly string[])[]) => {
  const listing = new StatListing();
  for (const piece of pieces) listing.take(piece);
  return listing.end();
};

const stats = [
  { kind: 'frontend', name: 'http', requests: 7, denied: 3, serverErrors: 1, sessions: 2, responseMs: 0, down: false },
  {
    kind: 'backend',
    name: 'welcome',
    requests: 3,
    denied: 0,
    serverErrors: 0,
    sessions: 0,
    responseMs: 0,
    down: false,
  },
  {
    kind: 'backend',
    name: 'site_a.example',
    requests: 1,
    denied: 0,
    serverErrors: 1,
    sessions: 1,
    responseMs: 107,
    down: false,
  },
  { kind: 'frontend', name: 'tcp', requests: 0, denied: 0, serverErrors: 0, sessions: 4, responseMs: 0, down: false },
  {
    kind: 'backend',
    name: 'site_b.example',
    requests: 0,
    denied: 0,
    serverErrors: 0,
    sessions: 0,
    responseMs: 0,
    down: true,
  },
];

describe('the statistics of frontends and backends', () => {
  it('statistics are read by column names, at once and line by line', () => {
    expect(read(lines)).toEqual(stats);
    expect(read(...lines.map((line) => [line]))).toEqual(stats);
  });

  it('statistics omit servers and listeners', () => {
    expect(read([header, 'site_a.example,s1_127.0.0.1:80,0,1,0,UP,0,1,0,0,0,"L4OK, quickly",'])).toEqual([]);
  });

  it('statistics are read past a quoted comma', () => {
    expect(read([header, 'welcome,BACKEND,0,3,0,UP,2,3,0,0,0,"not ""now"", later",'])).toEqual([
      {
        kind: 'backend',
        name: 'welcome',
        requests: 3,
        denied: 0,
        serverErrors: 2,
        sessions: 0,
        responseMs: 0,
        down: false,
      },
    ]);
  });

  it.each([
    ['nothing', []],
    ['help', ["Unknown command: 'show stat', but maybe one of the following ones is a better match:"]],
    ['a line without its header', ['http,FRONTEND,2,9,3,OPEN,1,7,,,,,']],
    ['a header without a column', ['# pxname,svname,scur']],
    ['a line that is cut', [header, 'http,FRONTEND,2']],
    ['a quote that never ends', [header, 'http,FRONTEND,2,9,3,"OPEN,1,7,,,,,']],
    ['a count that is none', [header, 'http,FRONTEND,2,9,many,OPEN,1,7,,,,,']],
    ['a count below nothing', [header, 'http,FRONTEND,2,9,-1,OPEN,1,7,,,,,']],
  ])('a reply with %s is no list of statistics', (_what, text) => {
    expect(() => read(text)).toThrow(StatsUnreadable);
  });
});
