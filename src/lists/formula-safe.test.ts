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
  );
  fc.assert(fc.property(texts, (text) => fromFormulaSafe(formulaSafe(text)) === text));
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
