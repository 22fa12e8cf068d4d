import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvReader, csvRecord } from './csv.ts';
import { formulaSafe, fromFormulaSafe } from './formula-safe.ts';

it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\uff1d1', '|calc', "'=1"])('makes a text of %j', (text) => {
  expect(formulaSafe(text)).toBe(`'${text}`);
});

it('leaves other text, and gives every text back exactly', () => {
  expect(formulaSafe('port scan')).toBe('port scan');
  const texts = fc.oneof(
    fc.string(),
    fc.string().map((text) => `'${text}`),
    fc.string().map((text) => `=${text}`),
    fc.array(fc.constantFrom(';', "'", '"', '=', '+', ' ', 'a', '\t')).map((parts) => parts.join('')),
  );
  fc.assert(fc.property(texts, (text) => fromFormulaSafe(formulaSafe(text)) === text));
  const cells = /(^|[;\t])[\s'"]*[=+@-]/;
  fc.assert(fc.property(texts, (text) => !cells.test(formulaSafe(text).replaceAll(/(^|[;\t])'/g, '$1x'))));
});

it.each([
  ['a;=1+1', "a;'=1+1"],
  ['a; +1;b;-1', "a;' +1;b;'-1"],
  ['a;"=1+1"', `a;'"=1+1"`],
  ['a\t=1', "a\t'=1"],
  ["a;'b", "a;''b"],
  [';=1', ";'=1"],
])('makes the text %j safe where a semicolon or a tab begins a new cell', (text, safe) => {
  expect(formulaSafe(text)).toBe(safe);
});

it('is read back from a file whose header says so, and from no other', () => {
  const read = (header: string, reason: string) => {
    const reader = csvReader();
    reader(`ip_address,reason,expires_at,blocked_by,blocked_at,source${header}`);
    const reading = reader(csvRecord(['192.0.2.1', reason, '', 'ann', '', 'drop', ...(header === '' ? [] : [''])]));
    return reading.kind === 'entry' ? reading.entry : reading;
  };
  expect(read(',escaped', "'=cmd|x")).toEqual({ ip: '192.0.2.1', reason: '=cmd|x', blockedBy: 'ann', source: 'drop' });
  expect(read('', "'=cmd|x")).toMatchObject({ reason: "'=cmd|x" });
});
