// Which rules count in HAProxy's number of denied requests, the sum that attributed hits are compared with.
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { eventually, within } from '../../../testkit/conditions.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import { type ProxyPaths, RealProxy } from '../../../testkit/real-proxy.ts';
import { readProxyStats } from '../../haproxy/process/proxy-stats.ts';
import { MasterSocket } from '../../haproxy/socket/master-socket.ts';
import { otherDenials } from './other-denials.ts';
import { proxySections } from './proxy-sections.ts';

const rules = {
  deny: 'http-request deny',
  limit: 'http-request deny deny_status 429',
  tarpit: 'http-request tarpit',
  reject: 'http-request reject',
  drop: 'http-request silent-drop',
  return: 'http-request return status 403',
  content: 'tcp-request content reject',
};
const maps = { blockedMap: '/b.map', trustedMap: '/t.map' };

describeOnProductProxies('rules that deny', ({ bin }) => {
  const config = ({ statsSocket, port }: ProxyPaths) => `global
  stats socket ${statsSocket} mode 600 level operator
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tarpit 10ms
frontend own
  bind 127.0.0.1:${port}
  tcp-request inspect-delay 5s
  ${Object.entries(rules)
    .map(([name, rule]) => `${rule} if { path /${name} }`)
    .join('\n  ')}
  default_backend site
backend site
  http-request deny if { path /backend }
  http-request return status 200
`;

  it('count as denied requests if the warning names them', async () => {
    const proxy = await RealProxy.start(bin, { config });
    const stats = new MasterSocket(proxy.paths.statsSocket);
    const denied = async () => {
      const all = await readProxyStats(stats, '', within(5_000));
      return all.find(({ kind, name }) => kind === 'frontend' && name === 'own')!.denied;
    };
    try {
      const counted: string[] = [];
      for (const name of [...Object.keys(rules), 'backend', 'other']) {
        const before = await denied();
        // A connection that is dropped has no answer.
        const socket = connect(proxy.paths.port, '127.0.0.1')
          .on('error', () => undefined)
          .resume();
        const dropped = new Promise((resolve) => socket.once('close', resolve));
        socket.write(`GET /${name} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
        if (name === 'drop') await eventually('it is counted', async () => (await denied()) > before);
        else await dropped;
        socket.destroy();
        if ((await denied()) > before) counted.push(name);
      }
      const text = config(proxy.paths);
      const named = proxySections([{ path: '', text }])
        .filter(({ kind }) => kind === 'frontend' || kind === 'backend')
        .flatMap((section) => otherDenials(section, maps))
        .map(({ words }) => /path \/(\w+)/.exec(words.join(' '))![1]!);
      expect(counted.sort()).toEqual(named.sort());
      expect(counted).toContain('backend');
    } finally {
      stats.close();
      await proxy.stop();
    }
  });
});
