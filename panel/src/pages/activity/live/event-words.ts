// An event in one sentence. What a key may not see is absent from its events, so nothing here counts on a member.
import type { ServiceEvent } from '../../../live/service-event.ts';
import { spanText } from '../../../parts/age.tsx';
import type { Tone } from '../../../parts/state-mark.tsx';
import { tookText } from '../../../parts/took-text.ts';

export interface EventWords {
  readonly tone: Tone;
  readonly words: string;
}

type Data = ServiceEvent['data'];
type Teller = (data: Data, at: number) => EventWords;

const tellers: Readonly<Record<string, Teller>> = {
  'entry.blocked': (data, at) => ({
    ...enforced(data),
    words: `${text(data, 'ip_address')} was ${data.created === false ? 'blocked again' : 'blocked'}${by(data)}${until(data, at)}${because(data)}${notSeen(data)}`,
  }),
  'entry.unblocked': (data) => ({
    ...enforced(data),
    words: `${text(data, 'ip_address')} was unblocked${by(data)}${notSeen(data)}`,
  }),
  'entry.expired': (data) => ({
    ...enforced(data),
    words: `The block of ${text(data, 'ip_address')} ended by itself${notSeen(data)}`,
  }),
  'entries.changed': (data) => ({
    ...enforced(data),
    words: `${bulk(data)}${by(data)}: ${count(data, 'added')} added, ${count(data, 'removed')} removed, ${count(data, 'unchanged')} as they were${notSeen(data)}`,
  }),
  'sync.done': (data) => ({
    tone: data.runtime_map_synced === true ? 'good' : 'warn',
    words:
      data.runtime_map_synced === true
        ? `The proxy was compared with the database${by(data)}: ${count(data, 'added')} put in, ${count(data, 'removed')} taken out, all right now`
        : `The proxy was compared with the database${by(data)}, and does not match it yet`,
  }),
  'drift.seen': (data) => ({
    tone: 'warn',
    words:
      data.seen === data.expected
        ? `Worker ${text(data, 'worker')} holds as many entries of ${mapName(data)} as it should, but not all of them are right`
        : `Worker ${text(data, 'worker')} holds ${count(data, 'seen')} entries of ${mapName(data)} where ${count(data, 'expected')} should be`,
  }),
  'drift.repaired': (data) => ({
    tone: 'good',
    words: `Worker ${text(data, 'worker')} was repaired: ${count(data, 'added')} entries of ${mapName(data)} put in, ${count(data, 'removed')} taken out, ${count(data, 'corrected')} corrected`,
  }),
  'reload.started': (data) => ({ tone: 'unknown', words: `A reload began${reasons(data)}` }),
  'reload.completed': (data) => ({
    tone: 'good',
    words: `The proxy was reloaded${data.changed === true ? ' with a changed configuration' : ''}: ${worker(data)}, in ${took(data)}`,
  }),
  'reload.failed': (data) => ({
    tone: 'bad',
    words: `A reload ${data.status === 'refused' ? 'was refused' : 'failed'}${after(data, 'error')}`,
  }),
  'trust.added': (data) => ({
    ...enforced(data),
    words: `${text(data, 'ip_address')} is trusted${by(data)}${after(data, 'note')}${notSeen(data)}`,
  }),
  'trust.removed': (data) => ({
    ...enforced(data),
    words: `${text(data, 'ip_address')} is not trusted any more${by(data)}${notSeen(data)}`,
  }),
  'trust.expired': (data) => ({
    ...enforced(data),
    words: `The trust of ${text(data, 'ip_address')} expired${notSeen(data)}`,
  }),
  'site.set': (data) => ({
    tone: 'good',
    words: `The site ${text(data, 'domain')} was ${data.created === true ? 'added' : 'changed'}${by(data)}`,
  }),
  'site.removed': (data) => ({ tone: 'good', words: `The site ${text(data, 'domain')} was removed${by(data)}` }),
  'key.created': (data) => ({ tone: 'good', words: `The key ${text(data, 'name')} was made${by(data)}` }),
  'key.revoked': (data) => ({ tone: 'good', words: `The key ${text(data, 'name')} was revoked${by(data)}` }),
  'webhook.set': (data) => ({
    tone: 'good',
    words: `The webhook ${text(data, 'id')} was set${data.enabled === false ? ', switched off' : ''}${by(data)}`,
  }),
  'webhook.removed': (data) => ({ tone: 'good', words: `The webhook ${text(data, 'id')} was removed${by(data)}` }),
  'health.changed': health,
  'worker.appeared': (data) => ({ tone: 'unknown', words: `Worker ${text(data, 'pid')} appeared` }),
  'worker.gone': (data) => ({ tone: 'unknown', words: `Worker ${text(data, 'pid')} is gone` }),
  'service.started': (data) => ({
    tone: 'good',
    words: `The service started: ${text(data, 'version')}, HAProxy ${text(data, 'proxy')}`,
  }),
  'service.stopping': () => ({ tone: 'warn', words: 'The service is stopping; the proxy goes on' }),
  gap: () => ({
    tone: 'warn',
    words: 'What happened before this is not here: the page was away for too long, or the service started anew',
  }),
};

export function eventWords({ type, data, at }: ServiceEvent): EventWords {
  const tell = tellers[type];
  // An event of a newer service.
  return tell === undefined
    ? { tone: 'unknown', words: `${type} ${JSON.stringify(data)}` }
    : tell(data, Date.parse(at));
}

function health(data: Data): EventWords {
  const why = Array.isArray(data.reasons) && data.reasons.length > 0 ? `: ${data.reasons.join('; ')}` : '';
  if (data.status === 'ok') return { tone: 'good', words: 'Blocking is enforced everywhere' };
  if (data.status === 'down') return { tone: 'bad', words: `Blocking is not served${why}` };
  return { tone: 'warn', words: `Blocking may not be enforced everywhere${why}` };
}

function enforced(data: Data): { readonly tone: Tone } {
  return { tone: data.runtime_map_updated === false ? 'warn' : 'good' };
}

function notSeen(data: Data): string {
  return data.runtime_map_updated === false ? '; not every worker was seen to have it yet' : '';
}

function text(data: Data, name: string): string {
  const value = data[name];
  return value === undefined || value === null ? '?' : String(value);
}

function count(data: Data, name: string): string {
  const value = data[name];
  return typeof value === 'number' ? value.toLocaleString() : '?';
}

function by(data: Data): string {
  return typeof data.by === 'string' ? ` by ${data.by}` : '';
}

function because(data: Data): string {
  return typeof data.reason === 'string' && data.reason !== '' ? `: ${data.reason}` : '';
}

function after(data: Data, name: string): string {
  return typeof data[name] === 'string' && data[name] !== '' ? `: ${data[name]}` : '';
}

function until(data: Data, at: number): string {
  const end = data.expires_at;
  return typeof end === 'string' ? ` for ${spanText(Date.parse(end) - at)}` : '';
}

function reasons(data: Data): string {
  return Array.isArray(data.reasons) && data.reasons.length > 0 ? `: ${data.reasons.join('; ')}` : '';
}

function worker(data: Data): string {
  const { worker_before: before, worker_after: now } = data;
  return before === null || before === undefined ? `worker ${now} runs` : `worker ${now} took over from ${before}`;
}

function took(data: Data): string {
  return typeof data.duration_ms === 'number' ? tookText(data.duration_ms) : 'an unknown time';
}

function mapName(data: Data): string {
  return data.map === 'trusted' ? 'the trusted map' : 'the blocked map';
}

function bulk(data: Data): string {
  if (data.operation === 'replace') return 'The whole list was replaced';
  return data.operation === 'expire' ? 'Many blocks ended by themselves' : 'Many entries were changed at once';
}
