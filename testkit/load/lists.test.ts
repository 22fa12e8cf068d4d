import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { parseIp } from '../../src/domain/ip.ts';
import { address, batches, inNumericOrder, inTextOrder, listOf, mixedEntry, spare } from './lists.ts';

const folder = mkdtempSync(join(tmpdir(), 'pm-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('a generated list', () => {
  it.each([
    ['IPv4', address],
    ['mixed', mixedEntry],
  ])('holds nothing twice, in canonical form (%s)', (_, make) => {
    const count = 100_000;
    const list = Array.from({ length: count }, (_, index) => make(index));
    expect(new Set(list).size).toBe(count);
    for (const text of list.slice(0, 2_000)) expect(parseIp(text)).toMatchObject({ ok: true, entry: { text } });
  });

  it('contains only public unicast addresses, and no spare ones', () => {
    const octets = new Set(Array.from({ length: 100_000 }, (_, index) => Number(address(index).split('.')[0])));
    expect([...octets].filter((octet) => octet < 1 || octet > 223 || octet === 10 || octet === 127)).toEqual([]);
    expect(spare(70_000)).toBe('241.1.17.112');
  });

  it('is sorted neither by number nor by text', () => {
    const list = listOf({ kind: 'ipv4', entries: 1_000 });
    expect(inNumericOrder(list)).not.toEqual(list);
    expect(inTextOrder(list)).not.toEqual(list);
  });

  it('mixes all kinds of entries', () => {
    const list = listOf({ kind: 'mixed', entries: 1_000 });
    expect(list.filter((ip) => ip.includes(':')).length).toBe(200);
    expect(list.filter((ip) => ip.includes('/')).length).toBe(300);
  });

  it('comes in batches that add up to the list', () => {
    expect([...batches(12, 5)].flat()).toEqual(listOf({ kind: 'ipv4', entries: 12 }));
  });
});

describe('a list from a file', () => {
  const text = '# a list\n192.0.2.1\r\n\n2001:DB8::1 ; noted\n10.0.0.0/8\n192.0.2.1\n';
  const expected = ['192.0.2.1', '2001:db8::1', '10.0.0.0/8'];

  it.each([
    ['plain', file('a.txt', text)],
    ['gz', file('a.txt.gz', gzipSync(text))],
  ])('has each address once, canonical (%s)', (_, path) => {
    expect(listOf({ kind: 'file', path })).toEqual(expected);
  });

  it('is rejected if empty, or with an invalid line, which is named', () => {
    expect(() => listOf({ kind: 'file', path: file('b.txt', '192.0.2.1\nnonsense\n') })).toThrow(
      /"nonsense" in .*b\.txt/,
    );
    expect(() => listOf({ kind: 'file', path: file('c.txt', '# nothing\n') })).toThrow(/holds no address/);
  });
});

it('sorts by number, networks before their addresses, IPv4 before most of IPv6', () => {
  const sorted = ['9.0.0.1', '10.0.0.0/8', '10.0.0.0/16', '10.0.0.1', '100.0.0.1', '2001:db8::1'];
  expect(inNumericOrder([...sorted].reverse())).toEqual(sorted);
});
