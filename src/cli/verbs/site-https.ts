// `site set DOMAIN --https`: a certificate of the authority, and the redirect once it is served.
import type { SiteTlsRecord } from '../../api/site-tls.ts';
import { isProblem, problemCodes } from '../../client/problem-codes.ts';
import { pause } from '../../concurrency/pause.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Followed, followOrder, orderLines } from './certificate-order.ts';
import { siteTlsLines } from './site-tls.ts';

const askEveryMs = 250;
/** The redirect begins within seconds of the installation. */
const beginsWithinMs = 15_000;

/** Orders one certificate for the names that have none. Exits 3 if something is still missing: the service continues. */
export async function siteHttps(session: Session, domain: string): Promise<ExitCode> {
  const { api, now } = session;
  session.interruption.reports(() => `the service continues; see: proxy-manager site tls ${domain}`);
  // Stored first: it begins as soon as the certificate is served, also without this command.
  const { data: wanted } = await api.PUT('/api/sites/{domain}/tls', {
    params: { path: { domain }, query: { keep_absent: true } },
    body: { redirect: 'auto' },
  });
  const names = wanted.names_without_certificate;
  if (names.length > 0) {
    const { last, served } = await order(session, names);
    await printAnswer(session, last, () => orderLines(last, now()));
    if (!served) return exitCodes.partly;
  }
  const record = await begun(session, domain);
  await printAnswer(session, record, () => siteTlsLines(record));
  return record.in_force ? exitCodes.done : exitCodes.partly;
}

/** Follows the order of an earlier command, unless it has ended or waits: it is repeated by itself. */
async function order(session: Session, names: readonly string[]): Promise<Followed> {
  const { api } = session;
  try {
    const { data: ordered } = await api.POST('/api/acme/certificates', { body: { names } });
    return await followOrder(session, ordered);
  } catch (error) {
    if (!isProblem(error, problemCodes.alreadyOrdered)) throw error;
    const { certificate } = error.problem;
    if (typeof certificate !== 'string') throw error;
    const { data: last } = await api.GET('/api/acme/certificates/{id}', { params: { path: { id: certificate } } });
    const [attempt] = last.attempts;
    const isOpen = attempt !== undefined && attempt.ended_at === null && attempt.problem === null;
    return isOpen ? await followOrder(session, last) : { last, served: false };
  }
}

async function begun({ api }: Session, domain: string): Promise<SiteTlsRecord> {
  const end = performance.now() + beginsWithinMs;
  for (;;) {
    const { data } = await api.GET('/api/sites/{domain}/tls', { params: { path: { domain } } });
    if (data.in_force || performance.now() >= end) return data;
    await pause(askEveryMs);
  }
}
