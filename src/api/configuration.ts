import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import {
  count,
  duration,
  flag,
  flagOrNull,
  listOf,
  model,
  oneOf,
  pageFields,
  pidOrNull,
  queryFlag,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

const tag = 'Configuration';

/** An id cannot name a file outside the folder of backups. */
const idParameter = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$',
    description,
    mustBe: 'an id of letters, digits, dots, colons, dashes and underscores',
    examples: [example],
  });
const reloadParams = Type.Object({ id: idParameter('The id of a reload.', '20261120T124300456Z-5e6f7a8b') });
const backupId = idParameter('The id of a backup.', '20261120T124300123Z-1a2b3c4d');
const backupParams = Type.Object({ id: backupId });
const DiffQuery = Type.Object({ backup: Type.Optional(backupId) }, { additionalProperties: false });
const HistoryQuery = Type.Object(pageFields, { additionalProperties: false });

export const ReplaceConsentQuery = Type.Object(
  {
    replace_configuration: queryFlag(
      'Without it, a live configuration that was written or edited outside proxy-manager, or restored from a backup, is not replaced (409, 6020).',
    ),
  },
  { additionalProperties: false },
);

const reasons = texts('Who requested it, or what made it necessary.');
const warnings = texts('What did not prevent the reload but should be checked.');
const workers = {
  worker_before: pidOrNull('The pid of the previous worker; null: there was none.'),
  worker_after: pidOrNull('The pid of the new worker; null: there was none.'),
};

/** A failed reload throws a `ServiceError` with these as members. */
export const ReloadAnswer = model('ReloadAnswer', 'What a safe reload did.', {
  id: text('Its id in the history.'),
  status: oneOf(['completed'], 'A reload that did not complete is a problem document.'),
  reasons,
  changed: flag('The live configuration changed.'),
  backup: textOrNull(
    'The backup of the previous configuration, an older one if it is the same; null: there was nothing to back up.',
  ),
  ...workers,
  duration_ms: duration('The duration in milliseconds.'),
  warnings,
});
export type ReloadAnswer = Static<typeof ReloadAnswer>;

const ReloadRecord = model('ReloadRecord', 'A reload of the history.', {
  id: text('Its id.'),
  status: oneOf(
    ['completed', 'refused', 'failed'],
    '`refused`: the template or HAProxy rejected the configuration; `failed`: the reload was not confirmed, or something else failed.',
  ),
  reasons,
  changed: flagOrNull('The configuration differed from the live one; null: it failed before the comparison.'),
  validation_output: textOrNull('The messages of HAProxy or of the template; null: none.'),
  error: textOrNull('Why it did not complete; null if it did.'),
  backup: textOrNull('The id of the backup that was created before; null: none.'),
  ...workers,
  warnings,
  started_at: time('When it began.'),
  finished_at: timeOrNull('When it ended.'),
});
export type ReloadRecord = Static<typeof ReloadRecord>;

export const ReloadMembers = model(
  'ReloadMembers',
  'What was done before the reload failed, and undone afterwards; the members depend on how far it got.',
  {
    id: Type.Optional(text('The id of the reload in the history.')),
    reasons: Type.Optional(reasons),
    backup: Type.Optional(textOrNull('The backup that was created before; null: it failed earlier.')),
    output: Type.Optional(text('The messages of HAProxy or of the template.')),
    line: Type.Optional(Type.Integer({ minimum: 1, description: 'The line of the template.' })),
    restored: Type.Optional(flag('The last known good configuration is in force again.')),
    restore_failure: Type.Optional(text('Why it could not be restored.')),
    worker_before: Type.Optional(workers.worker_before),
    worker_after: Type.Optional(workers.worker_after),
    duration_ms: Type.Optional(duration('The duration in milliseconds.')),
  },
);

const ReloadPage = model('ReloadPage', 'A page of the history.', {
  items: listOf(ReloadRecord, 'The entries.'),
  next_cursor: textOrNull('The `cursor` of the next page; null on the last page.'),
});
export type ReloadPage = Static<typeof ReloadPage>;

const sha256Text = 'The SHA-256 in lower-case hexadecimal digits.';

const CurrentConfig = model('CurrentConfig', 'The live configuration.', {
  text: text('The text of the configuration.'),
  sha256: text(sha256Text),
  path: text('The path of the file.'),
});
export type CurrentConfig = Static<typeof CurrentConfig>;

const needsReplace = flag(
  'A reload would replace a configuration that proxy-manager did not render, so it needs `replace_configuration=true`.',
);

const ValidationAnswer = model('ValidationAnswer', 'The result of a dry run.', {
  valid: flag('HAProxy accepts the configuration.'),
  output: text('The messages of HAProxy or of the template.'),
  sha256: text(
    'The SHA-256 of the rendered text in lower-case hexadecimal digits; empty if it could not be rendered, or is not rendered (attached mode).',
  ),
  warnings: texts('All warnings that a reload would report before it begins, including those of HAProxy.'),
  needs_replace_configuration: needsReplace,
});
export type ValidationAnswer = Static<typeof ValidationAnswer>;

export const liveOrigin = (description: string) =>
  Type.Unsafe<'rendered' | 'restored' | 'other' | null>({
    type: ['string', 'null'],
    enum: ['rendered', 'restored', 'other', null],
    description,
  });

const ConfigDiff = model('ConfigDiff', 'What a reload would change.', {
  changed: flag('There is a difference.'),
  diff: text('A unified diff.'),
  live: liveOrigin(
    'The origin of the live configuration: `rendered` from the template, `restored` from a backup, or `other`: written or edited outside proxy-manager; null: there is none yet.',
  ),
  needs_replace_configuration: needsReplace,
});
export type ConfigDiff = Static<typeof ConfigDiff>;

const BackupFile = model('BackupFile', 'A file that the configuration refers to; restored with it.', {
  name: text('Its name in the set.'),
  path: text('Its original path.'),
  sha256: text(sha256Text),
});

const BackupMap = model('BackupMap', 'A copy of a map file, for reading only.', {
  name: text('Its name in the set.'),
  path: text('The path of the original.'),
  bytes: count('The size in bytes.'),
});

const Backup = model('Backup', 'A backup set.', {
  id: text('Its id.'),
  created_at: time('When it was created.'),
  sha256: text(sha256Text),
  reason: text('Why it was created.'),
  note: textOrNull('A note; null: none.'),
  written_by: Type.Unsafe<'proxy-manager' | 'other' | null>({
    type: ['string', 'null'],
    enum: ['proxy-manager', 'other', null],
    description:
      'Who wrote its configuration. `other`: written outside proxy-manager; one backup of each such configuration is never pruned. Null: a backup of an older version.',
  }),
  files: listOf(BackupFile, 'Files that the configuration refers to; restored with it.'),
  maps: listOf(BackupMap, 'Copies of map files, for reading only: a restore does not use them.'),
});
export type Backup = Static<typeof Backup>;

const Backups = model('Backups', 'All backup sets.', { items: listOf(Backup, 'The entries.') });

export const reloadCodes = [
  // The live file was edited while the reload was prepared.
  codes.Conflict,
  codes.LiveConfigurationKept,
  codes.TemplateRefused,
  codes.ProxyRefusesConfiguration,
  codes.BlockedRuleMissing,
  codes.UpstreamRulesMissing,
  // The map files are written before the reload.
  codes.ShrinkRefused,
  codes.ForeignMapFile,
  codes.MapFileUnusable,
  codes.Unavailable,
  codes.ProxyNotRunning,
  codes.ReloadRolledBack,
  codes.ConfigurationFilesUnusable,
  // Attached mode, which deploys nothing.
  codes.ReloadUnconfirmed,
  codes.Attached,
];
export const reloadMembers = { 409: ReloadMembers, 422: ReloadMembers, 503: ReloadMembers };

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
} satisfies ReloadAnswer;

const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const record = {
  id: '20261120T124300456Z-5e6f7a8b',
  status: 'completed',
  reasons: ['requested by ops'],
  changed: false,
  validation_output: null,
  error: null,
  backup: '20261120T124300123Z-1a2b3c4d',
  worker_before: 4711,
  worker_after: 4800,
  warnings: [],
  started_at: '2026-11-20T12:43:00.100Z',
  finished_at: '2026-11-20T12:43:00.240Z',
} satisfies ReloadRecord;
const backup = {
  id: '20261120T124300123Z-1a2b3c4d',
  created_at: '2026-11-20T12:43:00.123Z',
  sha256,
  reason: 'requested by ops',
  note: null,
  written_by: 'proxy-manager',
  files: [{ name: 'file-1-sites-0f3a.map', path: '/etc/proxy/sites-0f3a.map', sha256 }],
  maps: [{ name: 'map-1-blocked_ips.map', path: '/etc/proxy/blocked_ips.map', bytes: 4096 }],
} satisfies Backup;

export const reload = operation({
  id: 'reload',
  method: 'POST',
  path: '/api/config/reload',
  access: 'admin',
  audit: 'reload',
  tag,
  summary: 'Reload HAProxy safely',
  description:
    'Renders the configuration from its template, creates a backup, validates the exact bytes, deploys them, reloads, and proves the reload by a new worker whose maps are compared with the database. Requests that arrive during a reload share the next one and get its id. No body.\n\nA live configuration that was written or edited outside proxy-manager, or restored from a backup, is replaced only with `replace_configuration=true`; otherwise the response is 409 (6020) and nothing was changed. If it was edited while the reload was being prepared, the response is 409 (409) and nothing was changed.\n\nIf the template or HAProxy rejects the new configuration (422), or the reload is not confirmed (503), the last known good configuration is restored within the same request, and the problem reports the outcome.\n\nIn attached mode the files are reloaded as they are. An unconfirmed reload is 503 (6033). It is 409 (6034) if a setting forbids reloads or `replace_configuration` is sent.',
  query: ReplaceConsentQuery,
  answers: { 200: { description: 'HAProxy runs with the configuration.', schema: ReloadAnswer } },
  codes: reloadCodes,
  members: reloadMembers,
  examples: { now: { summary: 'A reload without changes', answer: reloadExample } },
});

export const getConfig = operation({
  id: 'getConfig',
  method: 'GET',
  path: '/api/config',
  access: 'admin',
  audit: null,
  tag,
  summary: 'Get the live configuration',
  description: 'The text on disk. It may contain secrets of a custom template.',
  answers: { 200: { description: 'The live configuration.', schema: CurrentConfig } },
  codes: [codes.NotFound, codes.ConfigurationFilesUnusable, codes.Attached],
  examples: {
    live: {
      summary: 'The first lines of a configuration',
      answer: { text: '# Generated by proxy-manager.\nglobal\n', sha256, path: '/etc/proxy/proxy.cfg' },
    },
  },
});

export const validateConfig = operation({
  id: 'validateConfig',
  method: 'POST',
  path: '/api/config/validate',
  access: 'admin',
  audit: null,
  tag,
  summary: 'Validate the configuration',
  description:
    'A dry run: renders what a reload would deploy and lets HAProxy validate it; nothing is changed. An invalid configuration is a result (200, `valid: false`), not an error. No body.',
  answers: { 200: { description: 'The result of the validation.', schema: ValidationAnswer } },
  codes: [codes.Unavailable, codes.ConfigurationFilesUnusable],
  examples: {
    valid: {
      summary: 'A valid configuration',
      answer: { valid: true, output: '', sha256, warnings: [], needs_replace_configuration: false },
    },
  },
});

export const diffConfig = operation({
  id: 'diffConfig',
  method: 'GET',
  path: '/api/config/diff',
  access: 'admin',
  audit: null,
  tag,
  summary: 'Compare the live configuration',
  description:
    'The difference between the live configuration and what a reload would deploy, as a unified diff; with `backup`, what a restore of that backup would change, including the files that are restored with it.',
  query: DiffQuery,
  answers: { 200: { description: 'The difference; `diff` is empty if there is none.', schema: ConfigDiff } },
  codes: [
    codes.NotFound,
    codes.IntegrityViolated,
    codes.TemplateRefused,
    codes.BlockedRuleMissing,
    codes.UpstreamRulesMissing,
    codes.ConfigurationFilesUnusable,
    codes.Attached,
  ],
  members: { 422: ReloadMembers },
  examples: {
    none: {
      summary: 'No difference',
      answer: { changed: false, diff: '', live: 'rendered', needs_replace_configuration: false },
    },
  },
});

export const listReloads = operation({
  id: 'listReloads',
  method: 'GET',
  path: '/api/config/reloads',
  access: 'admin',
  audit: null,
  tag,
  summary: 'List the reloads',
  description: 'The history, newest first; the last 1,000 are kept.',
  query: HistoryQuery,
  answers: { 200: { description: 'A page of the history.', schema: ReloadPage } },
  examples: {
    newest: { summary: 'The newest', query: { limit: 1 }, answer: { items: [record], next_cursor: '41' } },
  },
});

export const getReload = operation({
  id: 'getReload',
  method: 'GET',
  path: '/api/config/reloads/:id',
  access: 'admin',
  audit: null,
  tag,
  summary: 'Get one reload',
  description: 'With the messages of HAProxy or of the template if it was rejected.',
  params: reloadParams,
  answers: { 200: { description: 'The reload.', schema: ReloadRecord } },
  codes: [codes.NotFound],
  examples: { completed: { summary: 'A completed reload', path: { id: record.id }, answer: record } },
});

export const listBackups = operation({
  id: 'listBackups',
  method: 'GET',
  path: '/api/config/backups',
  access: 'admin',
  audit: null,
  tag,
  summary: 'List the backups',
  description:
    'Newest first. A backup is created before every reload, unless it would equal the previous one. The last 20 different ones are kept. A backup of a configuration that proxy-manager did not write (`written_by: other`) is pruned only if a newer one would restore the same.',
  answers: { 200: { description: 'The backups.', schema: Backups } },
  codes: [codes.Attached],
  examples: { all: { summary: 'One backup', answer: { items: [backup] } } },
});

export const restoreBackup = operation({
  id: 'restoreBackup',
  method: 'POST',
  path: '/api/config/backups/:id/restore',
  access: 'admin',
  audit: 'restore_backup',
  tag,
  summary: 'Restore a backup',
  description:
    'Puts the configuration of a backup into force by the same safe reload, whatever the origin of the live configuration. It stays in force until a reload with `replace_configuration=true`. The maps are always written from the database: a restore does not change what is blocked. No body.',
  params: backupParams,
  answers: { 200: { description: 'HAProxy runs with the configuration.', schema: ReloadAnswer } },
  codes: [codes.NotFound, codes.IntegrityViolated, ...reloadCodes],
  members: reloadMembers,
  examples: {
    backup: {
      summary: 'A backup of the live configuration',
      path: { id: backup.id },
      answer: { ...reloadExample, reasons: [`backup ${backup.id} restored by ops`] },
    },
  },
});

export const configurationOperations = [
  reload,
  getConfig,
  validateConfig,
  diffConfig,
  listReloads,
  getReload,
  listBackups,
  restoreBackup,
] as const;
