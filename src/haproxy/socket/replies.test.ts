import { describe, expect, it } from 'vitest';
import {
  isGoodAdd,
  isGoodDelete,
  isWorkerGone,
  parseGetMap,
  parsePrepare,
  parseReload,
  parseShowMapLine,
  parseShowMapListing,
  parseUses,
} from './replies.ts';

const notFound = 'type=ip, case=sensitive, found=no';
const found = (key: string, value: string, type = 'str'): string =>
  `type=ip, case=sensitive, found=yes, idx=tree, key="${key}", value="${value}", type="${type}"`;

describe('a get map reply', () => {
  it.each([
    [notFound, { found: false }],
    [found('10.0.0.0/8', '1'), { found: true, key: '10.0.0.0/8', value: '1' }],
    [found('2.2.2.2', ''), { found: true, key: '2.2.2.2', value: '' }],
    [found('2.2.2.3', 'a"b, c'), { found: true, key: '2.2.2.3', value: 'a"b, c' }],
    // The map is used in two types: one line for each.
    [`${notFound}\n${notFound}`, { found: false }],
    [`${found('1.1.1.1', '1')}\n${found('1.1.1.1', '1', 'sint')}`, { found: true, key: '1.1.1.1', value: '1' }],
  ])('parses the get map reply %j', (body, reply) => expect(parseGetMap(body)).toEqual(reply));

  it.each([
    '',
    'found=yes',
    `${found('1.1.1.1', '1')}\n${notFound}`,
    `${found('1.1.1.1', '1')}\n${found('1.1.1.1', '0', 'sint')}`,
    `${notFound}\n`,
    ` ${notFound}`,
    'Unknown map identifier. Please use #<id> or <file>.',
    'Missing map identifier and/or key.',
    found('', '1'),
    '\n',
  ])('keeps the text of the unknown get map reply %j', (body) =>
    expect(parseGetMap(body)).toEqual({ found: 'unknown', unknown: body }),
  );

  it('reads from a get map reply in how many types the map is used', () => {
    expect(parseUses(notFound)).toBe(1);
    expect(parseUses(`${found('1.1.1.1', '1')}\n${found('1.1.1.1', '1', 'sint')}`)).toBe(2);
    expect(parseUses('Unknown map identifier.')).toBeNull();
  });
});

describe('the lists of good replies', () => {
  it('only an empty body is a good reply to an addition', () => {
    expect(isGoodAdd('')).toBe(true);
    expect(isGoodAdd('Key not found.')).toBe(false);
    expect(isGoodAdd(' ')).toBe(false);
  });

  it('an absent key is the only text that is a good reply to a removal', () => {
    expect(isGoodDelete('')).toBe(true);
    expect(isGoodDelete('Key not found.')).toBe(true);
    expect(isGoodDelete('Key not found')).toBe(false);
    expect(isGoodDelete('Unknown map identifier. Please use #<id> or <file>.')).toBe(false);
  });

  it('exactly one text is a good reply to prepare map', () => {
    expect(parsePrepare('New version created: 12')).toBe(12);
    for (const body of ['', 'New version created: ', 'New version created: 1\n', 'Version number out of range.']) {
      expect(parsePrepare(body)).toBeNull();
    }
  });
});

describe('show map', () => {
  it.each([
    ['0x7f8b9d9d29e0 9.9.9.9 1', { key: '9.9.9.9', value: '1' }],
    ['0x558fb9b9f4d0 2.2.2.2 ', { key: '2.2.2.2', value: '' }],
    ['0x558fb9b9f520 2.2.2.3 a"b, c', { key: '2.2.2.3', value: 'a"b, c' }],
    ['Unknown map identifier. Please use #<id> or <file>.', null],
    ['0x558fb9b9f520', null],
    ['0x558fb9b9f520 9.9.9.9', null],
    ['0x558fb9b9f520  1', null],
  ])('reads the show map line %j', (line, entry) => expect(parseShowMapLine(line)).toEqual(entry));

  it('show map lists the maps with their versions and counts', () => {
    const body = `# id (file) description
0 (/tmp/b.map) pattern loaded from file '/tmp/b.map' used by map at file '/tmp/t.cfg' line 11, by map at file '/tmp/t.cfg' line 16. curr_ver=1 next_ver=2 entry_cnt=6
-1 (virt@x) pattern loaded virtually. curr_ver=0 next_ver=0 entry_cnt=0`;
    expect(parseShowMapListing(body)).toEqual([
      { id: 0, file: '/tmp/b.map', currentVersion: 1, nextVersion: 2, entryCount: 6 },
    ]);
  });

  it('show map of a version without counts is read', () => {
    const body = "# id (file) description\n3 (/b.map) pattern loaded from file '/b.map' used by map at file 't' line 1";
    expect(parseShowMapListing(body)?.[0]).toMatchObject({ id: 3, entryCount: null });
  });

  it.each(['', 'Unknown command', '# id (file) description\nnonsense'])('%j is no listing of maps', (body) => {
    expect(parseShowMapListing(body)).toBeNull();
  });
});

describe('a reload reply', () => {
  it.each([
    ['', { kind: 'silent' }],
    ['Success=1\n--\n[NOTICE] a\n\n[NOTICE] b\n\n', { kind: 'success', log: '[NOTICE] a\n\n[NOTICE] b' }],
    ['Success=0\n--\n[ALERT] no\n\n', { kind: 'failure', log: '[ALERT] no' }],
    ['Success=1\n', { kind: 'success', log: '' }],
    ['Success=2\n', { kind: 'unknown', text: 'Success=2\n' }],
    ['\n', { kind: 'unknown', text: '\n' }],
    ['Unknown command', { kind: 'unknown', text: 'Unknown command' }],
  ])('parses the reload reply %j', (text, reply) => expect(parseReload(text)).toEqual(reply));
});

it('a missing worker is recognised by the exact message of the master', () => {
  expect(isWorkerGone("Can't find the target PID matching the prefix '@!99999'\n")).toBe(true);
  const gone = "Can't find the target PID matching the prefix '@!99999'";
  expect(isWorkerGone(`${gone}\n${gone}\n${gone}\n`)).toBe(true);
  expect(
    isWorkerGone(`${gone}\nUnknown command: '225', but maybe one of the following ones is a better match:\n`),
  ).toBe(true);
  expect(isWorkerGone(gone.slice(0, -1))).toBe(false);
  expect(isWorkerGone("Can't connect to the target CLI!\n")).toBe(false);
  expect(isWorkerGone("Can't find the target PID matching the prefix '@1'\n")).toBe(false);
  expect(isWorkerGone('')).toBe(false);
});
