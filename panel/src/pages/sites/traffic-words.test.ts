import { expect, it } from 'vitest';
import { trafficFigures } from './traffic-words.ts';

const traffic = { requests: 1_284_902, denied: 20_480, server_errors: 31, response_ms: 42 };
const values = (...of: Parameters<typeof trafficFigures>) => trafficFigures(...of).map(({ value }) => value);

it('are figures with their unit, and the share of errors', () => {
  expect(values(traffic, true)).toEqual(['1,284,902', 'about 20,480', '31 (<\u00a00.1\u00a0%)', '42 ms']);
  expect(values({ ...traffic, denied: 0, server_errors: 0 }, true)).toEqual(['1,284,902', 'none seen', '0', '42 ms']);
});

it('are at least so many if a part was not watched', () => {
  const least = ['at least 1,284,902', 'about 20,480', 'at least 31 (<\u00a00.1\u00a0%)', '42 ms'];
  expect(values(traffic, false)).toEqual(least);
  expect(values({ ...traffic, requests: 0, server_errors: 0 }, false).slice(0, 3)).toEqual([
    'none seen',
    'about 20,480',
    'none seen',
  ]);
  expect(trafficFigures(traffic, false)[0]!.about).toContain('not watched');
});

it('are dashes with their reason where they are not known, and left out for a site without a backend', () => {
  const [, denied, , time] = trafficFigures({ requests: 0, denied: null, server_errors: 0, response_ms: null }, true);
  expect([denied!.value, denied!.about]).toEqual([
    '–',
    'Not known: HAProxy was not read yet, or its configuration does not count denied requests by site.',
  ]);
  expect([time!.value, time!.about]).toEqual(['–', 'There were no requests.']);
  expect(values({ requests: 0, denied: 0, server_errors: 1, response_ms: null }, true)[2]).toBe('1');
  expect(denied!.to).toBe('/denied');
  expect(values({ requests: null, denied: 16, server_errors: null, response_ms: null }, true)).toEqual(['about 16']);
});
