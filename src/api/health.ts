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

const WorkerHealth = model('WorkerHealth', 'One worker of HAProxy.', {
  pid: pid('The process id of the worker.'),
  whole: flag('Both of its maps are in sync.'),
  reason: textOrNull('Why they are not in sync; null if they are.'),
});
export type WorkerHealth = Static<typeof WorkerHealth>;

const DatabaseHealth = model('DatabaseHealth', 'The database.', {
  status: oneOf(['ok', 'down', 'unknown'], '`ok`: it was read and written; `unknown`: it did not answer in time.'),
  reason: textOrNull('What is wrong; null if the status is `ok`.'),
});

const MasterSocketHealth = model('MasterSocketHealth', 'The master socket of HAProxy.', {
  status: oneOf(['ok', 'down', 'unknown'], '`ok`: it answered; `unknown`: it did not answer in time.'),
  reason: textOrNull('What is wrong; null if the status is `ok`.'),
  since: timeOrNull('Since when it is down; null if it is not.'),
});

const WorkersHealth = model('WorkersHealth', 'The workers of HAProxy.', {
  current: orNull(WorkerHealth, 'The worker that accepts new connections; null: there is none.'),
  draining: listOf(WorkerHealth, 'The workers that serve existing connections only.'),
});

const MapFileHealth = model('MapFileHealth', 'The map files.', {
  status: oneOf(
    ['ok', 'behind', 'unknown'],
    '`behind`: its content is not what it should be; `unknown`: it could not be checked in time.',
  ),
  reason: textOrNull('What is wrong; null if the status is `ok`.'),
  entries: count('How many addresses the map file of blocked addresses has.'),
});

const BigChange = model(
  'BigChange',
  'What the bulk change has stored so far. Until it ends, the running map may lack the added addresses and still have the removed ones.',
  {
    added: count('How many addresses it has added so far.'),
    removed: count('How many addresses it has removed so far.'),
  },
);

const RuntimeMapHealth = model('RuntimeMapHealth', "The current worker's map of blocked addresses.", {
  expected: count('How many entries it should have.'),
  seen: countOrNull('How many entries it has; null: it did not answer.'),
  big_change: orNull(BigChange, 'The list or large batch that is being applied; null: none.'),
  last_verified_at: timeOrNull('When all its entries were last verified; null: not yet.'),
});

const LastReload = model('LastReload', 'The last reload since the service started.', {
  id: text('Its id in the history.'),
  status: oneOf(['completed', 'refused', 'failed'], 'The outcome.'),
  finished_at: time('When it ended.'),
  error: textOrNull('Why it did not complete; null if it did, and for keys without the scope `admin`.'),
  error_code: integerOrNull(100, 99_999, 'The error code; null if it completed.'),
});

const ConfigurationDrift = model(
  'ConfigurationDrift',
  'Whether the live configuration is what sites, settings and template render to now. Drift does not degrade the status: blocking is enforced anyway.',
  {
    status: oneOf(
      ['none', 'drift', 'unknown'],
      '`drift`: they differ, `GET /api/config/diff` shows how; `unknown`: it could not be rendered or read.',
    ),
    live: liveOrigin(
      'The origin of the live configuration: `rendered` from the template, `restored` from a backup, or `other`: written or edited outside proxy-manager. The last two are replaced only with `replace_configuration=true`. Null: there is none, or it is not known.',
    ),
    backup: textOrNull('The id of the restored backup; null: none.'),
    added: countOrNull('How many lines a reload would add; null: not known.'),
    removed: countOrNull('How many lines a reload would remove; null: not known.'),
    reason: textOrNull('Why the status is `unknown`; only `admin` keys get the full text.'),
  },
);
export type DriftReport = Static<typeof ConfigurationDrift>;

const FrontEnd = model('FrontEnd', 'A frontend or listen section that binds an address.', {
  name: text('Its name.'),
  place: text('File and line of its section.'),
  mode: text('The mode in HAProxy: `http`, `tcp` or another.'),
  has_rule: flag('It denies blocked addresses. A front end without the rule degrades the status unless it is `open`.'),
  answered_before: textOrNull(
    'File and line of a rule that may answer requests earlier; null: none. With `has_rule: false` it is the reason why an existing rule does not count; with `has_rule: true` it does not degrade the status.',
  ),
  open: flag('It needs no rule: `PROXY_MANAGER_OPEN_FRONT_ENDS` names it.'),
});
export type FrontEndReport = Static<typeof FrontEnd>;

const Attached = model(
  'Attached',
  'The configuration of HAProxy as an attached service sees it. The service does not write it.',
  {
    files: texts('The files that HAProxy reads, in order.'),
    front_ends: listOf(FrontEnd, 'The front ends that the current worker loaded, as far as known.'),
    changed_since_load: flagOrNull(
      'The files have changed since the current worker loaded them. Null: not known; they could not be read, or the worker does not answer.',
    ),
    reload_by: text('How the service reloads HAProxy: `master`, `never` or `systemd:UNIT`.'),
  },
);
export type AttachedReport = Static<typeof Attached>;

const TrustedMapHealth = model('TrustedMapHealth', 'The map of trusted addresses.', {
  used: flagOrNull(
    'True: every rule that denies blocked addresses exempts trusted addresses. False: trusted addresses are denied like others. Null: the configuration could not be read, or has no such rule.',
  ),
  entries: count('How many addresses and networks are trusted.'),
});

const ScheduledReload = model('ScheduledReload', 'A reload that follows automatically.', {
  reasons: texts('Who requested it, or what made it necessary.'),
  since: time('Since when it is scheduled.'),
  attempts: count('How often it was attempted.'),
});

const Versions = model('Versions', 'The versions of service and HAProxy.', {
  service: text('The version of this service.'),
  proxy: text('The version of HAProxy, as it prints it.'),
  untested: textOrNull(
    'A sentence if the service is not tested with this version of HAProxy; otherwise null. It does not degrade the status.',
  ),
});

const Health = model('Health', 'The state of all parts.', {
  status: oneOf(
    ['ok', 'degraded', 'down'],
    '`degraded`: some blocked requests may get through, or a part could not be checked in time; `down`: no usable database, or no worker.',
  ),
  reasons: texts('What is wrong, one sentence each; empty if the status is `ok`.'),
  database: described(DatabaseHealth, 'The database.'),
  master_socket: described(MasterSocketHealth, 'The master socket of HAProxy.'),
  workers: described(WorkersHealth, 'The workers of HAProxy.'),
  map_file: described(MapFileHealth, 'The map files.'),
  runtime_map: described(RuntimeMapHealth, "The current worker's map of blocked addresses."),
  last_reload: orNull(LastReload, 'The last reload since the service started; null: none.'),
  configuration_drift: orNull(
    ConfigurationDrift,
    'Whether the live configuration is what sites, settings and template render to now; null: the service is attached.',
  ),
  attached: orNull(Attached, 'The configuration of HAProxy if the service is attached; otherwise null.'),
  trusted_map: described(TrustedMapHealth, 'The map of trusted addresses.'),
  scheduled_reload: orNull(ScheduledReload, 'The reload that follows automatically; null: none.'),
  notices: texts(
    'What an operator should know and what does not degrade the status, one sentence each: an upstream that sent requests without a client, a denied page that was refused, an access log without its socket. Empty also while they could not be read in time.',
  ),
  unbound_keys: orNull(
    texts('Their names.'),
    'Valid keys with the scope `block`, without `admin`, that are not bound to a source: their unblocks drop the blocks of operators. Bind each to a source, or mark it as `manual`. It does not degrade the status. Null: the database did not answer in time.',
  ),
  versions: described(Versions, 'The versions of service and HAProxy.'),
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
  notices: [],
  unbound_keys: [],
  versions: { service: '0.1.0', proxy: '3.0.11-1+deb13u2', untested: null },
} satisfies Health;

export const getHealth = operation({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  access: 'read',
  audit: null,
  quiet: true,
  tag,
  summary: 'Check whether blocking is enforced',
  description:
    'All parts are probed at each request, never from a cache. The response comes within three seconds even if a part hangs. Degraded: some blocked requests may get through, a certificate is at risk, or a part could not be checked in time; `reasons` has the details. Down: no usable database, or no worker of HAProxy.',
  answers: {
    200: { description: 'Blocking is enforced.', schema: Health },
    503: { description: 'Degraded or down: see `status` and `reasons`.', schema: Health },
  },
  examples: { ok: { summary: 'Blocking is enforced', answer: health } },
});

export const getLiveness = operation({
  id: 'getLiveness',
  method: 'GET',
  path: '/livez',
  access: 'open',
  audit: null,
  tag,
  summary: 'Check whether the process is alive',
  description: 'A liveness probe. Needs no key and returns nothing else.',
  answers: { 200: { description: 'The process is alive.', content: { 'text/plain': word('alive') } } },
  examples: { alive: { summary: 'The process is alive', answer: 'alive' } },
});

export const getReadiness = operation({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  access: 'open',
  audit: null,
  tag,
  summary: 'Check whether the service is ready',
  description: 'A readiness probe. Needs no key and returns nothing else.',
  answers: {
    200: { description: 'The service is ready.', content: { 'text/plain': word('ready') } },
    503: {
      description: 'The service is starting, or its database is unusable.',
      content: { 'text/plain': word('unready') },
    },
  },
  examples: { ready: { summary: 'The service is ready', answer: 'ready' } },
});

export const healthOperations = [getHealth, getLiveness, getReadiness] as const;
