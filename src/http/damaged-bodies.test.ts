import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { damaged, pieces } from '../../testkit/damage.ts';
import { parseTime } from '../domain/rfc3339.ts';
import { isPreferred } from '../errors/negotiate.ts';
import { ServiceError } from '../errors/service-error.ts';
import { shortJson } from './bulk-elements.ts';
import { type JsonForm, type JsonValue, readJsonValues } from './json-values.ts';
import { rejectionOfJson } from './strict-json.ts';
import { readTextList } from './text-list.ts';

async function* streamOf(parts: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

/** The values, or the rejection; any other error fails the test. */
async function outcomeOf<Item>(read: AsyncIterable<readonly Item[]>): Promise<string> {
  const items: Item[] = [];
  try {
    for await (const batch of read) items.push(...batch);
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).status).toBeGreaterThanOrEqual(400);
    expect((error as ServiceError).status).toBeLessThan(500);
    return `refused ${(error as ServiceError).status}`;
  }
  return JSON.stringify(items);
}

const prefersText = (accept: string) => isPreferred('text/plain', 'application/json', accept);

const escapedMarks = (json: string) => json.replaceAll('\ufeff', '\\uFeFf');

const ARRAY: JsonForm = { root: 'array', paths: ['$.*'], name: 'a list' };
const OBJECT: JsonForm = { root: 'object', paths: ['$.*', '$.*.*'], name: 'an object' };

const array = Buffer.from(
  '["192.0.2.1", {"ip_address": "2001:db8::/32", "reason": "Gr\u00f6\u00dfe \\ud83e\\udd8a", "force": true},\n null, 1.5e3, []]',
);
const lists = Buffer.from(
  '{"add": ["192.0.2.1", {"ip_address": "192.0.2.2", "duration_seconds": 60}], "remove": ["\ufeff1", "10.0.0.0/8", "\\\\\\ufeff"]}',
);
const text = Buffer.from('# a list\r\n192.0.2.1\r\n\n 10.0.0.0/8\t; why\n2001:DB8::1\nnonsense\n198.51.100.7');

describe.each([
  ['a JSON array', array, (parts: readonly Buffer[]) => readJsonValues(streamOf(parts), ARRAY)],
  ['a JSON object with lists', lists, (parts: readonly Buffer[]) => readJsonValues(streamOf(parts), OBJECT)],
  ['a text list', text, (parts: readonly Buffer[]) => readTextList(streamOf(parts))],
] as const)('%s', (_name, bytes, read) => {
  test('has the same result however it is split, damaged or not: values or a rejection', async () => {
    const cut = fc
      .oneof(fc.constant(bytes), damaged(bytes))
      .chain((whole) => pieces(whole).map((parts) => [whole, parts] as const));
    await fc.assert(
      fc.asyncProperty(cut, async ([whole, parts]) => {
        expect(await outcomeOf<unknown>(read(parts))).toBe(await outcomeOf<unknown>(read([whole])));
      }),
      { numRuns: 300 },
    );
  });
});

describe('streamed JSON', () => {
  const inOne = async (bytes: Buffer): Promise<string> => {
    const outcome = await outcomeOf<JsonValue>(readJsonValues(streamOf([bytes]), ARRAY));
    if (!outcome.startsWith('[')) return outcome;
    const values = JSON.parse(outcome) as JsonValue[];
    if (values.some(({ duplicate, marked }) => duplicate !== null || marked)) return 'refused in part';
    return JSON.stringify(values.map(({ value }) => value));
  };

  test('has the values of JSON.parse, and is rejected if that fails', async () => {
    const marks = fc.constantFrom('\ufeff', '\\', '\\ufeff', 'ufeff', 'a');
    const marked = fc.array(marks, { maxLength: 4 }).map((parts) => parts.join(''));
    const document = fc
      .array(fc.oneof(fc.jsonValue({ maxDepth: 4 }), marked, fc.dictionary(marked, marked)), { maxLength: 5 })
      .chain((value) => fc.constantFrom(JSON.stringify(value), escapedMarks(JSON.stringify(value))))
      .map((json) => Buffer.from(json));
    await fc.assert(
      fc.asyncProperty(fc.oneof(document, document.chain(damaged), damaged(array)), async (bytes) => {
        const mine = await inOne(bytes);
        let theirs: unknown;
        try {
          theirs = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(mine, bytes.toString()).toMatch(/^refused/);
          return;
        }
        if (!Array.isArray(theirs) || rejectionOfJson(bytes.toString()) !== null) expect(mine).toMatch(/^refused/);
        else if (JSON.stringify(theirs).includes('\ufeff')) expect(mine, bytes.toString()).toBe('refused in part');
        else expect(mine, bytes.toString()).toBe(JSON.stringify(theirs));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['{"a":1,"a":2}', /appears twice/],
    ['{"a":1,"\\u0061":2}', /appears twice/],
    ['{"b":{"a":1},"c":[{"a":1,"b":2,"a":3}]}', /appears twice/],
    ['{"__proto__":1,"__proto__":2}', /appears twice/],
    ['['.repeat(33) + ']'.repeat(33), /more than 32 levels/],
    ['{"a":1,"b":{"a":[{"a":1},{"a":"a\\":\\"a"}]}}', null],
    ['["a","a",":"]', null],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', null],
    ['['.repeat(32) + ']'.repeat(32), null],
  ])('%s has the same result complete and as a stream', async (json, refusal) => {
    const whole = rejectionOfJson(json);
    const streamed = await outcomeOf<JsonValue>(
      readJsonValues(streamOf([Buffer.from(`[${json.startsWith('[['.repeat(16)) ? '1' : json}]`)]), ARRAY),
    );
    if (refusal === null) expect(whole).toBeNull();
    else expect(whole?.detail).toMatch(refusal);
    if (!json.startsWith('[[')) expect(/^refused|"duplicate":"/.test(streamed)).toBe(refusal !== null);
  });

  test('rejects only the element with a duplicate name', async () => {
    const json = '["a",{"a":1,"a":2},{"b":{"c":1,"c":2}},{"a":1},"b"]';
    const outcome = await outcomeOf<JsonValue>(readJsonValues(streamOf([Buffer.from(json)]), ARRAY));
    expect((JSON.parse(outcome) as JsonValue[]).map(({ duplicate }) => duplicate)).toEqual([
      null,
      'a',
      'c',
      null,
      null,
    ]);
    const twice = Buffer.from('{"add":[],"add":[]}');
    expect(await outcomeOf<JsonValue>(readJsonValues(streamOf([twice]), OBJECT))).toBe('refused 400');
  });

  test.each([
    ['"\ufeff192.0.2.1"', true],
    ['"\\ufeff192.0.2.1"', true],
    ['"\\uFEFF192.0.2.1"', true],
    ['"\\\\\\ufeff"', true],
    ['"\\\\ufeff"', false],
    ['"\\\\\\\\ufeff"', false],
    ['"ufeff\\\\"', false],
    ['{"a":"b","\ufeffip_address":"192.0.2.1"}', true],
    ['{"a":{"b":["\\ufeff"]}}', true],
    ['"a long one: "', true, 'x'.repeat(20_000)],
    ['"many backslashes: "', true, '\\'.repeat(20_000)],
    ['"many backslashes, and one more: "', false, '\\'.repeat(20_001)],
  ])(
    'never loses a byte order mark, however it is split, and rejects only its entry: %j',
    async (given, marked, before = '') => {
      const entry = before === '' ? given : given.replace(/"$/, `${before}\\ufeff"`);
      const bytes = Buffer.from(`["192.0.2.0",${entry},"192.0.2.2"]`);
      const marksOf = async (parts: readonly Buffer[]) =>
        (JSON.parse(await outcomeOf(readJsonValues(streamOf(parts), ARRAY))) as JsonValue[]).map(
          (value) => value.marked,
        );
      expect(await marksOf([bytes])).toEqual([false, marked, false]);
      expect(await marksOf([...bytes].map((byte) => Buffer.of(byte)))).toEqual([false, marked, false]);
      await fc.assert(
        fc.asyncProperty(pieces(bytes), async (parts) => {
          expect(await marksOf(parts)).toEqual([false, marked, false]);
        }),
        { numRuns: 20 },
      );
    },
  );

  test.each(['{"\ufeffadd":["192.0.2.1"]}', '{"add":[],"\\ufeffremove":["192.0.2.1"]}', '\ufeff{"add":["192.0.2.1"]}'])(
    'is rejected completely with a byte order mark outside its entries: %j',
    async (json) => {
      const bytes = Buffer.from(json);
      await fc.assert(
        fc.asyncProperty(pieces(bytes), async (parts) => {
          expect(await outcomeOf<JsonValue>(readJsonValues(streamOf(parts), OBJECT))).toBe('refused 400');
        }),
        { numRuns: 20 },
      );
    },
  );

  test('is rejected if it is nested too deeply, before any recursion', async () => {
    const deep = Buffer.from(`[${'['.repeat(30_000)}${']'.repeat(30_000)}]`);
    expect(await outcomeOf<JsonValue>(readJsonValues(streamOf([deep]), ARRAY))).toBe('refused 413');
  });

  test('is quoted by its start in an error, whatever its type', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const shown = shortJson(value, 100);
        if (JSON.stringify(value).length <= 100 && !shown.includes('...')) expect(shown).toBe(JSON.stringify(value));
        expect(shown.slice(0, 100).length).toBeLessThanOrEqual(100);
      }),
    );
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(shortJson(deep, 100)).toBe('[[[[[...]]]]]');
  });
});

describe('a time', () => {
  test('is parsed exactly or rejected', () => {
    const time = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(time, (date) => {
        const parsed = parseTime(date.toISOString());
        expect(parsed.ok && parsed.value.getTime()).toBe(date.getTime());
      }),
    );
    fc.assert(
      fc.property(damaged(Buffer.from('2030-01-31T12:34:56.789+01:30')), (bytes) => {
        const given = bytes.toString();
        const parsed = parseTime(given);
        if (!parsed.ok) {
          expect(parsed.why).toMatch(/^[ -~]+$/);
          return;
        }
        expect(given).toMatch(/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/);
        const zone = /([+-])(\d\d):(\d\d)$/.exec(given);
        const offset = zone === null ? 0 : (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3]));
        const local = new Date(parsed.value.getTime() + offset * 60_000).toISOString();
        expect(local.slice(0, 19)).toBe(given.slice(0, 19).toUpperCase());
      }),
      { numRuns: 1000 },
    );
  });
});

test('any Accept header is parsed without an error', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (accept) => void expect(typeof prefersText(accept)).toBe('boolean')),
  );
  fc.assert(
    fc.property(damaged(Buffer.from('text/plain;q=0.8, application/json;q=0.5')), (bytes) => {
      if (prefersText(bytes.toString('latin1'))) expect(bytes.toString('latin1').toLowerCase()).toContain('text/plain');
    }),
  );
});
