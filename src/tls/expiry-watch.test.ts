import { expect, it } from 'vitest';
import { STUB_CERTIFICATE } from '../../testkit/http/stub-certificates.ts';
import type { Certificate } from '../api/certificate-records.ts';
import { ExpiryWatch } from './expiry-watch.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-11-20T12:00:00Z');

function kit(...lifetimes: readonly number[]) {
  let now = START;
  let certificates: Certificate[] = lifetimes.map((days, index) => ({
    ...STUB_CERTIFICATE,
    id: `c-${index}`,
    version: 1,
    not_before: new Date(START).toISOString(),
    not_after: new Date(START + days * DAY).toISOString(),
  }));
  const emitted: string[] = [];
  const stored = new Map<string, number>();
  let failure: Error | null = null;
  const started = () =>
    new ExpiryWatch({
      certificates: {
        list: async ({ limit, cursor, expiresWithinMs }) => {
          const ending = certificates.filter(({ not_after }) => Date.parse(not_after) <= now + expiresWithinMs!);
          // Pages of one.
          const at = Number(cursor ?? 0);
          expect(limit).toBeGreaterThan(0);
          const next = at + 1 < ending.length ? String(at + 1) : null;
          return { items: ending.slice(at, at + 1), total: ending.length, next_cursor: next };
        },
      },
      emit: (type, data) => void emitted.push(`${type.replace('certificate.', '')} ${(data as Certificate).id}`),
      log: { warn: () => undefined },
      now: () => new Date(now),
      reported: {
        reportedStages: async () => new Map(stored),
        setReportedStage: async (id, version, stage) => {
          if (failure !== null) throw failure;
          stored.set(`${id}/${version}`, stage);
        },
      },
    });
  let watch = started();
  return {
    async at(days: number) {
      now = START + days * DAY;
      await watch.check();
      return emitted.splice(0);
    },
    restart: () => {
      watch = started();
    },
    fail: (error: Error | null) => {
      failure = error;
    },
    set: (changed: (all: Certificate[]) => Certificate[]) => {
      certificates = changed(certificates);
    },
  };
}

it('reports a certificate 14 and 3 days before its end, and when it has expired, each once', async () => {
  const { at } = kit(90);
  const seen = [];
  for (const day of [0, 75, 77, 78, 86, 88, 89.9, 90, 91]) seen.push([day, ...(await at(day))]);
  expect(seen).toEqual([
    [0],
    [75],
    [77, 'expiring c-0'],
    [78],
    [86],
    [88, 'expiring c-0'],
    [89.9],
    [90, 'expired c-0'],
    [91],
  ]);
});

it('reports certificates of a short lifetime when a sixth and a twenty-fourth of it is left', async () => {
  const { at } = kit(6);
  const seen = [];
  for (const day of [0, 4.9, 5.1, 5.7, 5.8, 6]) seen.push([day, ...(await at(day))]);
  expect(seen).toEqual([[0], [4.9], [5.1, 'expiring c-0'], [5.7], [5.8, 'expiring c-0'], [6, 'expired c-0']]);
});

it('reports each of several pages, and a version that replaced an expired one', async () => {
  const { at, set } = kit(10, 20);
  expect(await at(30)).toEqual(['expired c-0', 'expired c-1']);
  set(([first, second]) => [{ ...first!, version: 2, not_after: new Date(START + 31 * DAY).toISOString() }, second!]);
  expect(await at(30)).toEqual(['expiring c-0']);
  expect(await at(31)).toEqual(['expired c-0']);
});

it('reports nothing again after a restart', async () => {
  const { at, restart } = kit(90);
  expect(await at(77)).toEqual(['expiring c-0']);
  restart();
  expect(await at(77.5)).toEqual([]);
  expect(await at(90)).toEqual(['expired c-0']);
  restart();
  expect(await at(91)).toEqual([]);
});

it('reports once while it cannot be stored, and stores it later', async () => {
  const { at, restart, fail } = kit(90);
  fail(new Error('disk is full'));
  await expect(at(77)).rejects.toThrow('disk is full');
  await expect(at(77.1)).rejects.toThrow('disk is full');
  fail(null);
  expect(await at(77.2)).toEqual(['expiring c-0']);
  restart();
  expect(await at(77.3)).toEqual([]);
});
