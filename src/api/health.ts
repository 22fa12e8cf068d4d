import Type, { type Static } from 'typebox';
import { liveOrigin } from './configuration.ts';
import { operation } from './operation.ts';
import {
  count,
  countOrNull,
  described,
  flag,
  flagOrNull,
  integerOrNull,
  listOf,
  model,
  oneOf,
  orNull,
  pid,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

const tag = 'Health';

const WorkerHealth = model('WorkerHealth', 'One worker of the proxy.', {
  pid: pid('The process id of the worker.'),
  whole: flag('Both of its maps were seen to be right.'),
  reason: textOrNull('What they lack; null when they are right.'),
});
export type WorkerHealth = Static<typeof WorkerHealth>;

const DatabaseHealth = model('DatabaseHealth', 'The database.', {
  status: oneOf(['ok', 'down', 'unknown'], 'Whether it was read and written; `unknown`: it did not answer in time.'),
  reason: textOrNull('Why not; null when all is well.'),
});

const MasterSocketHealth = model('MasterSocketHealth', 'The master socket of the proxy.', {
  status: oneOf(['ok', 'down', 'unknown'], 'Whether it answered; `unknown`: it could not be asked in time.'),
  reason: textOrNull('Why not; null when all is well.'),
  since: timeOrNull('Since when it counts as down; null when it does not.'),
});

const WorkersHealth = model('WorkersHealth', 'The workers of the proxy.', {
  current: orNull(WorkerHealth, 'The one that takes new connections; null when there is none.'),
  draining: listOf(WorkerHealth, 'Those that only finish what they have begun.'),
});

const MapFileHealth = model('MapFileHealth', 'The map files.', {
  status: oneOf(
    ['ok', 'behind', 'unknown'],
    '`behind`: not what was written, or not what it should be; `unknown`: it could not be looked at in time.',
  ),
  reason: textOrNull('What is wrong; null when all is well.'),
  entries: count('How many addresses the map file of the blocked ones holds.'),
});

const BigChange = model(
  'BigChange',
  'What it has stored so far. The running map may lack of the one, and still hold the other, until it ends.',
  {
    added: count('How many addresses are blocked by it so far.'),
    removed: count('How many addresses are not blocked any more.'),
  },
);

const RuntimeMapHealth = model('RuntimeMapHealth', "The current worker's map of blocked addresses.", {
  expected: count('How many entries it should hold.'),
  seen: countOrNull('How many it holds; null when it could not be asked.'),
  big_change: orNull(BigChange, 'The list or large batch that is being applied; null: none is.'),
  last_verified_at: timeOrNull('When it was last seen to be right, entry by entry; null: not yet.'),
});

const LastReload = model('LastReload', 'The last reload since the service started.', {
  id: text('Its id in the history.'),
  status: oneOf(['completed', 'refused', 'failed'], 'What came of it.'),
  finished_at: time('When it ended.'),
  error: textOrNull('Why it did not complete; null where it did, and for a key below `admin`.'),
  error_code: integerOrNull(100, 99_999, 'The code of the error; null where it completed.'),
});

const ConfigurationDrift = model(
  'ConfigurationDrift',
  'Whether the live configuration is what sites, settings and template give now. It does not degrade the status: blocking is enforced all the same.',
  {
    status: oneOf(
      ['none', 'drift', 'unknown'],
      '`drift`: they differ, and `GET /api/config/diff` says how; `unknown`: it could not be rendered or read.',
    ),
    live: liveOrigin(
      'Who wrote the live text: `rendered` from the template; `restored` from a backup; `other`: written or edited by hand. The last two are replaced only with `replace_configuration=true`. Null: there is none, or it is not known.',
    ),
    backup: textOrNull('The id of the backup that was restored; null: none was.'),
    added: countOrNull('How many lines a reload would add; null: not known.'),
    removed: countOrNull('How many lines a reload would remove; null: not known.'),
    reason: textOrNull('Why it is not known; the full text is for `admin` keys.'),
  },
);
/** Whether the live configuration is what sites, settings and template give now. */
export type DriftReport = Static<typeof ConfigurationDrift>;

const FrontEnd = model('FrontEnd', 'A frontend or listen section that binds an address.', {
  name: text('Its name.'),
  place: text('File and line of its section.'),
  mode: text("HAProxy's word for it: `http`, `tcp` and others."),
  has_rule: flag('It denies what the blocked map holds. One without a rule that is not open degrades the status.'),
  answered_before: textOrNull(
    'File and line of what may answer requests before that; null: nothing does. With `has_rule: false` it keeps a rule that is there from counting; with `has_rule: true` it does not degrade the status.',
  ),
  open: flag('It is to have no rule: `PROXY_MANAGER_OPEN_FRONT_ENDS` names it.'),
});
export type FrontEndReport = Static<typeof FrontEnd>;

const Attached = model(
  'Attached',
  'What an attached service sees of the configuration that HAProxy runs, and that others write.',
  {
    files: texts('The files that HAProxy reads, in their order.'),
    front_ends: listOf(FrontEnd, 'As the current worker loaded them, as far as that is known.'),
    changed_since_load: flag('The files are not what the current worker loaded.'),
    reload_by: text('How the service reloads HAProxy: `master`, `never` or `systemd:UNIT`.'),
  },
);
export type AttachedReport = Static<typeof Attached>;

const TrustedMapHealth = model('TrustedMapHealth', 'The map of trusted addresses.', {
  used: flagOrNull(
    'Every rule of the live configuration that denies blocked addresses makes an exception for it; false: trusted addresses are denied like others; null: not known, the configuration could not be read or has no such rule.',
  ),
  entries: count('How many addresses and networks are trusted.'),
});

const ScheduledReload = model('ScheduledReload', 'A reload that follows by itself.', {
  reasons: texts('Why: who asked, or what made it necessary.'),
  since: time('Since when.'),
  attempts: count('How often it was tried.'),
});

const Versions = model('Versions', 'Versions.', {
  service: text('Of this service.'),
  proxy: text('Of the proxy, as it prints it.'),
  untested: textOrNull(
    'A sentence when the version of the proxy is not one that the service is tested with; null otherwise. It does not degrade the status.',
  ),
});

export const Health = model('Health', 'The truth about the whole.', {
  status: oneOf(
    ['ok', 'degraded', 'down'],
    '`ok`; `degraded`: blocking may not be enforced somewhere, or something could not be looked at in time; `down`: no database, or no worker.',
  ),
  reasons: texts('What is wrong, a sentence each; empty when all is well.'),
  database: described(DatabaseHealth, 'The database.'),
  master_socket: described(MasterSocketHealth, 'The master socket of the proxy.'),
  workers: described(WorkersHealth, 'The workers of the proxy.'),
  map_file: described(MapFileHealth, 'The map files.'),
  runtime_map: described(RuntimeMapHealth, "The current worker's map of blocked addresses."),
  last_reload: orNull(LastReload, 'The last reload since the service started; null: there was none.'),
  configuration_drift: orNull(
    ConfigurationDrift,
    'Whether the live configuration is what sites, settings and template give now; null: the service is attached.',
  ),
  attached: orNull(Attached, 'The configuration that others write, where the service is attached; null: it is not.'),
  trusted_map: described(TrustedMapHealth, 'The map of trusted addresses.'),
  scheduled_reload: orNull(ScheduledReload, 'The reload that follows by itself; null: none does.'),
  versions: described(Versions, 'Versions.'),
});
export type Health = Static<typeof Health>;

const word = (text: string) => Type.Unsafe<string>({ type: 'string', const: text });

const health = {
  status: 'ok',
  reasons: [],
  database: { status: 'ok', reason: null },
  master_socket: { status: 'ok', reason: null, since: null },
  workers: { current: { pid: 4711, whole: true, reason: null }, draining: [] },
  map_file: { status: 'ok', reason: null, entries: 2 },
  runtime_map: { expected: 2, seen: 2, big_change: null, last_verified_at: '2026-11-20T12:00:00.000Z' },
  last_reload: {
    id: '20261120T115900456Z-5e6f7a8b',
    status: 'completed',
    finished_at: '2026-11-20T11:59:00.600Z',
    error: null,
    error_code: null,
  },
  configuration_drift: { status: 'none', live: 'rendered', backup: null, added: 0, removed: 0, reason: null },
  attached: null,
  trusted_map: { used: true, entries: 0 },
  scheduled_reload: null,
  versions: { service: '0.1.0', proxy: '3.0.11-1+deb13u2', untested: null },
} satisfies Health;

export const getHealth = operation({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  access: 'read',
  audit: null,
  tag,
  summary: 'Say whether blocking is enforced, and if not, why',
  description:
    'Probed when asked, never from a cache, and answered within three seconds, whatever hangs. Degraded: an address that is to be blocked may get through somewhere, or something could not be looked at in time, and `reasons` say which. Down: no usable database, or no worker of the proxy.',
  answers: {
    200: { description: 'All is well.', schema: Health },
    503: { description: 'Degraded or down; `status` says which, and `reasons` why.', schema: Health },
  },
  examples: { ok: { summary: 'All is well', answer: health } },
});

export const getLiveness = operation({
  id: 'getLiveness',
  method: 'GET',
  path: '/livez',
  access: 'open',
  audit: null,
  tag,
  summary: 'Say that the process answers',
  description: 'For machines that restart what does not answer. Needs no key and tells nothing else.',
  answers: { 200: { description: 'It answers.', content: { 'text/plain': word('alive') } } },
  examples: { alive: { summary: 'It answers', answer: 'alive' } },
});

export const getReadiness = operation({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  access: 'open',
  audit: null,
  tag,
  summary: 'Say whether the service serves',
  description: 'For machines that send traffic to what is ready. Needs no key and tells nothing else.',
  answers: {
    200: { description: 'It serves.', content: { 'text/plain': word('ready') } },
    503: { description: 'It does not serve yet, or has no database.', content: { 'text/plain': word('unready') } },
  },
  examples: { ready: { summary: 'It serves', answer: 'ready' } },
});

export const healthOperations = [getHealth, getLiveness, getReadiness] as const;
