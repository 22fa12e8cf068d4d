import { codes, lookUpCode } from '../../errors/catalogue.ts';
import type { Problem } from '../../errors/problem.ts';
import type { FieldError } from '../../errors/service-error.ts';

interface RouteNature {
  readonly open: boolean;
  readonly body: 'none' | 'schema' | 'streamed';
  readonly pathFields: readonly string[];
  /** Null: it ignores its query. */
  readonly queryFields: readonly string[] | null;
}

export function commonCodes({ open, body, pathFields, queryFields }: RouteNature): number[] {
  return [
    // Raised before or outside the handler.
    codes.InvalidParameter,
    codes.TooLarge,
    codes.RequestTimeout,
    codes.TooMuchAtOnce,
    codes.Internal,
    // The key is looked up in the database.
    ...(open ? [] : [codes.Unauthorized, codes.Forbidden, codes.TooManyFailedKeys, codes.DatabaseUnusable]),
    ...(body === 'none' ? [codes.UnexpectedBody] : [codes.InvalidBody, codes.UnsupportedMediaType]),
    ...(body === 'schema' || queryFields !== null ? [codes.UnknownField] : []),
    ...(pathFields.includes('ip_address') ? [codes.InvalidAddress] : []),
    ...(pathFields.includes('domain') ? [codes.InvalidDomain] : []),
    ...(queryFields?.includes('cursor') === true ? [codes.InvalidCursor] : []),
  ];
}

interface Sample {
  readonly op: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly members?: Readonly<Record<string, unknown>>;
}

const field = (name: string, description: string): Pick<Sample, 'detail' | 'errors'> => ({
  detail: `${name}: ${description}`,
  errors: [{ name, description }],
});

const wrongCursor = 'this service did not issue the cursor; start again without a cursor';

/** Codes without one are returned by no route; document.test.ts lists them. */
const samples: Readonly<Record<number, Sample>> = {
  [codes.InsightOff]: { op: 'insight', detail: 'denied requests are not counted: PROXY_MANAGER_INSIGHT is off' },
  [codes.NotWatched]: { op: 'select entries', detail: 'denied requests have been watched for 12 days, not for 90' },
  [codes.NoSuchNotice]: { op: 'read notices', detail: 'up_to is 99, and the newest notice is 12' },
  [codes.InsightLoading]: { op: 'get insight', detail: 'the figures of denied requests are not loaded yet' },
  [codes.InvalidParameter]: {
    op: 'read request',
    ...field('duration_seconds', '0 is not valid: it must be a whole number from 1 to 3155760000'),
  },
  [codes.InvalidAddress]: {
    op: 'read request',
    ...field('ip_address', '203.0.113.7/24 has host bits set; did you mean 203.0.113.0/24?'),
  },
  [codes.InvalidBody]: { op: 'read request', detail: 'the body is not valid JSON in UTF-8' },
  [codes.UnknownField]: {
    op: 'read request',
    ...field('reason', 'unknown field; the fields are note, expires_at, duration_seconds'),
  },
  [codes.InvalidTime]: {
    op: 'read request',
    ...field('expires_at', 'tomorrow is not a time with a time zone; use one such as 2030-01-31T12:00:00Z'),
  },
  [codes.InvalidDomain]: {
    op: 'read request',
    ...field('domain', '*.example.com is a wildcard; name the site by a host name and give the wildcard in names'),
  },
  [codes.InvalidServer]: {
    op: 'read request',
    ...field('servers[0].address', 'the server address 10.0.0.0/8 is a network; give one address'),
  },
  [codes.InvalidCursor]: {
    op: 'read page',
    detail: wrongCursor,
    errors: [{ name: 'cursor', description: wrongCursor }],
  },
  [codes.UnexpectedBody]: { op: 'read request', detail: 'this request must not have a body; send it without one' },
  [codes.Unauthorized]: {
    op: 'authenticate request',
    detail: 'a valid API key is required; send the header Authorization: Bearer KEY',
  },
  [codes.Forbidden]: {
    op: 'authorize request',
    detail: 'this request needs the scope admin, but the key fail2ban has only block; use a key with the scope admin',
    members: { missing_scope: 'admin' },
  },
  [codes.Conflict]: {
    op: 'revoke key',
    detail:
      'ops is the last valid key with the scope admin; create another one first: without one no key could be created',
  },
  [codes.Internal]: {
    op: 'serve request',
    detail: 'unexpected error; the log has the cause under the id of this request',
  },
  [codes.IntegrityViolated]: {
    op: 'read backup',
    detail: 'the backup 20261120T124300123Z-1a2b3c4d cannot be used: proxy.cfg is damaged',
  },
  [codes.NotUnique]: {
    op: 'create key',
    detail: 'the name fail2ban is or was in use; choose another name',
  },
  [codes.NotFound]: { op: 'get', detail: '203.0.113.7 has no entry of its own' },
  [codes.Unavailable]: {
    op: 'safe reload',
    detail: 'HAProxy could not check the configuration: spawn haproxy ENOENT',
  },
  [codes.ProxyNotRunning]: { op: 'safe reload', detail: 'the reload was not confirmed: no master of HAProxy runs' },
  [codes.TemplateRefused]: {
    op: 'safe reload',
    detail: 'the template could not be rendered: proxy.cfg.liquid: undefined variable: servers, line:12, col:3',
    members: { output: 'proxy.cfg.liquid: undefined variable: servers, line:12, col:3' },
  },
  [codes.ProxyRefusesConfiguration]: {
    op: 'safe reload',
    detail: "HAProxy refuses the new configuration: [ALERT] parsing [/etc/proxy/proxy.cfg:12]: unknown keyword 'sever'",
    members: {
      output: "[ALERT] parsing [/etc/proxy/proxy.cfg:12]: unknown keyword 'sever'",
      restored: true,
      worker_before: 4711,
      worker_after: 4800,
    },
  },
  [codes.BlockedRuleMissing]: {
    op: 'safe reload',
    detail: 'the template renders a configuration without the rule for the blocked map, so no block would be enforced',
  },
  [codes.TooLarge]: { op: 'read request', detail: 'the body is larger than the 65,536 bytes that this request allows' },
  [codes.TooManyFailedKeys]: {
    op: 'authenticate request',
    detail: 'too many wrong API keys were sent from your address; retry in 40 seconds, or now with a valid key',
  },
  [codes.QueueFull]: {
    op: 'change blocked set',
    detail: '100000 changes are waiting, and the limit is 100000; retry shortly',
  },
  [codes.DatabaseUnusable]: { op: 'change blocked set', detail: 'the database cannot be written: its disk is full' },
  [codes.MapFileUnusable]: {
    op: 'update map file',
    detail: 'the map file /etc/proxy/blocked_ips.map could not be written: EROFS: read-only file system',
  },
  [codes.ReloadRolledBack]: {
    op: 'safe reload',
    detail:
      'the reload was not confirmed: no new worker was seen within 60 s; the last known good configuration is back in force',
    members: { restored: true, worker_before: 4711, worker_after: 4800 },
  },
  [codes.ShrinkRefused]: {
    op: 'update map file',
    detail:
      'the map file /etc/proxy/blocked_ips.map has 1000 entries, the database only 100: a rewrite would drop more than half',
  },
  [codes.CoveredByTrust]: {
    op: 'block',
    detail:
      '203.0.113.7 is covered by the trusted 203.0.113.0/28, which overrides blocks; to store it anyway, send force: true with an admin key',
    members: { overridden_by: ['203.0.113.0/28'] },
  },
  [codes.InsideUpstream]: {
    op: 'block',
    detail:
      '10.0.3.7 is inside 10.0.3.0/24, a network of the upstream lb, which is served because it acts for its clients: block the address of the client instead; to store it anyway, send force: true with an admin key',
    members: { upstream: 'lb' },
  },
  [codes.InvalidUpstream]: {
    op: 'read request',
    ...field('header', 'give the header that names the client, or proxy_protocol: true'),
  },
  [codes.InvalidCertificate]: {
    op: 'add certificate',
    ...field(
      'certificate',
      'the chain is not complete: the certificate of C=US, O=Example CA, CN=E8 is missing; append it, or allow an incomplete chain if every client has it',
    ),
  },
  [codes.NameHasCertificate]: {
    op: 'add certificate',
    detail:
      'the name shop.example.com belongs to the certificate c-7f3kq2m4xa; replace that certificate, or remove it first. Nothing was changed',
    members: { owned: [{ name: 'shop.example.com', certificate: 'c-7f3kq2m4xa' }] },
  },
  [codes.TlsNotConfigured]: {
    op: 'add certificate',
    detail:
      'HAProxy serves no TLS, because PROXY_MANAGER_HTTPS_BIND is empty: set it, such as to any:443, restart the service, and reload HAProxy',
    members: { setting: 'PROXY_MANAGER_HTTPS_BIND' },
  },
  [codes.CertificateOfApi]: {
    op: 'remove certificate',
    detail:
      'the API serves HTTPS with c-7f3kq2m4xa (PROXY_MANAGER_LISTEN_CERTIFICATE); nothing was changed. Set another one, restart the service, and remove it then',
  },
  [codes.CertificateInUse]: {
    op: 'remove certificate',
    detail:
      'HAProxy serves c-7f3kq2m4xa for the site shop.example.com, which would lose its certificate; nothing was changed. To do it anyway, send force=true',
    members: { sites: ['shop.example.com'], sites_total: 1 },
  },
  [codes.AcmeNotConfigured]: {
    op: 'request certificate',
    detail:
      'the service orders no certificates: set PROXY_MANAGER_ACME_TERMS_AGREED=true if you agree to the terms of the authority, and restart the service',
    members: { setting: 'PROXY_MANAGER_ACME_TERMS_AGREED' },
  },
  [codes.ChallengesNotShown]: {
    op: 'request certificate',
    detail:
      'nothing is ordered: the challenge cannot be answered: a request of this service to 127.0.0.1:80 for a challenge of shop.example.com got status 301 to "https://shop.example.com/", not the answer; the rule for ACME challenges has to come before all other rules of the front end there',
  },
  [codes.CertificateListUnused]: {
    op: 'request certificate',
    detail:
      'nothing is ordered: no bind line of /etc/proxy/proxy.cfg uses the list /etc/proxy/tls/certificates.list, so HAProxy would not serve the certificate; reload HAProxy (proxy-manager reload); a template of your own needs this in its bind line for HTTPS: ssl crt {{ tls_default }} crt-list {{ tls_list }}',
  },
  [codes.ChallengesNotReady]: {
    op: 'request certificate',
    detail: 'nothing is ordered: the challenge cannot be answered: current worker 4711: new worker, not compared yet',
  },
  [codes.DnsHookMissing]: {
    op: 'request certificate',
    detail:
      'nothing is ordered: *.shop.example.com can be validated by dns-01 only: set PROXY_MANAGER_ACME_DNS_HOOK to a program that creates TXT records, and restart the service',
    members: { setting: 'PROXY_MANAGER_ACME_DNS_HOOK' },
  },
  [codes.AlreadyOrdered]: {
    op: 'request certificate',
    detail: 'a certificate for exactly these names is ordered already: c-7f3kq2m4xa; renew it to repeat the order',
    members: { certificate: 'c-7f3kq2m4xa' },
  },
  [codes.NameIsOrdered]: {
    op: 'request certificate',
    detail:
      'a certificate for the name shop.example.com is ordered already: c-7f3kq2m4xa; to order one for other names, stop its renewal first. Nothing is ordered',
    members: { owned: [{ name: 'shop.example.com', certificate: 'c-7f3kq2m4xa' }] },
  },
  [codes.KeysUnreadable]: {
    op: 'add certificate',
    detail:
      'the secret /var/lib/proxy-manager/secret is missing, and the database has private keys that only it can open: put it back from a backup; without one, make a new one as docs/certificates.md shows, and replace each certificate with its key',
  },
  [codes.UpstreamRulesMissing]: {
    op: 'render configuration',
    detail:
      '/etc/proxy/proxy.liquid renders a configuration in which frontend http would check upstreams as clients: a front end with HTTP needs the lookup in upstreams_map and the exception in the rule for the blocked map (docs/template.md, "Upstreams")',
  },
  [codes.NameOfAnotherSite]: {
    op: 'set site',
    detail: 'www.example.com is a name of the site example.com; remove it there first',
    errors: [{ name: 'names[0]', description: 'www.example.com is a name of the site example.com' }],
    members: { site: 'example.com' },
  },
  [codes.InvalidSite]: {
    op: 'read request',
    ...field('canonical', 'api.example.com is neither the domain nor one of the names'),
  },
  [codes.ForeignMapFile]: {
    op: 'update map file',
    detail: 'the map file /etc/proxy/blocked_ips.map belongs to another database',
  },
  [codes.LiveConfigurationKept]: {
    op: 'safe reload',
    detail:
      "/etc/proxy/proxy.cfg was written or edited by hand, not by proxy-manager; the template's configuration would replace it, so nothing was changed",
  },
  [codes.ReloadUnconfirmed]: {
    op: 'reload',
    detail: 'the reload was not confirmed: no new worker was seen after systemctl reload haproxy.service',
    members: { worker_before: 4711, worker_after: null },
  },
  [codes.Attached]: {
    op: 'use sites',
    detail:
      'sites are not available: this service is attached to HAProxy, manages only its maps, and does not write /etc/haproxy/haproxy.cfg',
  },
  [codes.ClaimedByList]: {
    op: 'unblock',
    detail:
      '203.0.113.7 is blocked by drop only, which an unblock does not change; to allow it for a time, send trust_for, such as 7d, with an admin key',
    members: {
      still_claimed_by: [
        {
          source: 'drop',
          kind: 'list',
          reason: null,
          blocked_by: 'updater',
          claimed_at: '2026-11-20T12:00:00.000Z',
          expires_at: null,
        },
      ],
    },
  },
  [codes.ManualSource]: {
    op: 'remove source',
    detail: 'not possible for the source manual: it is the source of requests that name none',
  },
  [codes.CountMismatch]: {
    op: 'unblock by filter',
    detail: '120 entries have such a claim, not the 100 that were expected; nothing was changed',
    members: { count: 120 },
  },
  [codes.CannotUndo]: {
    op: 'undo',
    detail: 'of the claims that the operation 812 changed, 1 was changed since: 203.0.113.7; nothing was changed',
    members: { changed_since: ['203.0.113.7'], changed_since_total: 1 },
  },
  [codes.UnsupportedMediaType]: {
    op: 'read request',
    detail: 'Content-Type text/html is not supported here; send application/json',
  },
  [codes.RequestTimeout]: { op: 'read request', detail: 'the request did not arrive in time; send it again' },
  [codes.ConfigurationFilesUnusable]: {
    op: 'safe reload',
    detail:
      'a configuration file cannot be read or written: ENOSPC: no space left on device; check that the disk has room and that the service may write there',
  },
  [codes.WideNetwork]: {
    op: 'block',
    detail: '192.168.0.0/16 is an entire private range; to block it anyway, send allow_wide: true with an admin key',
    members: { ip_address: '192.168.0.0/16', contains: ['192.168.0.0/16'] },
  },
  [codes.SetFull]: {
    op: 'change blocked set',
    detail:
      'the blocked set has 2,000,000 entries and would have 2,000,001, more than the maximum of 2,000,000 (PROXY_MANAGER_MAX_ENTRIES); nothing was changed',
    members: { current_total: 2_000_000, would_be: 2_000_001, limit: 2_000_000 },
  },
  [codes.ChangeFailed]: {
    op: 'change blocked set',
    detail: 'the service failed unexpectedly: nothing was changed; its log has the cause under the id of this request',
    members: { committed: { added: 0, updated: 0, removed: 0 } },
  },
  [codes.TooMuchAtOnce]: { op: 'read request', detail: 'all connections are in use; retry shortly' },
};

export function sampleProblem(code: number): Problem {
  const sample = samples[code];
  if (sample === undefined)
    throw new Error(`a route is documented to answer ${code}, of which problems.ts has no sample`);
  const { kind, message, status } = lookUpCode(code);
  return {
    ...sample.members,
    type: `urn:proxy-manager:error:${code}`,
    title: message,
    status,
    detail: sample.detail,
    code,
    kind,
    op: sample.op,
    errors: sample.errors ?? [],
    request_id: 'V1StGXR8_Z5jdHi6',
  };
}
