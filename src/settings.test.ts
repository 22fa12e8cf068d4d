import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { compileCache, program } from '../testkit/program.ts';
import { listenCertificateId } from './setting-values.ts';
import { describeSettings, readSettings, SettingsError, settingDefinitions } from './settings.ts';

const key = 'k'.repeat(40);
const noFile = (): string => {
  throw new Error('ENOENT: no such file');
};
const read = (environment: Record<string, string>, flags: Record<string, string | boolean> = {}, file = noFile) =>
  readSettings(environment, flags, file);

/** Each is refused by name, with values that are commonly mistaken for valid. */
const WRONG: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'LISTEN',
    [
      '7080',
      ':7080',
      'localhost',
      '127.0.0.1:70800',
      '127.0.0.1:x',
      '127.0.0.1:７０８０',
      '[127.0.0.1]:1',
      '[zz]:1',
      '[:::]:1',
      '127.1:80',
      '999.0.0.1:80',
      'unix:relative',
      'unix:',
      `unix:/${'p'.repeat(120)}`,
      'http://127.0.0.1:80',
      'a b:80',
    ],
  ],
  ['API_KEY', ['short', `${key} `, `${key}\n`, `${key}é`, 'k'.repeat(513), `${key}"`]],
  ['API_KEY_FILE', ['/nowhere/key', 'with blank', 'a\nb']],
  ['DATABASE_URL', ['/var/lib/x.sqlite', 'sqlite:relative', 'postgres://h/db', 'sqlite:', 'mysql:/x']],
  ['CONFIG_FILE', ['/etc/proxy cfg', '/etc/"x"', '/etc/x;y', '/etc/x#y', '/etc/{{x}}', '/etc/x\ny', '/etc/ü']],
  ['BLOCKED_MAP', ['/etc/a,b.map', '/etc/$HOME', "/etc/'x'", '/etc/a\\b']],
  ['TRUSTED_MAP', ['/etc/a b']],
  ['UPSTREAMS_MAP', ['/etc/a b']],
  ['PROXY_PROTOCOL_MAP', ['/etc/a b']],
  ['SITES_MAP', ['/etc/a%b']],
  ['LISTEN_CERTIFICATE', ['/etc/a b', '/etc/a;b.pem']],
  ['LISTEN_KEY', ['/etc/a b', '/etc/api.key']],
  ['DENIED_PAGE', ['/etc/a b', '/etc/a%b.html']],
  ['TEMPLATE', ['/etc/a*b', '/etc/a`b']],
  ['MASTER_SOCKET', [`/tmp/${'s'.repeat(100)}`, '/tmp/a b', '/tmp/a,mode,666']],
  ['STATS_SOCKET', [`/tmp/${'s'.repeat(100)}`, '/tmp/a b']],
  ['PID_FILE', ['/run/a b']],
  ['LOG_FILE', ['/var/log/a b']],
  ['BACKUP_DIR', ['/var/a b']],
  ['PREFIX', ['/tmp/a b', '/tmp/a\nb']],
  [
    'HTTP_BIND',
    [
      '80',
      ':0',
      ':65536',
      ':080',
      '0.0.0.0',
      '300.0.0.1:80',
      '1.2.3:80',
      '[127.0.0.1]:80',
      '[::zz]:80',
      'example.com:80',
      ':80 ssl crt /x',
      ':80,',
      ':80,:80',
      'any',
      'any:80,:80',
      '[::]:80,any:80',
      ':８０',
      '/run/x.sock',
    ],
  ],
  [
    'HTTPS_BIND',
    ['443', ':0', 'any', ':443,:443', ':443 ssl crt /x', 'any:80', ':80', '*:80', '[::]:80', 'example.com:443'],
  ],
  ['HTTPS_PUBLIC_PORT', ['0', '65536', '0443', 'https', '443 ', '-1']],
  ['TLS_DIR', ['/etc/a b', '/etc/a,b', '/etc/x;y']],
  ['TLS_STRICT_SNI', ['maybe', 'on']],
  ['SECRET_FILE', ['/etc/a b']],
  ['ACME_TERMS_AGREED', ['agreed', 'on']],
  ['ACME_DIRECTORY', ['zerossl', 'http://ca.example/directory', 'ca.example']],
  ['ACME_CONTACT', ['ops', 'mailto:', 'a@b', 'a@b.example,a b@c.example', 'a@b.c?d']],
  ['ACME_PROFILE', ['a b', 'p'.repeat(65)]],
  ['ACME_EAB_KID', ['kid']],
  ['ACME_EAB_HMAC_FILE', ['/etc/hmac']],
  ['ACME_CA_FILE', ['/etc/a b']],
  ['ACME_DNS_HOOK', ['/etc/a b']],
  [
    'ACME_DNS_SERVERS',
    ['ns1.example.com', 'fe80::1%eth0', '192.0.2.53:0', '192.0.2.53:65536', '2001:db8::53:', '[192.0.2.53]:53'],
  ],
  [
    'ACCESS_LOG',
    [
      'on',
      'AUTO',
      ':514',
      '*:514',
      '127.0.0.1',
      'log.example.com:514',
      'stdout',
      'dev/log',
      '/dev/log local0',
      '/x;y',
      `/${'p'.repeat(107)}`,
    ],
  ],
  ['CONNECTIONS_PER_SOURCE', ['-1', '1.5', '01', 'ten', '1000001', '10 ', '1e3']],
  ['HARD_STOP_AFTER', ['30', '5s', '0m', '1.5h', '25d', '4w', '30M', '30m ', 'forever', '-1h']],
  ['INSIGHT', ['true', 'yes', 'ON', 'all', 'denied ']],
  ['SUPERVISE', ['maybe', 'on', '2']],
  ['METRICS_OPEN', ['ja']],
  ['ACCEPT_EMPTY_DATABASE', ['sure']],
  ['ACCEPT_MAP_FILE', ['y']],
  ['MAX_ENTRIES', ['-1', '1e6', '1.5', '01', '2M', '1000000000', 'none']],
  ['ADOPT_MAP_FILE', ['y']],
  ['ATTACHED', ['maybe', 'on', '2']],
  ['RELOAD_BY', ['systemd', 'systemd:', 'systemd:haproxy', 'systemd:-x.service', 'systemd:a b.service', 'signal']],
  ['OPEN_FRONT_ENDS', [',', 'a,,b', 'a,a', 'a b', 'a;b', 'a\u00e4']],
];
const ATTACHED_ONLY = ['RELOAD_BY', 'OPEN_FRONT_ENDS'];

describe('a wrong value', () => {
  for (const [name, values] of WRONG) {
    it.each(values)(`of ${name} is refused by its name: %j`, (value) => {
      const variable = `PROXY_MANAGER_${name}`;
      let refusal: unknown;
      try {
        read({ ...(ATTACHED_ONLY.includes(name) ? { PROXY_MANAGER_ATTACHED: 'true' } : {}), [variable]: value });
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toBeInstanceOf(SettingsError);
      expect((refusal as SettingsError).variable).toBe(variable);
      expect((refusal as SettingsError).message).toContain(variable);
      expect((refusal as SettingsError).message).toMatch(/: .*\b(must|can have|requires|cannot be read)\b/);
      if (name === 'API_KEY') expect((refusal as SettingsError).message).not.toContain(value.trim());
    });
  }

  it('every setting except those checked at the start has a wrong value in this table', () => {
    const named = new Set(WRONG.map(([name]) => `PROXY_MANAGER_${name}`));
    const missing = settingDefinitions.map(({ variable }) => variable).filter((variable) => !named.has(variable));
    expect(missing).toEqual(['PROXY_MANAGER_PROXY_BIN']);
  });

  it.each([
    ['TRUSTED_MAP', 'BLOCKED_MAP'],
    ['UPSTREAMS_MAP', 'TRUSTED_MAP'],
    ['PROXY_PROTOCOL_MAP', 'UPSTREAMS_MAP'],
    ['SITES_MAP', 'CONFIG_FILE'],
    ['TLS_DIR', 'BACKUP_DIR'],
    ['SECRET_FILE', 'TLS_DIR'],
    ['STATS_SOCKET', 'MASTER_SOCKET'],
    ['LOG_FILE', 'CONFIG_FILE'],
    ['BLOCKED_MAP', 'CONFIG_FILE'],
  ])('is a %s that names the same file as the %s', (one, other) => {
    const same = { [`PROXY_MANAGER_${one}`]: '/srv/x/../same', [`PROXY_MANAGER_${other}`]: '/srv/same' };
    expect(() => read(same)).toThrow(/names the same file/);
  });

  it('of the key file is named without the key', () => {
    const secret = 'not a key, but secret';
    expect(() => read({ PROXY_MANAGER_API_KEY_FILE: '/run/key' }, {}, () => secret)).toThrow(
      expect.objectContaining({
        variable: 'PROXY_MANAGER_API_KEY_FILE',
        message: expect.not.stringContaining(secret),
      }),
    );
  });
});

describe('the settings', () => {
  it('have the maps of upstreams beside the blocked map, unless named', () => {
    expect(read({ PROXY_MANAGER_BLOCKED_MAP: '/srv/lists/blocked.map' })).toMatchObject({
      upstreamsMap: '/srv/lists/upstreams.map',
      proxyProtocolMap: '/srv/lists/proxy_protocol.map',
    });
    const named = { PROXY_MANAGER_PREFIX: '/srv', PROXY_MANAGER_UPSTREAMS_MAP: '/etc/up.map' };
    expect(read(named)).toMatchObject({
      upstreamsMap: '/etc/up.map',
      proxyProtocolMap: '/srv/etc/proxy/proxy_protocol.map',
    });
  });

  it('have the certificates and the maps of sites beside the blocked map', () => {
    expect(read({ PROXY_MANAGER_BLOCKED_MAP: '/srv/lists/blocked.map' })).toMatchObject({
      tlsDir: '/srv/lists/tls',
      httpsSitesMap: '/srv/lists/https_sites.map',
      acmeChallengesMap: '/srv/lists/acme_challenges.map',
    });
    const named = { PROXY_MANAGER_PREFIX: '/srv', PROXY_MANAGER_TLS_DIR: '/etc/certificates' };
    expect(read(named)).toMatchObject({
      tlsDir: '/etc/certificates',
      httpsSitesMap: '/srv/etc/proxy/https_sites.map',
      secretFile: '/srv/var/lib/proxy-manager/secret',
    });
    expect(() => read({ PROXY_MANAGER_TRUSTED_MAP: '/etc/proxy/https_sites.map' })).toThrow(/names the same file/);
  });

  it('let the API serve HTTPS with two files or one, not on a Unix socket', () => {
    const [certificate, key] = ['/etc/api.pem', '/etc/api.key'];
    const files = { PROXY_MANAGER_LISTEN_CERTIFICATE: certificate, PROXY_MANAGER_LISTEN_KEY: key };
    expect(read(files)).toMatchObject({ listenCertificate: certificate, listenKey: key });
    expect(read({ ...files, PROXY_MANAGER_LISTEN_KEY: certificate })).toMatchObject({ listenKey: certificate });
    expect(read({ ...files, PROXY_MANAGER_LISTEN_KEY: '' })).toMatchObject({ listenKey: null });
    const onSocket = { ...files, PROXY_MANAGER_LISTEN: 'unix:/run/pm.sock' };
    expect(() => read(onSocket)).toThrow(expect.objectContaining({ variable: 'PROXY_MANAGER_LISTEN_CERTIFICATE' }));
    expect(() => read({ PROXY_MANAGER_LISTEN_KEY: key })).toThrow(/requires PROXY_MANAGER_LISTEN_CERTIFICATE/);
  });

  it('let the API serve HTTPS with a certificate of the service, by its id or its file', () => {
    const [id, variable] = ['c-7f3kq2m4xa', 'PROXY_MANAGER_LISTEN_CERTIFICATE'];
    const https = { PROXY_MANAGER_HTTPS_BIND: ':443', [variable]: id };
    const file = `/etc/proxy/tls/${id}.pem`;
    expect(read(https)).toMatchObject({ listenCertificate: file, listenKey: null });
    expect(read({ ...https, PROXY_MANAGER_TLS_DIR: '/srv/tls' })).toMatchObject({
      listenCertificate: `/srv/tls/${id}.pem`,
    });
    expect([read(https), read({ ...https, [variable]: file })].map(listenCertificateId)).toEqual([id, id]);
    expect(listenCertificateId(read({ [variable]: '/etc/api.pem' }))).toBeNull();
    expect(() => read({ ...https, PROXY_MANAGER_LISTEN_KEY: '/etc/api.key' })).toThrow(/the service has the key of c-/);
    expect(() => read({ [variable]: id })).toThrow(/serves no certificates; set PROXY_MANAGER_HTTPS_BIND/);
  });

  it('refuse an address that serves both HTTP and TLS', () => {
    const both = { PROXY_MANAGER_HTTP_BIND: '127.0.0.1:8080,any:81', PROXY_MANAGER_HTTPS_BIND: ':443,[::]:81' };
    expect(() => read(both)).toThrow(
      /HTTPS_BIND=":443,\[::\]:81" is not usable: requires ports of its own: PROXY_MANAGER_HTTP_BIND has \[::\]:81/,
    );
    expect(read({ ...both, PROXY_MANAGER_HTTPS_BIND: 'any:443, 127.0.0.1:81' }).httpsBind).toEqual([
      'any:443',
      '127.0.0.1:81',
    ]);
  });

  it('have the documented defaults', () => {
    expect(read({})).toEqual({
      prefix: '',
      listen: { text: '127.0.0.1:7080', target: { host: '127.0.0.1', port: 7080 } },
      apiKey: null,
      listenCertificate: null,
      listenKey: null,
      apiKeyFile: null,
      databaseUrl: 'sqlite:/var/lib/proxy-manager/proxy-manager.sqlite',
      configFile: '/etc/proxy/proxy.cfg',
      blockedMap: '/etc/proxy/blocked_ips.map',
      trustedMap: '/etc/proxy/trusted_ips.map',
      upstreamsMap: '/etc/proxy/upstreams.map',
      proxyProtocolMap: '/etc/proxy/proxy_protocol.map',
      sitesMap: '/etc/proxy/sites.map',
      template: null,
      masterSocket: '/tmp/proxy-cli',
      statsSocket: '/var/run/proxy.sock',
      pidFile: '/var/run/proxy.pid',
      logFile: '/var/log/proxy-manager.log',
      backupDir: '/var/lib/proxy-manager/backups',
      proxyBin: 'haproxy',
      httpBind: ['any:80'],
      httpsBind: [],
      httpsPublicPort: 443,
      tlsDir: '/etc/proxy/tls',
      tlsStrictSni: false,
      httpsSitesMap: '/etc/proxy/https_sites.map',
      acmeChallengesMap: '/etc/proxy/acme_challenges.map',
      secretFile: '/var/lib/proxy-manager/secret',
      acme: {
        termsAgreed: false,
        directory: 'https://acme-v02.api.letsencrypt.org/directory',
        contacts: [],
        profile: null,
        externalAccount: null,
        rootsFile: null,
        dnsHook: null,
        dnsServers: [],
      },
      hardStopAfter: '30m',
      connectionsPerSource: null,
      accessLog: 'auto',
      deniedPage: null,
      deniedPageBase: '/etc/proxy/denied.html',
      insight: 'on',
      supervise: false,
      attached: false,
      reloadBy: { kind: 'master' },
      openFrontEnds: [],
      metricsOpen: false,
      stateDir: '/var/lib/proxy-manager',
      acceptEmptyDatabase: false,
      acceptMapFile: false,
      maxEntries: 2_000_000,
      adoptMapFile: false,
    });
  });

  it.each([
    [{ PROXY_MANAGER_RELOAD_BY: 'never' }, 'PROXY_MANAGER_RELOAD_BY', 'requires PROXY_MANAGER_ATTACHED=true'],
    [{ PROXY_MANAGER_OPEN_FRONT_ENDS: 'a' }, 'PROXY_MANAGER_OPEN_FRONT_ENDS', 'requires PROXY_MANAGER_ATTACHED=true'],
    ...[
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
    ].map(
      (name) =>
        [
          { PROXY_MANAGER_ATTACHED: 'true', [`PROXY_MANAGER_${name}`]: name.endsWith('_BIND') ? ':81' : '30m' },
          `PROXY_MANAGER_${name}`,
          'not allowed with PROXY_MANAGER_ATTACHED=true',
        ] as const,
    ),
    [
      { PROXY_MANAGER_ATTACHED: 'true', PROXY_MANAGER_SUPERVISE: 'true' },
      'PROXY_MANAGER_SUPERVISE',
      'not allowed with PROXY_MANAGER_ATTACHED=true',
    ],
  ] as const)('refuse a setting of the other mode by its name: %j', (environment, variable, why) => {
    expect(() => read(environment)).toThrow(
      expect.objectContaining({ variable, message: expect.stringContaining(why) }),
    );
  });

  it('of attached mode say how it reloads, and which front ends are open', () => {
    const attached = { PROXY_MANAGER_ATTACHED: 'yes', PROXY_MANAGER_SUPERVISE: 'false' };
    expect(read(attached)).toMatchObject({ attached: true, reloadBy: { kind: 'master' }, openFrontEnds: [] });
    const more = { PROXY_MANAGER_RELOAD_BY: 'systemd:haproxy@a.service', PROXY_MANAGER_OPEN_FRONT_ENDS: 'a, b-1' };
    const settings = read({ ...attached, ...more });
    expect(settings).toMatchObject({
      reloadBy: { kind: 'systemd', unit: 'haproxy@a.service' },
      openFrontEnds: ['a', 'b-1'],
    });
    expect(describeSettings(settings)).toMatchObject({ reloadBy: 'systemd:haproxy@a.service', openFrontEnds: 'a,b-1' });
  });

  it('apply the prefix to default paths only', () => {
    const settings = read({ PROXY_MANAGER_PREFIX: '/srv/p', PROXY_MANAGER_BLOCKED_MAP: '/data/b.map' });
    expect(settings).toMatchObject({
      configFile: '/srv/p/etc/proxy/proxy.cfg',
      blockedMap: '/data/b.map',
      databaseUrl: 'sqlite:/srv/p/var/lib/proxy-manager/proxy-manager.sqlite',
      stateDir: '/srv/p/var/lib/proxy-manager',
    });
  });

  it('prefer a flag to its variable, and ignore an empty variable', () => {
    expect(read({ PROXY_MANAGER_HTTP_BIND: ':81' }, { 'http-bind': '[::]:82,127.0.0.1:83' }).httpBind).toEqual([
      '[::]:82',
      '127.0.0.1:83',
    ]);
    expect(read({ PROXY_MANAGER_HTTP_BIND: '' }).httpBind).toEqual(['any:80']);
    expect(read({}, { supervise: true }).supervise).toBe(true);
  });

  it.each(['auto', 'off', '127.0.0.1:514', '[2001:db8::1]:6514', '/run/syslog.sock', `/${'p'.repeat(106)}`])(
    'take the access log %s',
    (value) => expect(read({ PROXY_MANAGER_ACCESS_LOG: value }).accessLog).toBe(value),
  );

  it('have no flag for the key, which would show in the process list', () => {
    expect(settingDefinitions.find(({ variable }) => variable === 'PROXY_MANAGER_API_KEY')?.flag).toBeNull();
  });

  it('read the key from its file without the newline at its end', () => {
    expect(read({ PROXY_MANAGER_API_KEY_FILE: '/run/key' }, {}, () => `${key}\n`).apiKey).toBe(key);
  });

  it.each(['LISTENS', 'APIKEY', 'API_KEY_FILES'])('refuse an unknown variable (%s) without its value', (name) => {
    const variable = `PROXY_MANAGER_${name}`;
    expect(() => read({ [variable]: key })).toThrow(variable);
    expect(() => read({ [variable]: key })).not.toThrow(key);
  });

  it('cannot be changed', () => {
    const settings = read({});
    expect(Object.isFrozen(settings)).toBe(true);
    expect(Object.isFrozen(settings.httpBind)).toBe(true);
  });

  it('are described with the key masked', () => {
    const shown = JSON.stringify(describeSettings(read({ PROXY_MANAGER_API_KEY: key })));
    expect(shown).not.toContain(key);
    expect(shown).toContain('********');
  });

  it('show each setting by its name', () => {
    const files = { API_KEY_FILE: '/k', LISTEN_CERTIFICATE: '/c', LISTEN_KEY: '/p', ACME_EAB_HMAC_FILE: '/h' };
    const given = { ...files, ACME_EAB_KID: 'kid-1', ACME_CONTACT: 'a@example.com,b@example.com' };
    const environment = Object.fromEntries(
      Object.entries(given).map(([name, text]) => [`PROXY_MANAGER_${name}`, text]),
    );
    const shown = Object.entries(describeSettings(readSettings(environment, {}, () => key)));
    const names = shown.map(([name]) => `PROXY_MANAGER_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`);
    expect(settingDefinitions.map(({ variable }) => variable).filter((one) => !names.includes(one))).toEqual([]);
    expect(Object.fromEntries(shown)).toMatchObject({ acmeContact: given.ACME_CONTACT, acmeEabKid: 'kid-1' });
    expect(shown.filter(([, text]) => /null|undefined|object/.test(text))).toEqual([]);
  });
});

describe('the command line', () => {
  const bin = program();
  const node = { PROXY_MANAGER_NODE: process.execPath, NODE_COMPILE_CACHE: compileCache() };
  const run = (args: readonly string[], environment: Record<string, string> = {}) => {
    const { PATH = '' } = process.env;
    const env = { PATH, ...node, ...environment };
    const { status, stdout, stderr } = spawnSync(bin, args, { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('shows the effective settings with the key masked', () => {
    const { PATH = '' } = process.env;
    const env = { PATH, ...node, PROXY_MANAGER_API_KEY: key };
    const shown = execFileSync(bin, ['config', 'show', '--listen', '127.0.0.1:9999'], { env, encoding: 'utf8' });
    expect(shown).toContain('listen = 127.0.0.1:9999');
    expect(shown).toContain('blocked_map = /etc/proxy/blocked_ips.map');
    expect(shown).not.toContain(key);
  });

  it.each(['API_KEYS', 'KEY'])('with a misspelt variable (%s) is refused without the value', (name) => {
    const ran = run(['serve'], { [`PROXY_MANAGER_${name}`]: key });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain(`PROXY_MANAGER_${name}`);
    expect(ran.stdout + ran.stderr).not.toContain(key);
  });

  it('with an unknown flag is refused without its value, and with a wrong URL without its password', () => {
    const flag = run(['serve', `--api-key=${key}`]);
    expect(flag.status).toBe(2);
    expect(flag.stderr).toContain("unknown option '--api-key'");
    expect(flag.stdout + flag.stderr).not.toContain(key);
    const url = run(['config', 'show'], { PROXY_MANAGER_DATABASE_URL: `postgres://user:${key}@db.example/proxy` });
    expect(url.status).toBe(2);
    expect(url.stderr).toContain('db.example');
    expect(url.stdout + url.stderr).not.toContain(key);
  });

  it('with a key instead of the path of a key file is refused without the key', () => {
    const made = `pm_${'A'.repeat(43)}`;
    for (const value of [made, `/etc/${made}`]) {
      const ran = run(['config', 'show'], { PROXY_MANAGER_API_KEY_FILE: value });
      expect(ran.status).toBe(2);
      expect(ran.stderr).toContain('must be the path of a file, but this is a key');
      expect(ran.stdout + ran.stderr).not.toContain(made);
    }
  });

  it.each([
    ['help is 0', ['serve', '--help'], {}, 0, /--master-socket/],
    ['an unknown flag is 2', ['serve', '--no-such-flag'], {}, 2, /unknown option/],
    ['an unknown verb is 2', ['fly'], {}, 2, /unknown verb/],
    ['a flag for the key is 2', ['serve', '--api-key', key], {}, 2, /unknown option/],
    ['a wrong value is 2', ['config', 'show'], { PROXY_MANAGER_SUPERVISE: 'x' }, 2, /PROXY_MANAGER_SUPERVISE/],
    ['an unknown variable is 2', ['serve'], { PROXY_MANAGER_LISTNE: 'x' }, 2, /PROXY_MANAGER_LISTNE/],
  ] as const)('%s', (_what, args, environment, status, text) => {
    const ran = run(args, environment);
    expect(ran.status).toBe(status);
    expect(ran.stdout + ran.stderr).toMatch(text);
    expect(ran.stderr).not.toContain('    at ');
  });
});
