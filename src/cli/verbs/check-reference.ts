// `check --reference`: what became of the client that quotes the reference of its denied request. From entries, claims
// and audit log; no log of HAProxy is read.
import type { AuditRecord } from '../../api/audit.ts';
import type { CheckAnswer } from '../../api/check.ts';
import { ApiProblem } from '../../client/client.ts';
import { covers, type IpEntry, parseIp } from '../../domain/ip.ts';
import { parseReference, type RequestReference } from '../../domain/reference.ts';
import { usageError } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { auditColumns } from './audit.ts';

/** Of one address; the largest page for those of networks around it. */
const shownRecords = 10;
const searchedRecords = 1000;

/** Null in place of the audit log: the key may not read it. */
interface ReferenceAnswer {
  readonly reference: RequestReference;
  readonly check: CheckAnswer;
  readonly audit: readonly AuditRecord[] | null;
}

/** @throws Failure (usage) */
export function typedReference(text: string): RequestReference {
  const reference = parseReference(text);
  if (!reference.ok) throw usageError(`--reference: ${reference.why}`);
  return reference.value;
}

export async function askAboutReference(session: Session, reference: RequestReference): Promise<ReferenceAnswer> {
  const path = { ip_address: reference.client.text };
  const { data: check } = await session.api.GET('/api/check/{ip_address}', { params: { path } });
  return { reference, check, audit: await auditOf(session, reference, check) };
}

export async function printReference(
  session: Session,
  { reference, check, audit }: ReferenceAnswer,
  checkLines: readonly string[],
): Promise<void> {
  const { output, format, now } = session;
  const { client, at, count } = reference;
  if (format === 'json') return await output.json({ ip_address: client.text, at, count, check, audit });
  const second = `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const began = `request ${count} of its worker, from ${client.text} at ${second} (${fromNow(at.toISOString(), now())})`;
  await output.lines([began, ...checkLines].map(harmless));
  if (audit === null) output.remark('the audit log needs an admin key: it shows who blocked and unblocked the address');
  else if (audit.length === 0) await output.lines(['the audit log has no entry about it']);
  else await output.rows(auditColumns(now()))(audit);
}

/** What concerns the address or the entry that decides; else which networks around it were changed since. */
async function auditOf(
  session: Session,
  { client, at }: RequestReference,
  { by }: CheckAnswer,
): Promise<readonly AuditRecord[] | null> {
  const list = async (query: { ip_address?: string; since?: string; limit: number }) =>
    (await session.api.GET('/api/audit', { params: { query } })).data.items;
  try {
    const found = [...(await list({ ip_address: client.text, limit: shownRecords }))];
    if (by !== null && by !== client.text) found.push(...(await list({ ip_address: by, limit: shownRecords })));
    if (by === null) {
      const since = await list({ since: at.toISOString(), limit: searchedRecords });
      found.push(...since.filter((record) => concerns(record, client)));
    }
    const byId = new Map(found.map((record) => [record.id, record]));
    return [...byId.values()].sort((one, other) => other.id - one.id).slice(0, shownRecords);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return null;
    throw error;
  }
}

function concerns({ ip_address: ip, details }: AuditRecord, client: IpEntry): boolean {
  const named = details?.['ip_addresses'];
  const texts = [ip, ...(Array.isArray(named) ? named.map(String) : [])];
  return texts.some((text) => {
    const entry = text === null ? null : parseIp(text);
    return entry?.ok === true && covers(entry.entry, client);
  });
}
