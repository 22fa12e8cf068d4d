import { expect, it } from 'vitest';
import { STUB_CERTIFICATE } from '../../testkit/http/stub-certificates.ts';
import type { Certificate } from '../api/certificate-records.ts';
import { expiredProblems } from './certificate-health.ts';
import type { CertificateFilter } from './certificate-operations.ts';

const expired = (id: string, sites: readonly string[]): Certificate => ({
  ...STUB_CERTIFICATE,
  id,
  state: 'expired',
  sites,
  sites_total: sites.length,
});

async function problemsOf(items: readonly Certificate[]) {
  const asked: CertificateFilter[] = [];
  const list = async (filter: CertificateFilter) => {
    asked.push(filter);
    return { items, total: items.length, next_cursor: null };
  };
  const problems = await expiredProblems({ list });
  expect(asked).toMatchObject([{ state: 'expired' }]);
  return problems;
}

it('an expired certificate is a problem only if an enabled site uses it', async () => {
  expect(await problemsOf([expired('c-a', ['a.example', 'b.example']), expired('c-b', [])])).toEqual([
    'c-a of a.example, b.example expired at 2027-02-18T12:00:00.000Z: replace it',
  ]);
});

it('is found behind a page of expired certificates without sites', async () => {
  const pages = [[expired('c-a', [])], [expired('c-b', ['b.example'])]];
  const list = async ({ cursor }: CertificateFilter) => {
    const at = Number(cursor ?? 0);
    return { items: pages[at]!, total: 2, next_cursor: at === 0 ? '1' : null };
  };
  expect(await expiredProblems({ list })).toEqual([expect.stringContaining('c-b of b.example expired')]);
});

it('many expired certificates are counted', async () => {
  const problems = await problemsOf(Array.from({ length: 9 }, (_, at) => expired(`c-${at}`, ['a.example'])));
  expect(problems).toHaveLength(6);
  expect(problems.at(-1)).toBe('4 more of sites expired');
});
