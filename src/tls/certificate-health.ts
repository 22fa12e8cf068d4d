import type { Certificate, CertificatePage } from '../api/certificate-records.ts';
import type { CertificateOperations } from './certificate-operations.ts';

const NAMED = 5;
const PAGE = 100;

/**
 * Expired certificates of enabled sites, each as a sentence. What workers and files lack is known to the reconciler.
 * @throws when the database cannot be read
 */
export async function expiredProblems(operations: Pick<CertificateOperations, 'list'>): Promise<readonly string[]> {
  const used: Certificate[] = [];
  let cursor: string | null = null;
  do {
    const page: CertificatePage = await operations.list({ limit: PAGE, cursor, state: 'expired' });
    used.push(...page.items.filter(({ sites_total: total }) => total > 0));
    cursor = page.next_cursor;
  } while (cursor !== null);
  const more = used.length - NAMED;
  return [
    ...used
      .slice(0, NAMED)
      .map(({ id, sites, not_after }) => `${id} of ${sites.join(', ')} expired at ${not_after}: replace it`),
    ...(more > 0 ? [`${more} more of sites expired`] : []),
  ];
}
