// What every safe reload can end in, whoever asked for it.
import { codes } from '../../errors/catalogue.ts';

export const reloadCodes = [
  // It was edited while the reload was prepared.
  codes.Conflict,
  codes.LiveConfigurationKept,
  codes.TemplateRefused,
  codes.ProxyRefusesConfiguration,
  codes.BlockedRuleMissing,
  // The map files are written before the reload.
  codes.ShrinkRefused,
  codes.ForeignMapFile,
  codes.MapFileUnusable,
  codes.Unavailable,
  codes.ProxyNotRunning,
  codes.ReloadRolledBack,
  codes.ConfigurationFilesUnusable,
  // Of an attached service, which deploys nothing.
  codes.ReloadUnconfirmed,
  codes.Attached,
];

export const reloadExample = {
  id: '20261120T124300456Z-5e6f7a8b',
  status: 'completed',
  reasons: ['requested by ops'],
  changed: false,
  backup: '20261120T124300123Z-1a2b3c4d',
  worker_before: 4711,
  worker_after: 4800,
  duration_ms: 140,
  warnings: [],
};
