import type { EndedOperation } from '../src/api/ended-operation.ts';

type More = Partial<Omit<EndedOperation, 'note' | 'outcome'>> & {
  readonly note?: Partial<EndedOperation['note']>;
  readonly outcome?: Partial<EndedOperation['outcome']>;
};

/** A successful operation, except for `more`. */
export function endedOperation(operation: string, { note, outcome, ...more }: More = {}): EndedOperation {
  return {
    note: {
      operation,
      keyName: 'ops',
      source: '10.0.0.1',
      requestId: 'r',
      ipAddress: null,
      target: null,
      ...note,
    },
    at: new Date(),
    rows: [],
    status: 200,
    outcome: {
      code: null,
      runtimeMapUpdated: null,
      runtimeMapFailuresTotal: null,
      reloadScheduled: null,
      result: null,
      ...outcome,
    },
    attempted: true,
    verifiedEverywhere: null,
    counts: {},
    ...more,
  };
}
