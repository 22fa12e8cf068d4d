import { expect, it } from 'vitest';
import type { Certificate } from '../../api/types.ts';
import { noteWords, removedWords, resultWords, servedWords, workerWords } from './certificate-words.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const end = '2027-02-18T12:00:00.000Z';
const served = {
  state: 'active',
  served_until: end,
  not_after: end,
  runtime_updated: true,
  handshake: 'seen',
  handshake_reason: null,
  problem: null,
  files: 'durable',
  reload_scheduled: false,
  warnings: [],
} as unknown as Certificate;

it.each([
  [{}, 'good', 'Served'],
  [{ handshake: 'not possible' }, 'good', 'Served'],
  [{ handshake: 'other' }, 'warn', 'In every worker, but a connection does not get it'],
  [{ handshake: 'failed' }, 'warn', 'In every worker, but a connection does not get it'],
  [{ state: 'expired' }, 'bad', 'Expired'],
  [{ runtime_updated: null, served_until: null, handshake: null }, 'unknown', 'Not checked yet'],
  [{ runtime_updated: false, served_until: null }, 'bad', 'Not served by every worker'],
  [{ runtime_updated: false, served_until: '2026-12-01T00:00:00.000Z' }, 'bad', 'An earlier version is served'],
  [{ runtime_updated: null, served_until: null, problem: 'stored, but not installed: x' }, 'bad', 'Not installed'],
  [{ served_until: '2026-11-25T00:00:00.000Z', not_after: '2026-11-25T00:00:00.000Z' }, 'warn', 'Served, expires soon'],
])('%j is %s: %s', (members, tone, words) => {
  expect(servedWords({ ...served, ...members } as Certificate, now)).toEqual({ tone, words });
});

it('names each worker that lacks it, and a draining one without alarm', () => {
  const worker = { pid: 7, role: 'current', holds: false, reason: 'no answer' } as const;
  expect(workerWords(worker)).toEqual({ tone: 'bad', words: 'Worker 7 does not hold it: no answer' });
  expect(workerWords({ ...worker, role: 'draining' })).toMatchObject({
    tone: 'warn',
    words: expect.stringMatching(/^Draining worker 7/),
  });
  expect(workerWords({ ...worker, holds: true, reason: null })).toEqual({ tone: 'good', words: 'Worker 7 holds it' });
});

it('lists what an operator should know after an upload', () => {
  const odd = {
    ...served,
    handshake: 'not possible',
    handshake_reason: 'its own address is an upstream',
    files: 'pending',
    reload_scheduled: true,
    warnings: ['It is self-signed'],
  } as Certificate;
  expect(noteWords(served)).toEqual([]);
  expect(noteWords(odd)).toEqual([
    'The file could not be written; the service retries.',
    'A reload is scheduled.',
    'TLS connection of the service: not possible, its own address is an upstream',
    'It is self-signed',
  ]);
  expect(resultWords(served, now)).toEqual({ tone: 'good', words: 'Served.' });
  expect(resultWords(odd, now)).toMatchObject({ tone: 'warn', words: expect.stringMatching(/^Served\. The file/) });
});

it('says after a removal which sites have no certificate now', () => {
  const removed = { sites_total: 0, runtime_updated: true, kept_files: [] } as unknown as Parameters<
    typeof removedWords
  >[0];
  expect(removedWords(removed)).toEqual({ tone: 'good', words: 'No current worker serves it.' });
  expect(removedWords({ ...removed, sites_total: 2 })).toMatchObject({
    tone: 'warn',
    words: expect.stringContaining('2 sites without a certificate now.'),
  });
  expect(removedWords({ ...removed, runtime_updated: false })).toMatchObject({ tone: 'warn' });
});

it('says after a removal which newer certificates were not deleted', () => {
  const removed = { sites_total: 0, runtime_updated: true, kept_files: ['/tls/c-aaaaaaaaaa.pem.newer'] };
  expect(removedWords(removed as unknown as Parameters<typeof removedWords>[0])).toEqual({
    tone: 'warn',
    words: 'No current worker serves it. Not deleted, may be the only copy of a key: /tls/c-aaaaaaaaaa.pem.newer.',
  });
});
