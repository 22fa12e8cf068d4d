import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError, settingDefinitions } from './settings.ts';
import { decidesProxy, readSettingsForProxy } from './settings-for-proxy.ts';

const noFile = (path: string): string => {
  throw new Error(`ENOENT: ${path}`);
};
const read = (environment: Record<string, string>, flags: Record<string, string | boolean> = {}) =>
  readSettingsForProxy(environment, flags, noFile);

describe('the settings of a proxy whose service is refused', () => {
  it('are those of the service if all are valid', () => {
    const environment = { PROXY_MANAGER_PREFIX: '/srv/x', PROXY_MANAGER_CONFIG_FILE: '/srv/own.cfg' };
    expect(read(environment, { supervise: true })).toEqual(readSettings(environment, { supervise: true }, noFile));
  });

  it('are read despite wrong ones that HAProxy does not need', () => {
    const settings = read(
      {
        PROXY_MANAGER_LISTNE: '127.0.0.1:7081',
        PROXY_MANAGER_LISTEN: 'nowhere',
        PROXY_MANAGER_API_KEY_FILE: '/no/such/file',
        PROXY_MANAGER_HTTP_BIND: '80',
        PROXY_MANAGER_HARD_STOP_AFTER: '1s',
        PROXY_MANAGER_DATABASE_URL: 'postgres://x',
        PROXY_MANAGER_LOG_FILE: '/var/log/with blank',
        PROXY_MANAGER_BACKUP_DIR: '/etc/proxy/proxy.cfg',
        PROXY_MANAGER_CONFIG_FILE: '/etc/proxy/proxy.cfg',
        PROXY_MANAGER_MASTER_SOCKET: '/run/x/master.sock',
      },
      { supervise: true, 'metrics-open': 'perhaps' },
    );
    expect(settings).toMatchObject({
      supervise: true,
      configFile: '/etc/proxy/proxy.cfg',
      masterSocket: '/run/x/master.sock',
      logFile: '-',
    });
  });

  it.each([
    ['PROXY_MANAGER_CONFIG_FILE', '/etc/with blank'],
    ['PROXY_MANAGER_BLOCKED_MAP', '/etc/proxy/trusted_ips.map'],
    ['PROXY_MANAGER_PREFIX', '/with blank'],
    ['PROXY_MANAGER_SUPERVISE', 'ture'],
    ['PROXY_MANAGER_ATTACHED', 'ture'],
    ['PROXY_MANAGER_CONFIG_FLIE', '/etc/other.cfg'],
    ['PROXY_MANAGER_CONFIG', '/etc/other.cfg'],
    ['PROXY_MANAGER_PROXYBIN', '/opt/haproxy'],
    ['PROXY_MANAGER_BLOCKLIST_MAP', '/etc/other.map'],
  ])('are refused if %s is wrong, because it decides which HAProxy is meant', (name, value) => {
    expect(() => read({ [name]: value, PROXY_MANAGER_LISTEN: 'nowhere' })).toThrow(SettingsError);
  });

  it('are known by name if they decide which HAProxy is meant', () => {
    expect(settingDefinitions.map(({ variable }) => variable).filter(decidesProxy)).toEqual(
      ['PREFIX', 'CONFIG_FILE', 'BLOCKED_MAP', 'TRUSTED_MAP', 'UPSTREAMS_MAP', 'PROXY_PROTOCOL_MAP', 'SITES_MAP']
        .concat('MASTER_SOCKET', 'PID_FILE', 'PROXY_BIN', 'TLS_DIR', 'SUPERVISE', 'ATTACHED')
        .map((name) => `PROXY_MANAGER_${name}`),
    );
    expect(
      ['LISTNE', 'API_KEYFILE', 'LOGFILE', 'TEMPLAET', 'HTTP_BINDS'].map((name) => `PROXY_MANAGER_${name}`),
    ).not.toSatisfy((names: string[]) => names.some(decidesProxy));
  });
});
