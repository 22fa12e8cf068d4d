import { expect, it } from 'vitest';
import type { AuditRecord } from '../../../api/types.ts';
import { auditWords, inOrder } from './operation-words.ts';

const record = (facts: Partial<AuditRecord>) =>
  ({
    operation: 'block',
    key: 'admin',
    ip_address: '203.0.113.173',
    target: null,
    outcome: 'done',
    result: null,
    ...facts,
  }) as AuditRecord;

it.each<[Partial<AuditRecord>, string]>([
  [{}, 'admin blocked 203.0.113.173'],
  [{ outcome: 'refused' }, 'admin tried to block 203.0.113.173'],
  [{ outcome: 'failed', operation: 'reload', ip_address: null }, 'admin tried to reload HAProxy'],
  [{ outcome: 'refused', operation: 'sign_in', ip_address: null }, 'admin tried to sign in to the panel'],
  [{ operation: 'batch', ip_address: null }, 'admin changed several entries'],
  [{ operation: 'batch', result: { added: 0, removed: 1 } }, 'admin unblocked 203.0.113.173'],
  [{ operation: 'batch', result: { added: 1, removed: 0 } }, 'admin blocked 203.0.113.173'],
  [{ operation: 'expire', key: null, ip_address: null }, 'The service removed expired blocks'],
])('describes %j as: %s', (facts, words) => {
  expect(auditWords(record(facts))).toBe(words);
});

it('sorts records by start time', () => {
  const at = (second: number) => record({ at: `2026-11-22T09:12:${second}Z` });
  expect(inOrder([at(54), at(59), at(54)]).map(({ at: time }) => time.slice(17, 19))).toEqual(['59', '54', '54']);
});
