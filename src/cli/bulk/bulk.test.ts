import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BulkAnswer } from '../../api/blocked-ips-bulk.ts';
import { parseIp } from '../../domain/ip.ts';
import type { NumberedReading } from '../../lists/reading.ts';
import { exitCodes, PartialFailure } from '../failure.ts';
import { Interruption } from '../interruption.ts';
import type { Output } from '../output/output.ts';
import { trustLines } from '../runtime-text.ts';
import { requestOf } from '../verbs/upstream.ts';
import { cutBatches } from './batches.ts';
import type { ElementDefaults } from './elements.ts';
import { ElementLines, jsonSet, textSet } from './replacement.ts';
import { sendBatches } from './send.ts';
import { type BulkResult, BulkTally } from './tally.ts';
import { bulkSentence, limitLines, printBulkResult, rejectionLine, rejectionLines } from './text.ts';

const plain: ElementDefaults = { reason: undefined, expiry: null, evenTrusted: false, allowWide: false, own: [] };
const ipOf = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

const entry = (line: number, more: object = {}): NumberedReading => ({
  line,
  reading: { kind: 'entry', entry: { ip: ipOf(line), ...more } },
});
const nothing = (line: number): NumberedReading => ({ line, reading: { kind: 'nothing' } });
const bad = (line: number): NumberedReading => ({ line, reading: { kind: 'bad', value: 'x', why: 'is none' } });

async function* groups(readings: readonly NumberedReading[], size = 3): AsyncGenerator<NumberedReading[]> {
  for (let at = 0; at < readings.length; at += size) yield readings.slice(at, at + size);
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

const answer = (more: Partial<BulkAnswer> = {}): BulkAnswer => ({
  added: 0,
  updated: 0,
  removed: 0,
  unchanged: 0,
  rejected_total: 0,
  rejected: [],
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
  ...more,
});

const anyList = fc
  .array(fc.constantFrom('entry', 'bad', 'nothing'), { maxLength: 60 })
  .map((kinds) => kinds.map((kind, index) => ({ entry, bad, nothing })[kind]!(index + 1)));

describe('batches', () => {
  it('contain every entry once, in order, with its line, within the limit', () =>
    fc.assert(
      fc.asyncProperty(anyList, fc.integer({ min: 1, max: 7 }), async (readings, limit) => {
        const batches = await all(cutBatches(groups(readings), plain, { elements: limit, bytes: 1e9 }));
        const wanted = readings.filter(({ reading }) => reading.kind === 'entry').map(({ line }) => line);
        expect(batches.flatMap(({ lines }) => lines)).toEqual(wanted);
        expect(batches.flatMap(({ ips }) => ips)).toEqual(wanted.map(ipOf));
        expect(batches.flatMap(({ rejected }) => rejected).length).toBe(
          readings.filter(({ reading }) => reading.kind === 'bad').length,
        );
        for (const { elements } of batches) expect(elements.length).toBeLessThanOrEqual(limit);
      }),
    ));

  it('stay below the API’s limit of bytes', async () => {
    const long = Array.from({ length: 100 }, (_, index) => entry(index + 1, { reason: '\u0001'.repeat(400) }));
    const batches = await all(cutBatches(groups(long), plain, { elements: 1000, bytes: 20_000 }));
    for (const { elements } of batches) expect(JSON.stringify(elements).length).toBeLessThan(25_000);
    expect(batches.flatMap(({ lines }) => lines)).toHaveLength(100);
  });

  it('are bare addresses without options; values of the line override options', async () => {
    const defaults = { ...plain, reason: 'typed', expiry: { seconds: 60 } };
    const readings = [entry(1), entry(2, { reason: 'own', expiry: { at: '2030-01-01T00:00:00.000Z' } })];
    expect((await all(cutBatches(groups(readings), plain)))[0]?.elements[0]).toBe(ipOf(1));
    expect((await all(cutBatches(groups(readings), defaults)))[0]?.elements).toEqual([
      { ip_address: ipOf(1), reason: 'typed', duration_seconds: 60 },
      { ip_address: ipOf(2), reason: 'own', expires_at: '2030-01-01T00:00:00.000Z' },
    ]);
  });

  it('reject an entry that covers an own address', async () => {
    const mine = parseIp(ipOf(2));
    const own = mine.ok ? [{ entry: mine.entry, what: 'your address' }] : [];
    const [batch] = await all(cutBatches(groups([entry(1), entry(2)]), { ...plain, own }));
    expect(batch?.lines).toEqual([1]);
    expect(batch?.rejected).toMatchObject([{ line: 2, why: expect.stringContaining('--force') }]);
  });
});

describe('sending', () => {
  const quiet = { interruption: new Interruption(), format: 'text' as const, output: undefined as never };
  const source = { name: 'list.txt' };

  it('reports what the API rejected with the line of the file', async () => {
    const readings = [nothing(1), entry(2), bad(3), entry(4), entry(5)];
    const result = await sendBatches(
      quiet,
      source,
      cutBatches(groups(readings), plain, { elements: 2, bytes: 1e9 }),
      async ({ elements }) =>
        answer({
          added: elements.length - 1,
          rejected_total: 1,
          rejected: [{ index: 0, list: 'add', value: 'v', why: 'w' }],
        }),
    );
    expect(result).toMatchObject({ added: 1, rejected_total: 3 });
    expect(result.rejected.map(({ line }) => line)).toEqual([2, 3, 5]);
  });

  it('reports up to which line the list was applied if a later batch fails', async () => {
    const readings = [entry(1), entry(2), entry(3), entry(4)];
    let calls = 0;
    const failAt = (n: number) => async () => {
      calls += 1;
      if (calls === n) throw new Error('gone');
      return answer({ added: 2 });
    };
    const cut = () => cutBatches(groups(readings), plain, { elements: 2, bytes: 1e9 });
    await expect(sendBatches(quiet, source, cut(), failAt(1))).rejects.toThrow(/^gone$/);
    calls = 0;
    const failure = await sendBatches(quiet, source, cut(), failAt(2)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PartialFailure);
    expect((failure as Error).message).toContain('list.txt was applied only up to line 2: 2 added');
  });
});

describe('a replacement', () => {
  it('as text has a line for each line of the list, so that line numbers agree', () =>
    fc.assert(
      fc.asyncProperty(anyList, async (readings) => {
        const set = textSet(groups(readings), plain, () => undefined);
        const lines = (await all(set.chunks)).join('').split('\n').slice(0, -1);
        expect(lines).toEqual(readings.map(({ line, reading }) => (reading.kind === 'entry' ? ipOf(line) : '')));
        expect(set.entries).toBe(readings.filter(({ reading }) => reading.kind === 'entry').length);
      }),
    ));

  it('as JSON is one array of entries, and finds the line of each by its index', () =>
    fc.assert(
      fc.asyncProperty(anyList, async (readings) => {
        const rejected: number[] = [];
        const set = jsonSet(groups(readings), plain, ({ line }) => rejected.push(line));
        const elements = JSON.parse((await all(set.chunks)).join('')) as { ip_address: string }[];
        const wanted = readings.filter(({ reading }) => reading.kind === 'entry').map(({ line }) => line);
        expect(elements.map(({ ip_address: ip }) => ip)).toEqual(wanted.map(ipOf));
        expect(wanted.map((_, index) => set.lineOf({ index }))).toEqual(wanted);
        expect(rejected).toEqual(readings.filter(({ reading }) => reading.kind === 'bad').map(({ line }) => line));
      }),
    ));

  it('stores the lines of a million entries without gaps as one run', () => {
    const lines = new ElementLines();
    for (let index = 0; index < 1_000_000; index += 1) lines.add(index, index + 3);
    expect([0, 499_999, 999_999].map((index) => lines.lineOf(index))).toEqual([3, 500_002, 1_000_002]);
  });
});

describe('a result', () => {
  it('is the sum of the answers, with the first thousand rejected lines', () => {
    const tally = new BulkTally();
    for (let line = 1; line <= 1500; line += 1) tally.reject({ line, value: 'x', why: 'is none' });
    tally.add(answer({ added: 3, runtime_map_updated: false, runtime_map_failures_total: 2 }), () => 0);
    tally.add(answer({ unchanged: 4, reload_scheduled: true, rejected_total: 5 }), () => 0);
    expect(tally.result).toMatchObject({
      added: 3,
      unchanged: 4,
      rejected_total: 1505,
      runtime_map_updated: false,
      runtime_map_failures_total: 2,
      reload_scheduled: true,
    });
    expect(tally.result.rejected).toHaveLength(1000);
    expect(bulkSentence(tally.result)).toBe('3 added, 0 updated, 0 removed, 4 unchanged, 1,505 rejected');
    const lines = rejectionLines('f', tally.result);
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe('and 1,405 lines more that were rejected');
  });

  it('sums the entries of each CDN, and gives a command that works', () => {
    const tally = new BulkTally();
    const fastly = { cdn: 'fastly' as const, entries: 2, example: '151.101.1.1' };
    const cloudflare = { cdn: 'cloudflare' as const, entries: 1, example: '173.245.48.7' };
    tally.add(answer({ known_cdns: [fastly] }), () => 0);
    tally.add(answer({ known_cdns: [cloudflare, { ...fastly, example: '151.101.1.2' }] }), () => 0);
    expect(tally.result.known_cdns).toEqual([{ ...fastly, entries: 4 }, cloudflare]);
    expect(trustLines(tally.result)).toEqual([
      '4 entries belong to the CDN fastly, such as 151.101.1.1: if your sites are behind it, unblock them and run proxy-manager upstream add fastly --header fastly-client-ip, once your VCL sets that header (docs/upstreams.md)',
      '1 entry belongs to the CDN cloudflare, such as 173.245.48.7: if your sites are behind it, unblock them and run proxy-manager upstream add cloudflare',
    ]);
    expect(requestOf('fastly', [], { header: 'fastly-client-ip' })).toMatchObject({ preset: 'fastly' });
  });

  it('sums entries that are still blocked or special, and keeps the first hundred', () => {
    const tally = new BulkTally();
    const still = Array.from({ length: 60 }, (_, n) => ({ ip_address: `192.0.2.${n}`, by: '192.0.2.0/24' }));
    const special = [{ ip_address: '10.0.0.1', special: 'private' as const }];
    for (let n = 0; n < 2; n += 1) {
      tally.add(
        answer({ updated: 2, still_blocked: still, still_blocked_total: 70, special, special_total: 1 }),
        () => 0,
      );
    }
    const { result } = tally;
    expect(result).toMatchObject({ updated: 4, still_blocked_total: 140, special_total: 2 });
    expect(result.still_blocked).toHaveLength(100);
    expect(new BulkTally().result).not.toHaveProperty('still_blocked');
    tally.add(answer({ dry_run: true }), () => 0);
    expect(bulkSentence(tally.result)).toBe(
      'nothing was changed; would be: 0 added, 4 updated, 0 removed, 0 unchanged, 0 rejected',
    );
  });

  it('says when the parts of a dry run together exceed the maximum number of entries, and exits 3', async () => {
    const tally = new BulkTally();
    for (let n = 0; n < 2; n += 1)
      tally.add(answer({ added: 60, dry_run: true, current_total: 10, limit: 100 }), () => 0);
    expect(limitLines(tally.result)).toEqual([
      'the set would have 130 entries, more than the maximum of 100 (PROXY_MANAGER_MAX_ENTRIES); the import would stop before its end',
    ]);
    expect(tally.result).toMatchObject({ current_total: 10, limit: 100 });
    const output = { json: async () => undefined } as unknown as Output;
    const exitCode = (result: BulkResult) => printBulkResult({ output, format: 'json' }, 'list.txt', result);
    expect(await exitCode(tally.result)).toBe(exitCodes.partly);
    expect(await exitCode({ ...tally.result, added: 90 })).toBe(exitCodes.done);
    expect(limitLines({ ...tally.result, added: 90 })).toEqual([]);
    expect(limitLines(new BulkTally().result)).toEqual([]);
  });

  it('names the flag that applies a rejected line', () => {
    const trusted = { line: 7, value: '10.0.0.1', why: '10.0.0.1 is covered by the trusted 10.0.0.0/8', code: 6007 };
    expect(rejectionLine('f', trusted)).toBe(
      'f:7: 10.0.0.1 is covered by the trusted 10.0.0.0/8; to store it anyway, add --even-trusted',
    );
  });

  it('shows a bad line with its number, escaped, and its value once', () => {
    expect(rejectionLine('f.txt', { line: 7, value: 'foo', why: 'foo looks like a host name' })).toBe(
      'f.txt:7: foo looks like a host name',
    );
    expect(rejectionLine('f.txt', { line: 7, value: '\u001b[2J', why: 'has no value' })).toBe(
      'f.txt:7: "\\u001b[2J": has no value',
    );
  });
});
