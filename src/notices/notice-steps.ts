// Which facts a person on call should know of. A notice ends when its cause does.
import { count } from '../domain/counted.ts';
import type { Facts, FactType } from '../events/facts.ts';
import type { NewNotice } from '../store/notices-store.ts';

export type Step =
  | { readonly kind: 'open'; readonly notice: NewNotice; readonly repeats: boolean }
  | { readonly kind: 'end'; readonly subject: string };

type Rules = { readonly [Type in FactType]?: (fact: Facts[Type]) => Step | readonly Step[] };

const rules: Rules = {
  'health.changed': ({ status, reasons }) => {
    if (status === 'ok') return end('health');
    const down = status === 'down';
    return open('health', 'health.changed', {
      level: down ? 'failure' : 'attention',
      title: down ? 'The service or HAProxy is down' : 'Health is degraded',
      detail: reasons.length === 0 ? null : reasons.join('; '),
      page: '/',
    });
  },
  'reload.failed': ({ status, error }) =>
    open('reload', 'reload.failed', {
      level: 'failure',
      title: status === 'refused' ? 'A reload was refused' : 'A reload of HAProxy failed',
      detail: error,
      detail_for_admins: 1,
      page: '/configuration',
    }),
  'reload.completed': () => end('reload'),
  'attack.started': ({ id, rate, usual, top_networks: networks, top_sites: sites }) => {
    const [network, site] = [networks[0]?.entry, sites[0]?.site];
    const most = [...(site === undefined ? [] : [`at ${site}`]), ...(network === undefined ? [] : [`from ${network}`])];
    return open(`attack ${id}`, 'attack.started', {
      level: 'attention',
      title: `Attack: ${figure(rate)} denied requests a minute`,
      detail: `Usual: ${figure(usual)}. ${most.length === 0 ? '' : `Most of them ${most.join(', ')}. `}All of them get 403.`,
      page: '/denied',
    });
  },
  'attack.ended': ({ id }) => end(`attack ${id}`),
  'candidate.found': ({ ip_address: ip, rate, error_share: errors }) =>
    open(`candidate ${ip}`, 'candidate.found', {
      level: 'attention',
      title: `Candidate: ${ip} is not blocked`,
      detail: `${figure(rate)} requests a second, ${Math.round(errors * 100)} % of them errors (estimated).`,
      repeats: true,
      page: '/candidates',
    }),
  'counting.incomplete': ({ missing }) =>
    open('counting', 'counting.incomplete', {
      level: 'attention',
      title: 'Figures are missing: HAProxy does not count them',
      detail: `The configuration that HAProxy runs lacks ${missing.join(' and ')}. Reload HAProxy (proxy-manager reload); a template or configuration of your own needs the lines of docs/insight.md first.`,
      page: '/configuration',
    }),
  'counting.complete': () => end('counting'),
  'source.useless': ({ source, entries, days }) =>
    open(`source ${source}`, 'source.useless', {
      level: 'attention',
      title: `${source} denied nothing in ${days} days`,
      detail: `It has ${figure(entries)} entries.`,
      repeats: true,
      page: '/sources',
    }),
  'site.down': ({ domain }) =>
    open(siteSubject(domain), 'site.down', {
      level: 'failure',
      title: `${domain} is down`,
      detail: 'No server of the site passes its checks: every request gets 503.',
      page: '/sites',
    }),
  'site.up': ({ domain }) => end(siteSubject(domain)),
  'key.expiring': ({ name, days_left: days }) =>
    open(`key ${name}`, 'key.expiring', {
      level: 'attention',
      title: days === 0 ? 'A key expires within a day' : `A key expires in ${dayCount(days)}`,
      detail: name,
      detail_for_admins: 1,
      repeats: true,
      page: '/keys',
    }),
  'key.expired': ({ name }) =>
    open(`key ${name}`, 'key.expired', {
      level: 'failure',
      title: 'A key has expired',
      detail: `${name}. Revoke it to close this notice.`,
      detail_for_admins: 1,
      page: '/keys',
    }),
  'webhook.failing': ({ id, why, failing_since: since, dropped }) =>
    open(`webhook ${id}`, 'webhook.failing', {
      level: dropped > 0 ? 'failure' : 'attention',
      title: dropped > 0 ? 'A webhook lost events' : 'Events do not reach a webhook',
      detail: `${id}: ${why}, since ${since}.${dropped > 0 ? ` ${droppedText(dropped)} dropped.` : ''}`,
      detail_for_admins: 1,
      page: '/webhooks',
    }),
  'webhook.recovered': ({ id }) => end(`webhook ${id}`),
  'certificate.expiring': ({ id, names, days_left: days }) =>
    open(`certificate ${id}`, 'certificate.expiring', {
      level: 'attention',
      title: `A certificate expires in ${dayCount(days)}`,
      detail: names.join(', '),
      repeats: true,
      page: '/certificates',
    }),
  'certificate.expired': ({ id, names }) =>
    open(`certificate ${id}`, 'certificate.expired', {
      level: 'failure',
      title: 'A certificate has expired',
      detail: names.join(', '),
      page: '/certificates',
    }),
  'certificate.failing': ({ id, names, detail }) =>
    open(`order ${id}`, 'certificate.failing', {
      level: 'attention',
      title: `A certificate could not be ordered: ${names[0] ?? id}`,
      detail,
      page: '/certificates',
    }),
  // It answers requests again; orders that are limited may still wait.
  'certificate.issued': ({ id, directory }) => [...endsOf(id), end(acmeSubject(directory, 'requests'))],
  'acme.paused': ({ directory, scope, until, detail }) =>
    open(acmeSubject(directory, scope), 'acme.paused', {
      level: 'attention',
      title: `Orders pause until ${until}`,
      detail,
      repeats: true,
      page: '/certificates',
    }),
};

/** Empty: it changes no notice. */
export function stepsFor<Type extends FactType>(type: Type, data: Facts[Type]): readonly Step[] {
  if (type === 'operation.done') return stepsForOperation(data as Facts['operation.done']);
  return [rules[type]?.(data) ?? []].flat();
}

function stepsForOperation(done: Facts['operation.done']): readonly Step[] {
  switch (done.operation) {
    // Another version was uploaded, or there is none to expire; neither is ordered any more.
    case 'set_certificate':
    case 'remove_certificate':
      return endsOf(done.subject.certificate);
    case 'stop_renewal':
      return [end(`order ${done.subject.certificate}`)];
    case 'ignore_candidate':
      return [end(`candidate ${done.subject.ip_address}`)];
    case 'remove_source':
      return [end(`source ${done.subject.source}`)];
    case 'revoke_key':
      return [end(`key ${done.subject.name}`)];
    // A change forgets the failures.
    case 'set_webhook':
    case 'remove_webhook':
      return [end(`webhook ${done.subject.webhook}`)];
    default:
      return [];
  }
}

/** What was said of the version before, and of its order. */
function endsOf(certificate: string): readonly Step[] {
  return [end(`certificate ${certificate}`), end(`order ${certificate}`)];
}

function siteSubject(domain: string): string {
  return `site ${domain}`;
}

/** The name of what a notice is about, without its kind: of `site shop.example` the domain. */
export function nameOfSubject(subject: string): string {
  return subject.slice(subject.indexOf(' ') + 1);
}

function droppedText(events: number): string {
  return events === 1 ? '1 event was' : `${figure(events)} events were`;
}

function dayCount(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

function acmeSubject(directory: string, scope: string): string {
  return `acme ${directory} ${scope}`;
}

type Words = Pick<NewNotice, 'level' | 'title' | 'detail' | 'page'> & {
  readonly detail_for_admins?: 0 | 1;
  /** The fact is emitted again while its cause continues, or for another cause: after a day, that is another notice. */
  readonly repeats?: boolean;
};

function open(subject: string, type: string, { detail_for_admins = 0, repeats = false, ...words }: Words): Step {
  return { kind: 'open', notice: { subject, type, detail_for_admins, ...words }, repeats };
}

function end(subject: string): Step {
  return { kind: 'end', subject };
}

function figure(value: number): string {
  return count(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
}
