import Type from 'typebox';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

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
};

export const operations: OperationDocs = {
  'GET /health': {
    id: 'getHealth',
    tag: 'Health',
    summary: 'Say whether blocking is enforced, and if not, why',
    description:
      'Probed when asked, never from a cache, and answered within three seconds, whatever hangs. Degraded: an address that is to be blocked may get through somewhere, or something could not be looked at in time, and `reasons` say which. Down: no usable database, or no worker of the proxy.',
    answers: {
      200: { description: 'All is well.' },
      503: { description: 'Degraded or down; `status` says which, and `reasons` why.' },
    },
    examples: { ok: { summary: 'All is well', answer: health } },
  },
  'GET /livez': {
    id: 'getLiveness',
    tag: 'Health',
    summary: 'Say that the process answers',
    description: 'For machines that restart what does not answer. Needs no key and tells nothing else.',
    answers: { 200: { description: 'It answers.', content: { 'text/plain': word('alive') } } },
    examples: { alive: { summary: 'It answers', answer: 'alive' } },
  },
  'GET /readyz': {
    id: 'getReadiness',
    tag: 'Health',
    summary: 'Say whether the service serves',
    description: 'For machines that send traffic to what is ready. Needs no key and tells nothing else.',
    answers: {
      200: { description: 'It serves.', content: { 'text/plain': word('ready') } },
      503: { description: 'It does not serve yet, or has no database.', content: { 'text/plain': word('unready') } },
    },
    examples: { ready: { summary: 'It serves', answer: 'ready' } },
  },
};

export const models: FieldDocs = {
  Health: 'The truth about the whole.',
  DatabaseHealth: 'The database.',
  MasterSocketHealth: 'The master socket of the proxy.',
  WorkersHealth: 'The workers of the proxy.',
  WorkerHealth: 'One worker of the proxy.',
  MapFileHealth: 'The map files.',
  RuntimeMapHealth: "The current worker's map of blocked addresses.",
  BigChange: 'What it has stored so far. The running map may lack of the one, and still hold the other, until it ends.',
  LastReload: 'The last reload since the service started.',
  ConfigurationDrift:
    'Whether the live configuration is what sites, settings and template give now. It does not degrade the status: blocking is enforced all the same.',
  Attached: 'What an attached service sees of the configuration that HAProxy runs, and that others write.',
  FrontEnd: 'A frontend or listen section that binds an address.',
  TrustedMapHealth: 'The map of trusted addresses.',
  ScheduledReload: 'A reload that follows by itself.',
  Versions: 'Versions.',
};

export const fields: FieldDocs = {
  'Health.status':
    '`ok`; `degraded`: blocking may not be enforced somewhere, or something could not be looked at in time; `down`: no database, or no worker.',
  'Health.reasons': 'What is wrong, a sentence each; empty when all is well.',
  'Health.database': 'The database.',
  'Health.master_socket': 'The master socket of the proxy.',
  'Health.workers': 'The workers of the proxy.',
  'Health.map_file': 'The map files.',
  'Health.runtime_map': "The current worker's map of blocked addresses.",
  'Health.last_reload': 'The last reload since the service started; null: there was none.',
  'Health.configuration_drift':
    'Whether the live configuration is what sites, settings and template give now; null: the service is attached.',
  'Health.attached': 'The configuration that others write, where the service is attached; null: it is not.',
  'Health.trusted_map': 'The map of trusted addresses.',
  'Health.scheduled_reload': 'The reload that follows by itself; null: none does.',
  'Health.versions': 'Versions.',
  'Attached.files': 'The files that HAProxy reads, in their order.',
  'Attached.front_ends': 'As the current worker loaded them, as far as that is known.',
  'Attached.changed_since_load': 'The files are not what the current worker loaded.',
  'Attached.reload_by': 'How the service reloads HAProxy: `master`, `never` or `systemd:UNIT`.',
  'FrontEnd.name': 'Its name.',
  'FrontEnd.place': 'File and line of its section.',
  'FrontEnd.mode': "HAProxy's word for it: `http`, `tcp` and others.",
  'FrontEnd.has_rule': 'It denies what the blocked map holds. One without a rule that is not open degrades the status.',
  'FrontEnd.answered_before':
    'File and line of what may answer requests before that; null: nothing does. With `has_rule: false` it keeps a rule that is there from counting; with `has_rule: true` it does not degrade the status.',
  'FrontEnd.open': 'It is to have no rule: `PROXY_MANAGER_OPEN_FRONT_ENDS` names it.',
  'DatabaseHealth.status': 'Whether it was read and written; `unknown`: it did not answer in time.',
  'DatabaseHealth.reason': 'Why not; null when all is well.',
  'MasterSocketHealth.status': 'Whether it answered; `unknown`: it could not be asked in time.',
  'MasterSocketHealth.reason': 'Why not; null when all is well.',
  'MasterSocketHealth.since': 'Since when it counts as down; null when it does not.',
  'WorkersHealth.current': 'The one that takes new connections; null when there is none.',
  'WorkersHealth.draining': 'Those that only finish what they have begun.',
  'WorkerHealth.whole': 'Both of its maps were seen to be right.',
  'WorkerHealth.reason': 'What they lack; null when they are right.',
  'MapFileHealth.status':
    '`behind`: not what was written, or not what it should be; `unknown`: it could not be looked at in time.',
  'MapFileHealth.reason': 'What is wrong; null when all is well.',
  'MapFileHealth.entries': 'How many addresses the map file of the blocked ones holds.',
  'Versions.untested':
    'A sentence when the version of the proxy is not one that the service is tested with; null otherwise. It does not degrade the status.',
  'RuntimeMapHealth.expected': 'How many entries it should hold.',
  'RuntimeMapHealth.seen': 'How many it holds; null when it could not be asked.',
  'RuntimeMapHealth.big_change': 'The list or large batch that is being applied; null: none is.',
  'RuntimeMapHealth.last_verified_at': 'When it was last seen to be right, entry by entry; null: not yet.',
  'BigChange.added': 'How many addresses are blocked by it so far.',
  'BigChange.removed': 'How many addresses are not blocked any more.',
  'LastReload.id': 'Its id in the history.',
  'LastReload.status': 'What came of it.',
  'LastReload.finished_at': 'When it ended.',
  'LastReload.error': 'Why it did not complete; null where it did, and for a key below `admin`.',
  'LastReload.error_code': 'The code of the error; null where it completed.',
  'ConfigurationDrift.status':
    '`drift`: they differ, and `GET /api/config/diff` says how; `unknown`: it could not be rendered or read.',
  'ConfigurationDrift.live':
    'Who wrote the live text: `rendered` from the template; `restored` from a backup; `other`: written or edited by hand. The last two are replaced only with `replace_configuration=true`. Null: there is none, or it is not known.',
  'ConfigurationDrift.backup': 'The id of the backup that was restored; null: none was.',
  'ConfigurationDrift.added': 'How many lines a reload would add; null: not known.',
  'ConfigurationDrift.removed': 'How many lines a reload would remove; null: not known.',
  'ConfigurationDrift.reason': 'Why it is not known; the full text is for `admin` keys.',
  'TrustedMapHealth.used':
    'Every rule of the live configuration that denies blocked addresses makes an exception for it; false: trusted addresses are denied like others; null: not known, the configuration could not be read or has no such rule.',
  'TrustedMapHealth.entries': 'How many addresses and networks are trusted.',
  'ScheduledReload.since': 'Since when.',
  'ScheduledReload.attempts': 'How often it was tried.',
  'Versions.service': 'Of this service.',
  'Versions.proxy': 'Of the proxy, as it prints it.',
};
