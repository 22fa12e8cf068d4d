import { describe, expect, it } from 'vitest';
import type { BlockedIp } from '../../../api/types.ts';
import { type BlockDraft, blockRequest } from './block-request.ts';

const ip = '203.0.113.241';
const existing: BlockedIp = {
  ip_address: ip,
  reason: 'court order 17/2026',
  blocked_by: 'legal',
  blocked_at: '2026-11-01T00:00:00Z',
  expires_at: null,
};
const draft: BlockDraft = {
  ip,
  intent: 'new',
  existing: null,
  reason: '',
  duration: { choice: '1h', text: '' },
  seconds: 3_600,
  by: 'admin',
  now: Date.parse('2026-11-22T12:00:00Z'),
};

describe('the block request', () => {
  it('sends a duration in seconds, and no reason if none was entered', () => {
    expect(blockRequest(draft)).toEqual({ ip_address: ip, blocked_by: 'admin', duration_seconds: 3_600 });
    expect(blockRequest({ ...draft, reason: ' scan ', seconds: null })).toEqual({
      ip_address: ip,
      reason: 'scan',
      blocked_by: 'admin',
      expires_at: null,
    });
  });

  it('keeps reason and author when extending, and sends no absolute expiry', () => {
    const extend = { ...draft, intent: 'extend', existing } as const;
    expect(blockRequest(extend)).toEqual({ ip_address: ip, duration_seconds: 3_600 });
    expect(blockRequest({ ...extend, reason: 'again' })).toMatchObject({ reason: 'again' });
    expect(blockRequest({ ...extend, seconds: null })).toEqual({ ip_address: ip, expires_at: null });
  });

  it('sends every field when replacing, with the expiry from the service’s clock', () => {
    expect(blockRequest({ ...draft, intent: 'replace', existing })).toEqual({
      ip_address: ip,
      reason: null,
      blocked_by: 'admin',
      expires_at: '2026-11-22T13:00:00.000Z',
    });
  });

  it('keeps the author when editing, and the expiry unless another is chosen', () => {
    const change = {
      ...draft,
      intent: 'change',
      existing: { ...existing, expires_at: '2026-12-01T00:00:00Z' },
    } as const;
    expect(blockRequest({ ...change, duration: { choice: 'keep', text: '' }, seconds: null, reason: 'x' })).toEqual({
      ip_address: ip,
      reason: 'x',
      expires_at: '2026-12-01T00:00:00Z',
    });
    expect(blockRequest(change)).toMatchObject({ expires_at: '2026-11-22T13:00:00.000Z' });
  });
});
