import type { AuditRecord } from '../../../api/types.ts';
import { momentText } from '../../../parts/times.ts';

interface Fact {
  readonly name: string;
  readonly value: string;
}

/** The details of a record. Their names are those of the API. */
export function auditFacts(record: AuditRecord): Fact[] {
  const { status, code, finished_at: finished, request_id: request, details, result } = record;
  return [
    ...(finished === null ? [] : [{ name: 'finished', value: momentText(finished) }]),
    ...(status === null ? [] : [{ name: 'status', value: code === null ? `${status}` : `${status}, code ${code}` }]),
    ...(request === null ? [] : [{ name: 'request ID', value: request }]),
    ...factsOf(details),
    ...factsOf(result).map(({ name, value }) => ({ name: `response: ${name}`, value })),
  ];
}

function factsOf(record: Readonly<Record<string, unknown>> | null): Fact[] {
  if (record === null) return [];
  return Object.entries(record)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({
      name: name.replaceAll('_', ' '),
      value: typeof value === 'string' ? value : Array.isArray(value) ? value.map(plain).join(', ') : plain(value),
    }));
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
