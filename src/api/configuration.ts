import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import {
  askedFor,
  count,
  duration,
  flag,
  flagOrNull,
  listOf,
  model,
  oneOf,
  pageFields,
  pidOrNull,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

const tag = 'Configuration';

/** No id can name a file outside the folder of backups. */
const Id = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$',
  mustBe: 'an id of letters, digits, points, colons and dashes',
});
const idParameter = Type.Object({ id: Id });
const DiffQuery = Type.Object({ backup: Type.Optional(Id) }, { additionalProperties: false });
const HistoryQuery = Type.Object(pageFields, { additionalProperties: false });

/** Of whatever reloads: whether a live configuration of somebody else may be replaced. */
export const ReplaceConsentQuery = Type.Object({ replace_configuration: askedFor }, { additionalProperties: false });

const reasons = texts('Why: who asked, or what made it necessary.');
const warnings = texts('What did not keep the reload from being made, and is worth a look.');
const workers = {
  worker_before: pidOrNull('The pid of the worker before; null when there was none.'),
  worker_after: pidOrNull('The pid of the worker that the reload made; null when there was none.'),
};

/** A reload that failed is a thrown `ServiceError` that carries these as members. */
export const ReloadAnswer = model('ReloadAnswer', 'What a safe reload did.', {
  id: text('Its id in the history.'),
  status: oneOf(['completed'], 'A reload that did not complete is a problem.'),
  reasons,
  changed: flag('The live configuration is another one than before.'),
  backup: textOrNull(
    'The backup of what was live before, an older one where that is the same; null where there was nothing to back up.',
  ),
  ...workers,
  duration_ms: duration('How long it took, in milliseconds.'),
  warnings,
});
export type ReloadAnswer = Static<typeof ReloadAnswer>;

export const ReloadRecord = model('ReloadRecord', 'A reload of the history.', {
  id: text('Its id.'),
  status: oneOf(
    ['completed', 'refused', 'failed'],
    'What came of it; `refused`: by the template or by the check of the proxy; `failed`: it was not confirmed, or something else failed.',
  ),
  reasons,
  changed: flagOrNull('The configuration differed from the live one; null: it never came so far.'),
  validation_output: textOrNull("The proxy's own messages, or the template's; null where there were none."),
  error: textOrNull('Why it did not complete; null where it did.'),
  backup: textOrNull('The id of the backup that was made before; null where there was none.'),
  ...workers,
  warnings,
  started_at: time('When it began.'),
  finished_at: timeOrNull('When it ended.'),
});
export type ReloadRecord = Static<typeof ReloadRecord>;

/** Of a reload that failed; which of them are there depends on how far it came. */
const ReloadMembers = model('ReloadMembers', 'What was done before the reload failed, and undone after it.', {
  id: Type.Optional(text('The id of the reload in the history.')),
  reasons: Type.Optional(reasons),
  backup: Type.Optional(textOrNull('The backup that was made before; null when it did not come so far.')),
  output: Type.Optional(text("The proxy's own messages, or the template's.")),
  line: Type.Optional(Type.Integer({ minimum: 1, description: 'The line of the template.' })),
  restored: Type.Optional(flag('The last known good configuration is back in force.')),
  restore_failure: Type.Optional(text('Why it is not, when that is so.')),
  worker_before: Type.Optional(workers.worker_before),
  worker_after: Type.Optional(workers.worker_after),
  duration_ms: Type.Optional(duration('How long it took, in milliseconds.')),
});

const ReloadPage = model('ReloadPage', 'A page of the history.', {
  items: listOf(ReloadRecord, 'The entries.'),
  next_cursor: textOrNull('Ask for the next page with it; null on the last one.'),
});
export type ReloadPage = Static<typeof ReloadPage>;

const sha256Text = 'SHA-256 in lower-case hexadecimal digits.';

const CurrentConfig = model('CurrentConfig', 'The live configuration.', {
  text: text('The text.'),
  sha256: text(sha256Text),
  path: text('The path of the file.'),
});
export type CurrentConfig = Static<typeof CurrentConfig>;

const needsReplace = flag(
  'A reload would replace a configuration that proxy-manager did not render, so it needs `replace_configuration=true`.',
);

const ValidationAnswer = model('ValidationAnswer', 'What a dry run said.', {
  valid: flag('The proxy takes it.'),
  output: text("The proxy's own messages, or the template's."),
  sha256: text('Of what was rendered, in lower-case hexadecimal digits; empty where it could not be.'),
  warnings: texts('All that a reload would warn of before it begins, the warnings of HAProxy included.'),
  needs_replace_configuration: needsReplace,
});
export type ValidationAnswer = Static<typeof ValidationAnswer>;

/** Who wrote the live configuration. */
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
    'Who wrote the live text: `rendered` from the template, `restored` from a backup, or `other`: written or edited by hand; null: there is none yet.',
  ),
  needs_replace_configuration: needsReplace,
});
export type ConfigDiff = Static<typeof ConfigDiff>;

const BackupFile = model('BackupFile', 'A file that the configuration names; restored with it.', {
  name: text('Its name in the set.'),
  path: text('Where it belongs.'),
  sha256: text(sha256Text),
});

const BackupMap = model('BackupMap', 'A copy of a map file, for reading only.', {
  name: text('Its name in the set.'),
  path: text('What it is a copy of.'),
  bytes: count('Its length in bytes.'),
});

export const Backup = model('Backup', 'A backup set.', {
  id: text('Its id.'),
  created_at: time('When it was made.'),
  sha256: text(sha256Text),
  reason: text('Why it was made.'),
  note: textOrNull('What was noted; null where nothing was.'),
  written_by: Type.Unsafe<'proxy-manager' | 'other' | null>({
    type: ['string', 'null'],
    enum: ['proxy-manager', 'other', null],
    description:
      'Who wrote its configuration; one of each that `other` wrote is never pruned. Null: a set of an older version.',
  }),
  files: listOf(BackupFile, 'Files that the configuration names; restored with it.'),
  maps: listOf(BackupMap, 'Copies of map files, for reading only: a restore never brings them back.'),
});
export type Backup = Static<typeof Backup>;

const Backups = model('Backups', 'All backup sets.', { items: listOf(Backup, 'The entries.') });

/** What every safe reload can end in, whoever asked for it. */
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
  summary: 'Reload the proxy safely',
  description:
    'Renders the configuration from its template, makes a backup, validates the exact bytes, puts them in place, reloads, and proves it by a new worker whose maps are compared with the database. Callers that arrive while one runs share the next one, and get its id. Takes no body.\n\nA live configuration that was written or edited by hand, or restored from a backup, is replaced only with `replace_configuration=true`; otherwise the answer is 409 (6020) and nothing was changed. So it is (409, code 409) where it was edited while the reload was being prepared.\n\nWhere template or proxy refuse the new configuration (422), or the reload is not confirmed (503), the last known good one is back in force within the same request, and the problem says what came of that.\n\nAn attached service reloads the files as they are and deploys nothing: not confirmed is 503 (6033) there, and 409 (6034) where a setting forbids reloads or consent is sent.',
  query: ReplaceConsentQuery,
  answers: { 200: { description: 'The proxy runs with it.', schema: ReloadAnswer } },
  codes: reloadCodes,
  members: reloadMembers,
  examples: { now: { summary: 'With nothing changed', answer: reloadExample } },
});

export const getConfig = operation({
  id: 'getConfig',
  method: 'GET',
  path: '/api/config',
  access: 'admin',
  audit: null,
  tag,
  summary: 'Show the live configuration',
  description: 'The text on disk, which may hold secrets of a template of your own.',
  answers: { 200: { description: 'The live text.', schema: CurrentConfig } },
  codes: [codes.NotFound, codes.ConfigurationFilesUnusable, codes.Attached],
  examples: {
    live: {
      summary: 'The beginning of a text',
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
  summary: 'Try the configuration out',
  description:
    'A dry run: what a reload would deploy is rendered and validated by the proxy, and nothing is changed. One that is refused is an answer here, and no error. `warnings` has all that a reload would warn of before it begins. Takes no body.',
  answers: { 200: { description: 'What template and proxy say.', schema: ValidationAnswer } },
  codes: [codes.Unavailable, codes.ConfigurationFilesUnusable],
  examples: {
    valid: {
      summary: 'A valid one',
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
  summary: 'Show what a reload or a restore would change',
  description:
    'The difference between the live text and what the template renders now, as a unified diff; with `backup`, to what that backup holds: its configuration and the files that are restored with it.',
  query: DiffQuery,
  answers: { 200: { description: 'The difference; empty where there is none.', schema: ConfigDiff } },
  codes: [
    codes.NotFound,
    codes.IntegrityViolated,
    codes.TemplateRefused,
    codes.BlockedRuleMissing,
    codes.ConfigurationFilesUnusable,
    codes.Attached,
  ],
  members: { 422: ReloadMembers },
  examples: {
    none: {
      summary: 'Nothing',
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
  summary: 'Look at one reload',
  description: "With the proxy's own messages where it was refused.",
  params: idParameter,
  answers: { 200: { description: 'The reload.', schema: ReloadRecord } },
  codes: [codes.NotFound],
  examples: { completed: { summary: 'One that was completed', path: { id: record.id }, answer: record } },
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
    'Newest first. One is made before every reload; one that equals the one before it is dropped at once, and the last 20 different ones are kept. One of a configuration that proxy-manager did not write (`written_by: other`) is pruned only where a newer one would restore the same.',
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
    'Puts the configuration of a backup in force by the same safe reload, whoever wrote what is live now; until the next reload with `replace_configuration=true` it stays in force. The maps are always written from the database: a restore never brings back what was blocked then. Takes no body.',
  params: idParameter,
  answers: { 200: { description: 'The proxy runs with it.', schema: ReloadAnswer } },
  codes: [codes.NotFound, codes.IntegrityViolated, ...reloadCodes],
  members: reloadMembers,
  examples: {
    backup: {
      summary: 'A backup that holds what is live',
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
