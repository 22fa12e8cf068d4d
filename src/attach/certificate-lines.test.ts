import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Host } from './host.ts';
import { ownSettings } from './own-settings.ts';
import { certificateLines, challengeLines } from './report.ts';
import { serviceDropIn } from './texts.ts';

const tlsDir = '/etc/proxy/tls';
const lines = (...text: readonly string[]) =>
  certificateLines([{ path: 'own.cfg', text: ['frontend own', ...text].join('\n') }], tlsDir);

it('the words for certificates are printed for bind lines with TLS that lack them', () => {
  const bind = '    bind :443 ssl crt /etc/ssl/own.pem';
  expect(lines('    bind :80')).toEqual([]);
  expect(lines(`# ${bind}`)).toEqual([]);
  expect(lines('    bind :80', bind, bind).join('\n')).toMatch(
    /own\.cfg:3, own\.cfg:4[\s\S]*crt-list \/etc\/proxy\/tls\/certificates\.list/,
  );
  expect(lines(`${bind} crt-list ${tlsDir}/certificates.list`)).toEqual([]);
});

it('the line for challenges is printed where HAProxy serves TLS, until the configuration has it', () => {
  const map = '/etc/proxy/acme_challenges.map';
  const printed = (...text: readonly string[]) =>
    challengeLines([{ path: 'own.cfg', text: ['frontend own', ...text].join('\n') }], map);
  expect(printed('    bind :80')).toEqual([]);
  const missing = printed('    bind :80', '    bind :443 ssl crt /etc/ssl/own.pem');
  expect(missing.at(-1)).toContain(`http-request return status 200`);
  expect(printed('    bind :443 ssl crt /etc/ssl/own.pem', missing.at(-1)!)).toEqual([]);
});

it('the settings of an attached service have no address for TLS, although the unit has one', async () => {
  const unit = readFileSync(join(import.meta.dirname, '../../packaging/proxy-manager.service'), 'utf8');
  const dropIn = serviceDropIn({
    root: '/opt/proxy-manager',
    configFile: '/etc/haproxy/haproxy.cfg',
    masterSocket: '/run/haproxy-master.sock',
    pidFile: '/run/haproxy.pid',
    proxyBin: '/usr/sbin/haproxy',
    unit: 'haproxy.service',
    reloadBy: { kind: 'master' },
    openFrontEnds: [],
  });
  const host = {
    run: async () => ({ exitCode: 1, output: '', complaints: '' }),
    readText: async () => null,
  } as unknown as Host;
  expect(unit).toContain('PROXY_MANAGER_HTTPS_BIND=any:443');
  expect(await ownSettings(host, [unit, dropIn])).toMatchObject({ attached: true, httpsBind: [] });
});
