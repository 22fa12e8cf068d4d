import type { DriftReport } from '../src/api/health.ts';

/** Of a live configuration that is what a reload would make. */
export const noDrift: DriftReport = {
  status: 'none',
  live: 'rendered',
  backup: null,
  added: 0,
  removed: 0,
  reason: null,
};
