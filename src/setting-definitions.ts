// The table of all settings; docs/settings.md describes them.

export interface SettingDefinition {
  readonly variable: string;
  /** null: no flag, since it would show in the process list. */
  readonly flag: string | null;
  readonly fallback: string;
  readonly kind: 'text' | 'path' | 'boolean';
  readonly help: string;
}

const setting = (
  name: string,
  fallback: string,
  kind: SettingDefinition['kind'],
  help: string,
  withFlag = true,
): SettingDefinition => ({
  variable: `PROXY_MANAGER_${name}`,
  flag: withFlag ? name.toLowerCase().replaceAll('_', '-') : null,
  fallback,
  kind,
  help,
});

export const settingDefinitions: readonly SettingDefinition[] = [
  setting('PREFIX', '', 'text', 'folder before every default path, like DESTDIR; created if missing'),
  setting('LISTEN', '127.0.0.1:7080', 'text', 'where the API listens: HOST:PORT or unix:/path'),
  setting(
    'LISTEN_CERTIFICATE',
    '',
    'path',
    'certificate with its chain (PEM), or the id of one of the service, with which the API serves HTTPS',
  ),
  setting('LISTEN_KEY', '', 'path', 'its private key (PEM); default: it is with the certificate'),
  setting('API_KEY', '', 'text', 'the admin key; default: the first start creates one', false),
  setting('API_KEY_FILE', '', 'path', 'file with the admin key'),
  setting('DATABASE_URL', 'sqlite:/var/lib/proxy-manager/proxy-manager.sqlite', 'text', 'the database'),
  setting('CONFIG_FILE', '/etc/proxy/proxy.cfg', 'path', "HAProxy's configuration"),
  setting('BLOCKED_MAP', '/etc/proxy/blocked_ips.map', 'path', 'the map file of blocked addresses'),
  setting('TRUSTED_MAP', '/etc/proxy/trusted_ips.map', 'path', 'the map file of trusted addresses'),
  setting('UPSTREAMS_MAP', '/etc/proxy/upstreams.map', 'path', 'the map file of the networks of upstreams'),
  setting('PROXY_PROTOCOL_MAP', '/etc/proxy/proxy_protocol.map', 'path', 'the map file of peers with PROXY protocol'),
  setting('SITES_MAP', '/etc/proxy/sites.map', 'path', 'base name of the map from host name to site'),
  setting('TEMPLATE', '', 'path', 'template of the configuration; default: the built-in one'),
  setting('MASTER_SOCKET', '/tmp/proxy-cli', 'path', "socket of HAProxy's master"),
  setting('STATS_SOCKET', '/var/run/proxy.sock', 'path', "HAProxy's stats socket"),
  setting('PID_FILE', '/var/run/proxy.pid', 'path', "pid file of HAProxy's master"),
  setting('LOG_FILE', '/var/log/proxy-manager.log', 'path', 'the log; - for standard output only'),
  setting(
    'BACKUP_DIR',
    '/var/lib/proxy-manager/backups',
    'path',
    'backups of the configuration; the last 20 different ones are kept',
  ),
  setting('PROXY_BIN', 'haproxy', 'text', 'the HAProxy binary'),
  setting('HTTP_BIND', 'any:80', 'text', 'addresses that the front end binds, separated by commas; any: IPv4 and IPv6'),
  setting('HTTPS_BIND', '', 'text', 'addresses at which the front end serves TLS, like HTTP_BIND; default: no TLS'),
  setting('HTTPS_PUBLIC_PORT', '443', 'text', 'port at which clients reach it; redirects name it unless it is 443'),
  setting('TLS_STRICT_SNI', 'false', 'boolean', 'refuse TLS connections that name no host with a certificate'),
  setting('TLS_DIR', '/etc/proxy/tls', 'path', 'folder of the certificates that HAProxy reads'),
  setting('SECRET_FILE', '/var/lib/proxy-manager/secret', 'path', 'the secret that seals private keys in the database'),
  setting('ACME_TERMS_AGREED', 'false', 'boolean', 'order certificates: you agree to the terms of the authority'),
  setting(
    'ACME_DIRECTORY',
    'letsencrypt',
    'text',
    'the authority: letsencrypt, letsencrypt-staging or a directory URL',
  ),
  setting('ACME_CONTACT', '', 'text', 'e-mail addresses that the authority gets, separated by commas'),
  setting('ACME_PROFILE', '', 'text', "profile of certificates; default: the authority's"),
  setting('ACME_EAB_KID', '', 'text', 'identifier of an account that the authority has already'),
  setting('ACME_EAB_HMAC_FILE', '', 'path', 'file with its key in base64url'),
  setting('ACME_CA_FILE', '', 'path', "roots that the authority's own TLS is checked with (PEM), instead of the usual"),
  setting('ACME_DNS_HOOK', '', 'path', 'program that creates and removes TXT records, for wildcards (dns-01)'),
  setting(
    'ACME_DNS_SERVERS',
    '',
    'text',
    'name servers that are asked for these records, by IP; default: the authoritative ones',
  ),
  setting('HARD_STOP_AFTER', '30m', 'text', 'maximum life of a draining worker'),
  setting('CONNECTIONS_PER_SOURCE', '0', 'text', 'simultaneous connections per untrusted address; 0: no limit'),
  setting('ACCESS_LOG', 'auto', 'text', 'access log: auto (/dev/log if it exists), off, or a syslog address'),
  setting('DENIED_PAGE', '', 'path', 'page that denied clients get; default: the built-in one'),
  setting('INSIGHT', 'on', 'text', 'what HAProxy counts: on, denied (of blocked clients only), or off'),
  setting('SUPERVISE', 'false', 'boolean', 'start HAProxy and keep it running'),
  setting('ATTACHED', 'false', 'boolean', 'maintain only the maps of a HAProxy with its own configuration'),
  setting('RELOAD_BY', 'master', 'text', 'attached only: master, systemd:UNIT or never'),
  setting('OPEN_FRONT_ENDS', '', 'text', 'attached only: front ends exempt from blocking, separated by commas'),
  setting('METRICS_OPEN', 'false', 'boolean', 'serve /metrics without a key'),
  setting('MAX_ENTRIES', '2000000', 'text', 'maximum number of blocked entries, and of further claims; 0: no limit'),
  setting('ACCEPT_EMPTY_DATABASE', 'false', 'boolean', 'for one start: create a new, empty database'),
  setting(
    'ACCEPT_MAP_FILE',
    'false',
    'boolean',
    'for one start: rewrite a map file that is newer than the database, belongs to another one, or would shrink to less than half',
  ),
  setting('ADOPT_MAP_FILE', 'false', 'boolean', 'for one start: block the entries that only the map file has'),
];

/** Settings of a service that writes the configuration. */
export const managedOnly = [
  'SITES_MAP',
  'TEMPLATE',
  'BACKUP_DIR',
  'HTTP_BIND',
  'HTTPS_BIND',
  'HTTPS_PUBLIC_PORT',
  'TLS_STRICT_SNI',
  'HARD_STOP_AFTER',
  'CONNECTIONS_PER_SOURCE',
  'ACCESS_LOG',
  'DENIED_PAGE',
  'SUPERVISE',
];
export const attachedOnly = ['RELOAD_BY', 'OPEN_FRONT_ENDS'];
