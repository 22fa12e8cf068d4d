// The lines that `attach` prints for counting, in a HAProxy with an operator's own configuration.
import { expect, it } from 'vitest';
import { describeOnProductProxies } from '../../testkit/proxies.ts';
import { type ProxyPaths, RealProxy } from '../../testkit/real-proxy.ts';
import { ownCountingLines } from '../configuration/template/counting-rules.ts';
import { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { canonicalEntry } from './canonical.ts';
import { TableReader } from './reader.ts';

describeOnProductProxies('the lines for counting', ({ bin }) => {
  const { frontEnd: rules, sections } = ownCountingLines(2);
  const config = ({ statsSocket, port }: ProxyPaths) => `global
  stats socket ${statsSocket} mode 600 level operator
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend own
  bind 127.0.0.1:${port}
  http-request deny deny_status 403 if { src 127.0.0.9 }
  ${rules.join('\n  ').replaceAll('rand(16)', 'rand(1)')}
  http-request return status 200
${sections.join('\n')}
`;

  it('count denied requests, and those of other clients', async () => {
    const proxy = await RealProxy.start(bin, { config });
    const stats = new MasterSocket(proxy.paths.statsSocket);
    try {
      for (const from of ['127.0.0.9', '127.0.0.9', '127.0.0.8']) await proxy.request({ from });
      const reader = new TableReader({ stats, master: stats, workers: () => [], mode: 'on', now: () => new Date() });
      const { workers } = await reader.read({ whole: false, signal: new AbortController().signal });
      expect([...workers[0]!.denied]).toMatchObject([{ address: canonicalEntry('127.0.0.9').words, value: 2 }]);
      expect([...workers[0]!.clients].map(([client, { requests }]) => [client, requests])).toEqual([['127.0.0.8', 1]]);
    } finally {
      stats.close();
      await proxy.stop();
    }
  });
});
