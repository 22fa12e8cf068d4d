import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../testkit/any-text.ts';
import { parseIp } from '../domain/ip.ts';
import { csvRecord } from './csv.ts';
import { formatOfLine, type ListFormat, listFormats, readerOf } from './format.ts';
import { NotAList } from './lines.ts';
import { readList } from './read-list.ts';
import type { LineReading, NumberedReading } from './reading.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

async function* chunks(whole: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

async function readAll(text: string | Buffer, format: ListFormat | null = null, size = 65_536) {
  const list = readList(chunks(typeof text === 'string' ? bytes(text) : text, size), format);
  const readings: NumberedReading[] = [];
  for await (const batch of list.batches) readings.push(...batch);
  return { format: list.format, readings };
}

const entries = (readings: readonly NumberedReading[]) =>
  readings.flatMap(({ line, reading }) => (reading.kind === 'entry' ? [{ line, ...reading.entry }] : []));
const badOnes = (readings: readonly NumberedReading[]) =>
  readings.flatMap(({ line, reading }) => (reading.kind === 'bad' ? [{ line, value: reading.value }] : []));

const address = fc
  .oneof(fc.ipV4(), fc.ipV6())
  .map((text) => parseIp(text))
  .filter((ip) => ip.ok)
  .map((ip) => (ip.ok ? ip.entry.text : ''));
const word = fc.stringMatching(/^[A-Za-z0-9 ,;#"'=<>é漢-]{0,30}$/).map((text) => text.trim());

describe('a plain list', () => {
  it('accepts both kinds of comments, blank lines and CRLF, and reports bad lines by number', async () => {
    const text =
      '# begins\r\n192.0.2.1\r\n\r\n; more\n 2001:DB8::1/128 # an address\n10.0.0.0/8 ; SBL1\n10.0.0.1/8\n192.0.2.1#x\n198.51.100.7';
    const { format, readings } = await readAll(text);
    expect(format).toBe('list');
    expect(entries(readings)).toEqual([
      { line: 2, ip: '192.0.2.1' },
      { line: 5, ip: '2001:db8::1' },
      { line: 6, ip: '10.0.0.0/8' },
      { line: 9, ip: '198.51.100.7' },
    ]);
    expect(badOnes(readings)).toEqual([
      { line: 7, value: '10.0.0.1/8' },
      { line: 8, value: '192.0.2.1#x' },
    ]);
  });

  it('is read as it was written, whatever the addresses and comments', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(address, word, fc.constantFrom('', ' ', '\t')), { maxLength: 30 }),
        async (lines) => {
          const text = lines.map(([ip, comment, blank]) => `${blank}${ip} # ${comment}${blank}`).join('\n');
          const { readings } = await readAll(text);
          expect(entries(readings).map(({ ip }) => ip)).toEqual(lines.map(([ip]) => ip));
          expect(badOnes(readings)).toEqual([]);
        },
      ),
    ));

  it('may begin with a byte order mark, and be empty', async () => {
    expect(entries((await readAll('\ufeff192.0.2.1\n')).readings)).toEqual([{ line: 1, ip: '192.0.2.1' }]);
    expect((await readAll('')).readings).toEqual([]);
  });
});

describe('CSV', () => {
  it.each([
    [
      'with a header',
      'ip_address,reason,expires_at,blocked_by,blocked_at\n192.0.2.1,"a, ""b""",2030-01-31T12:00:00Z,ops,x\n',
    ],
    ['in any order', 'Blocked_By,Expires,IP,country,Reason\nops,2030-01-31T13:00:00+01:00,192.0.2.1,XX,"a, ""b"""'],
  ])('%s gives reason, expiry and source', async (_name, text) => {
    const { format, readings } = await readAll(text);
    expect(format).toBe('csv');
    expect(entries(readings)).toEqual([
      { line: 2, ip: '192.0.2.1', reason: 'a, "b"', blockedBy: 'ops', expiry: { at: '2030-01-31T12:00:00.000Z' } },
    ]);
  });

  it('without a header is address, reason, expiry', async () => {
    const { format, readings } = await readAll('# export\n192.0.2.1,ssh,7d\n192.0.2.2,,never\n192.0.2.3\n');
    expect(format).toBe('csv');
    expect(entries(readings)).toEqual([
      { line: 2, ip: '192.0.2.1', reason: 'ssh', expiry: { seconds: 604_800 } },
      { line: 3, ip: '192.0.2.2', expiry: { at: null } },
      { line: 4, ip: '192.0.2.3' },
    ]);
  });

  it("reads CrowdSec's bans with their remaining time", async () => {
    const text = [
      'id,source,ip,reason,action,country,as,events_count,expiration,simulated,alert_id',
      '1,crowdsec,Ip:9.9.9.1,crowdsecurity/ssh-bf,ban,CN,4134 CHINANET,6,7h59m18s,false,3',
      '2,cscli,Range:198.51.100.0/24,manual,ban,,,0,3h58m53.29554269s,false,4',
      '3,crowdsec,Ip:2001:db8::1,x,ban,,,2,12.5s,false,5',
      '4,crowdsec,Ip:9.9.9.2,x,captcha,,,2,3h,false,6',
      '5,crowdsec,Ip:9.9.9.3,x,ban,,,2,3h,true,7',
      '6,crowdsec,Country:FR,x,ban,,,2,3h,false,8',
      '7,crowdsec,Ip:9.9.9.4,x,ban,,,2,-3m1.5s,false,9',
      '8,crowdsec,Ip:9.9.9.5,x,ban,,,2,,false,9',
      '9,crowdsec,Ip:::ffff:9.9.9.6,x,ban,,,2,1ms,false,9',
    ].join('\n');
    const { format, readings } = await readAll(text);
    expect(format).toBe('csv');
    expect(entries(readings)).toEqual([
      { line: 2, ip: '9.9.9.1', reason: 'crowdsecurity/ssh-bf', expiry: { seconds: 28_758 } },
      { line: 3, ip: '198.51.100.0/24', reason: 'manual', expiry: { seconds: 14_334 } },
      { line: 4, ip: '2001:db8::1', reason: 'x', expiry: { seconds: 13 } },
      { line: 10, ip: '9.9.9.6', reason: 'x', expiry: { seconds: 1 } },
    ]);
    expect(readings.flatMap(({ reading }) => (reading.kind === 'bad' ? [reading.why] : []))).toEqual([
      'has the type captcha; only ban is a block',
      'is a simulated decision, which CrowdSec does not enforce',
      'has the scope Country; only Ip and Range are addresses',
      'has expired (-3m1.5s)',
      'the expiration "" is not a duration such as 7h59m18s',
    ]);
  });

  it.each([
    ['192.0.2.1,"open', 'quotation mark'],
    ['192.0.2.1,x,tomorrow', 'neither a time such as 2030-01-31T12:00:00Z nor a duration such as 7d'],
    ['192.0.2.1,x,2030-01-31 12:00', 'not a time with a time zone'],
    ['192.0.2.1,a\u001b[31mb', 'control characters'],
    [`192.0.2.1,${'x'.repeat(501)}`, '500'],
    [',x', 'no address'],
    ['nowhere,x', 'host name'],
  ])('%j is a bad line', (line, why) => {
    const read = readerOf('csv');
    read('192.0.2.9,first row');
    expect(read(line)).toMatchObject({ kind: 'bad', why: expect.stringContaining(why) });
  });

  it('has kinds of sources only beside sources, and no other kinds', () => {
    const read = (header: string, line: string) => {
      const reader = readerOf('csv');
      reader(`ip_address,blocked_by,${header}`);
      return reader(line);
    };
    const ip = '192.0.2.1';
    expect(read('source,kind', `${ip},,drop,list`)).toEqual({
      kind: 'entry',
      entry: { ip, source: 'drop', kind: 'list' },
    });
    expect(read('source,kind', `${ip},,drop`)).toEqual({ kind: 'entry', entry: { ip, source: 'drop' } });
    expect(read('kind', `${ip},,scanner`)).toEqual({ kind: 'entry', entry: { ip } });
    const why = 'the kind scanner is none of manual, agent, list';
    expect(read('source,kind', `${ip},,drop,scanner`)).toEqual({ kind: 'bad', value: ip, why });
  });

  it('is read back as it was written, whatever the reason', () =>
    fc.assert(
      fc.property(address, word, word, (ip, reason, blockedBy) => {
        const read = readerOf('csv');
        read('ip_address,reason,expires_at,blocked_by');
        const entry = { ip, ...(reason && { reason }), ...(blockedBy && { blockedBy }) };
        expect(read(csvRecord([ip, reason, '', blockedBy]))).toEqual({ kind: 'entry', entry });
      }),
    ));
});

describe('a map file of HAProxy', () => {
  it('of this service gives its entries; header, padding and empty slots are comments', async () => {
    const header = '# proxy-manager database=0b8e1d3a-1111-4222-8333-444455556666 generation=7'.padEnd(127);
    const slot = '#'.padEnd(63);
    const used = '198.51.100.0/24 1'.padEnd(63);
    const { format, readings } = await readAll(`${header}\n192.0.2.1 1\n${slot}\n${used}\n${slot}\n`);
    expect(format).toBe('map');
    expect(entries(readings).map(({ ip }) => ip)).toEqual(['192.0.2.1', '198.51.100.0/24']);
    expect(badOnes(readings)).toEqual([]);
  });

  it.each([
    ['192.0.2.1', 'no value; a rule that compares values blocks those above 0. If yours matches keys only (-m found)'],
    ['192.0.2.1 0', 'the value 0'],
    ['192.0.2.1 deny', 'the value deny'],
    ['192.0.2.1 1 # why', 'the value "1 # why"'],
    [' # not in column 0', 'not an IP address'],
  ])('%j is a bad line', (line, why) => {
    expect(readerOf('map')(line)).toMatchObject({ kind: 'bad', why: expect.stringContaining(why) });
  });
});

describe('a netset', () => {
  it('written by ipset save gives timeout and comment', async () => {
    const text = [
      'create blocked hash:net family inet hashsize 1024 maxelem 65536 timeout 0 comment',
      'add blocked 1.2.3.0/24 timeout 3600 comment "it said \\"hi\\""',
      '-A blocked 192.0.2.1 -exist',
      'add blocked 192.0.2.2 packets 3 bytes 180 timeout 0',
      'add blocked 192.0.2.3 nomatch',
      'add blocked 10.0.0.1-10.0.0.9',
      'add blocked 192.0.2.4,tcp:80',
    ].join('\n');
    const { format, readings } = await readAll(text);
    expect(format).toBe('netset');
    expect(entries(readings)).toEqual([
      { line: 2, ip: '1.2.3.0/24', reason: 'it said "hi"', expiry: { seconds: 3600 } },
      { line: 3, ip: '192.0.2.1' },
      { line: 4, ip: '192.0.2.2' },
    ]);
    expect(badOnes(readings).map(({ line }) => line)).toEqual([5, 6, 7]);
    expect(readings[4]?.reading).toMatchObject({ why: expect.stringContaining('proxy-manager trust add') });
  });

  it('of FireHOL is a plain list', async () => {
    const { readings } = await readAll('#\n# firehol_level1\n#\n0.0.0.0/8\n1.10.16.0/20\n', 'netset');
    expect(entries(readings).map(({ ip }) => ip)).toEqual(['0.0.0.0/8', '1.10.16.0/20']);
  });
});

describe('any list', () => {
  it.each([
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), 'zcat'],
    ['UTF-16', Buffer.from('\ufeff1.2.3.4', 'utf16le'), 'UTF-8'],
    ['a program', Buffer.from('\x7fELF\x02\x01\x01\0\0\n192.0.2.1\n'), 'is a program'],
  ])('that is %s is refused with what to do, byte by byte too', async (_name, file, why) => {
    for (const size of [1, 65_536]) {
      const reading = readAll(file, null, size);
      await expect(reading).rejects.toThrow(NotAList);
      await expect(reading).rejects.toThrow(why);
    }
  });

  it('has the same result, however its bytes are split', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(address, word, fc.string(), fc.constant('192.0.2.1 1'), fc.constant('add x 192.0.2.1'))),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        async (lines, lineEnd, size) => {
          const text = lines.join(lineEnd);
          expect(await readAll(text, null, size)).toEqual(await readAll(text));
        },
      ),
    ));

  it('returns one reading per line and never throws, for any content', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: anyCharacter }), { maxLength: 6 }),
        fc.constantFrom(...listFormats),
        async (lines, format) => {
          const text = lines.join('\n').toWellFormed();
          const count = text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
          const whole = text.startsWith('\ufeff') || text.includes('\0') ? null : text;
          if (whole === null) return;
          const { readings } = await readAll(whole, format);
          expect(readings.map(({ line }) => line)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
        },
      ),
    ));

  it('with NUL bytes is rejected', async () => {
    await expect(readAll('MZ\0\u0001192.0.2.1\n')).rejects.toThrow('is not a text file');
    await expect(readAll('192.0.2.1\n\0')).rejects.toBeInstanceOf(NotAList);
  });

  it('with invalid UTF-8 has bad lines next to good ones', async () => {
    const { readings } = await readAll(
      Buffer.concat([bytes('192.0.2.1\n'), Buffer.from([0xff]), bytes('\n192.0.2.2\n')]),
    );
    expect(entries(readings).map(({ line }) => line)).toEqual([1, 3]);
    expect(badOnes(readings).map(({ line }) => line)).toEqual([2]);
  });

  it('skips an endless line without keeping it in memory, and continues after it', async () => {
    const { readings } = await readAll(`192.0.2.1\n${'x'.repeat(1_000_000)}\n192.0.2.2`, null, 1000);
    expect(entries(readings).map(({ line }) => line)).toEqual([1, 3]);
    const long = readings.find(({ line }) => line === 2)?.reading as Extract<LineReading, { kind: 'bad' }>;
    expect(long.why).toContain('4,096');
    expect(long.value.length).toBeLessThan(200);
  });

  it.each([
    ['192.0.2.0/24', 'list'],
    ['192.0.2.1 # note', 'list'],
    ['192.0.2.1 1', 'map'],
    ['2001:db8::/32\t1  ', 'map'],
    ['192.0.2.1,ssh', 'csv'],
    ['"192.0.2.1","ssh brute force"', 'csv'],
    ['Address;x', null],
    ['network,score', 'csv'],
    ['add blocked 192.0.2.1', 'netset'],
    ['create blocked hash:ip', 'netset'],
    ['# a comment', null],
    ['', null],
    ['<!DOCTYPE html>', null],
  ])('that begins with %j is recognised as %s', (line, format) => {
    expect(formatOfLine(line)).toBe(format);
  });
});
