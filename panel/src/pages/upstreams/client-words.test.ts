import { describe, expect, it } from 'vitest';
import type { ClientAddressAnswer } from '../../api/types.ts';
import { endWords, readHeaders, stepWords, verdictWords } from './client-words.ts';

describe('pasted headers', () => {
  it('are read line by line, without the request line and empty lines', () => {
    const text = 'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\nX-Forwarded-For:198.51.100.1, 203.0.113.7 \n';
    expect(readHeaders(text)).toEqual({
      ok: true,
      headers: [
        { name: 'Host', value: 'shop.example' },
        { name: 'X-Forwarded-For', value: '198.51.100.1, 203.0.113.7' },
      ],
    });
  });

  it('may continue on a line that begins with a blank', () => {
    const value = '198.51.100.1, 203.0.113.7';
    expect(readHeaders('X-Forwarded-For:\t198.51.100.1, \r\n\t 203.0.113.7 \r\n')).toEqual({
      ok: true,
      headers: [{ name: 'X-Forwarded-For', value: expect.stringMatching(/^198\.51\.100\.1, +203\.0\.113\.7$/) }],
    });
    expect(readHeaders(`  Host: a\n  X-Forwarded-For: ${value}`)).toMatchObject({
      headers: [{ value: 'a' }, { value }],
    });
    expect(readHeaders('X-Forwarded-For:\n 2001:db8::7')).toMatchObject({ headers: [{ value: '2001:db8::7' }] });
  });

  it('keep what HAProxy does not take for a blank', () => {
    expect(readHeaders('X-Real-IP: 203.0.113.7\u00a0')).toMatchObject({ headers: [{ value: '203.0.113.7\u00a0' }] });
  });

  it('may be none', () => {
    expect(readHeaders('')).toEqual({ ok: true, headers: [] });
  });

  it('are refused with the line that is none', () => {
    expect(readHeaders('Host: a\n203.0.113.7')).toMatchObject({ ok: false, why: expect.stringContaining('Line 2') });
  });
});

it('shows each step', () => {
  expect(stepWords({ address: '10.0.3.7', header: null, upstream: 'lb' })).toBe('10.0.3.7 (upstream lb) connects.');
  expect(stepWords({ address: '203.0.113.7', header: 'x-forwarded-for', upstream: null })).toBe(
    'X-Forwarded-For names 203.0.113.7.',
  );
});

it('explains that the headers of a peer that is not an upstream name no client', () => {
  const peer = { address: '198.51.100.20', header: null, upstream: null };
  expect(endWords({ steps: [peer], upstream: null }, 2)).toBe(
    'It is not an upstream, so HAProxy does not take the client from its headers.',
  );
  expect(endWords({ steps: [peer], upstream: null }, 0)).toBeNull();
  expect(endWords({ steps: [{ ...peer, upstream: 'lb' }], upstream: 'lb' }, 2)).toBeNull();
});

it.each<[ClientAddressAnswer['verdict'], string, string]>([
  ['unreadable', 'bad', 'answers 400'],
  ['no_client', 'warn', '10.0.3.7 names no client'],
  ['blocked', 'unknown', 'blocked by its own entry'],
  ['trusted', 'good', 'trusted by its own entry'],
  ['allowed', 'good', 'no entry covers it'],
])('shows the verdict %s', (verdict, tone, words) => {
  const client = verdict === 'unreadable' ? null : '10.0.3.7';
  const steps = [{ address: '10.0.3.7', header: null, upstream: 'lb' }];
  const found = verdictWords({ verdict, client, by: client, steps } as unknown as ClientAddressAnswer);
  expect(found).toMatchObject({ tone, words: expect.stringContaining(words) });
});

it('explains a chain that is too long', () => {
  const steps = Array.from({ length: 6 }, () => ({ address: '10.0.3.7', header: 'x-forwarded-for', upstream: 'lb' }));
  const found = { verdict: 'unreadable', client: null, by: null, steps } as unknown as ClientAddressAnswer;
  expect(verdictWords(found)).toEqual({
    tone: 'bad',
    words: 'X-Forwarded-For names more than 5 addresses in a row, which is the limit: HAProxy answers 400.',
  });
  expect(verdictWords({ ...found, steps: steps.slice(1) }).words).toContain('cannot be read');
});
