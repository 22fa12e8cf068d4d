import { expect, test } from 'vitest';
import { attackWords } from './attack-words.ts';

const entry = (text: string, denied: number) => ({ entry: text, denied, source: 'drop' });
const attack = { ended_at: '2026-11-20T10:45:00Z', peak: 5_400, usual: 880, denied: 190_000 };

test('says how long, how much and from where', () => {
  const entries = [entry('192.0.2.0/24', 160_000), entry('198.51.100.7', 9_000)];
  expect(attackWords({ ...attack, entries }, '45 min')).toBe(
    'For 45 min, denied requests rose to 5,400 a minute, 6.1 times the usual 880. About 89\u00a0% of them were denied by 2 blocked entries, most of them by 192.0.2.0/24.',
  );
});

test('says of an attack that continues that it does', () => {
  expect(attackWords({ ...attack, ended_at: null, usual: 0, entries: [entry('192.0.2.7', 160_000)] }, '4 min')).toBe(
    'For 4 min, denied requests have been at up to 5,400 a minute, usually there are none. About 84\u00a0% of them were denied by 1 blocked entry.',
  );
});

test('gives no number where the service lists only the first entries, or none', () => {
  const many = Array.from({ length: 50 }, (_, at) => entry(`192.0.2.${at}`, 100));
  expect(attackWords({ ...attack, entries: many }, '45 min')).toMatch(
    /About 2.6\u00a0% of them were denied by at least 50 blocked entries\.$/,
  );
  expect(attackWords({ ...attack, entries: [] }, '45 min')).toMatch(/the usual 880\.$/);
});
