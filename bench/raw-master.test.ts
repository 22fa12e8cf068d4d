import { expect, it } from 'vitest';
import { payloads } from './raw-master.ts';

it('cuts payloads so that each fits in the buffer of HAProxy, and none is empty', () => {
  const ips = Array.from({ length: 5_000 }, (_, index) => `192.0.${index >> 8}.${index & 255}`);
  const texts = payloads('/etc/proxy/blocked_ips.map', ips);
  const head = '@1 add map /etc/proxy/blocked_ips.map <<\n';
  const lines: string[] = [];
  for (const text of texts) {
    expect(text.startsWith(head) && text.endsWith(' 1\n\n')).toBe(true);
    const body = text.slice(head.length, -1);
    expect(body.length).toBeLessThanOrEqual(14_980);
    lines.push(...body.trimEnd().split('\n'));
  }
  expect(lines).toEqual(ips.map((ip) => `${ip} 1`));
  expect(payloads('/x', [])).toEqual([]);
});
