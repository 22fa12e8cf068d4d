import type { DriftReport } from '../src/api/health.ts';

/** The live configuration is what a reload would write. */
export const noDrift: DriftReport = {
  status: 'none',
  live: 'rendered',
  backup: null,
  added: 0,
  removed: 0,
  reason: null,
};
