import { expect, it } from 'vitest';
import { trafficFigures } from './traffic-words.ts';

const traffic = { requests: 1_284_902, denied: 20_480, server_errors: 31, response_ms: 42 };
const unknown = { requests: null, denied: null, server_errors: null, response_ms: null };
const values = (...of: Parameters<typeof trafficFigures>) => trafficFigures(...of).map(({ value }) => value);

it('are figures with their unit, and the share of errors', () => {
  expect(values(traffic, true)).toEqual(['1,284,902', 'about 20,480', '31 (<\u00a00.1\u00a0%)', '42 ms']);
  expect(values({ ...traffic, server_errors: 0 }, true)[2]).toBe('0');
});

it('are at least so many if a part was not watched, and dashes where nothing is known', () => {
  expect(values({ ...traffic, denied: 0 }, false)).toEqual([
    'at least 1,284,902',
    'at least 0',
    'at least 31 (<\u00a00.1\u00a0%)',
    '42 ms',
  ]);
  expect(trafficFigures(traffic, false)[0]!.about).toContain('not watched');
  expect(values(unknown, true)).toEqual(['–', '–', '–', '–']);
});
