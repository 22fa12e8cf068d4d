import type { AuditRecord } from '../../../api/types.ts';
import { momentText } from '../../../parts/age.tsx';

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** All that the record says beside its line. Names of details are the API's own. */
export function auditFacts(record: AuditRecord): Fact[] {
  const { status, code, finished_at: finished, request_id: request, details, result } = record;
  return [
    ...(finished === null ? [] : [{ name: 'answered', value: momentText(finished) }]),
    ...(status === null ? [] : [{ name: 'status', value: code === null ? `${status}` : `${status}, code ${code}` }]),
    ...(request === null ? [] : [{ name: 'in the log', value: request }]),
    ...factsOf(details),
    ...factsOf(result).map(({ name, value }) => ({ name: `answer: ${name}`, value })),
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
