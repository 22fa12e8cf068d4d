// Records a real HAProxy's replies byte for byte, as fixtures for fuzz tests:
//   node testkit/record-transcripts.ts haproxy testkit/transcripts/haproxy-2.6.json
// The temporary folder becomes /run/pm, so that recordings differ only where HAProxy does.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { argv } from 'node:process';
import { eventually } from './conditions.ts';
import { freePort } from './free-port.ts';
import { defaultConfig, type ProxyPaths, RealProxy } from './real-proxy.ts';

export interface Transcript {
  /** Complete output of `-v`. */
  readonly version: string;
  readonly exchanges: readonly { readonly command: string; readonly reply: string }[];
  /** /proc/PID/stat and cmdline of the master, and its pid file. */
  readonly stat: string;
  readonly commandLine: string;
  readonly pidFile: string;
  readonly limits: string;
}

async function record(bin: string): Promise<Transcript> {
  // A reason phrase with every character that is special in CSV.
  const upstream = createHttpServer((_request, response) => {
    response.writeHead(503, 'not "now", later').end();
  });
  const upstreamPort = await freePort();
  await new Promise<void>((resolve) => upstream.listen(upstreamPort, '127.0.0.1', resolve));
  const deadPort = await freePort();
  const config = (paths: ProxyPaths): string => `${defaultConfig(paths)}  use_backend site_a if { path /nowhere }
backend site_a
  option httpchk GET /
  server s1_up 127.0.0.1:${upstreamPort} check inter 100ms
  server s2_dead 127.0.0.1:${deadPort} check inter 100ms
  server s3_unchecked 127.0.0.1:${deadPort}
  server s4_off 127.0.0.1:${deadPort} disabled
`;
  const proxy = await RealProxy.start(bin, { config, blocked: ['10.0.0.0/8 1', '192.0.2.1 1', '2001:db8::/32 1'] });
  const exchanges: { command: string; reply: string }[] = [];
  const map = proxy.paths.blockedMap;
  const say = async (command: string): Promise<string> => {
    const reply = await ask(proxy.paths.masterSocket, command);
    const plain = (text: string) => text.replaceAll(proxy.paths.folder, '/run/pm');
    exchanges.push({ command: plain(command), reply: plain(reply) });
    return reply;
  };
  try {
    await eventually('the checks have failed', async () => {
      const stat = await ask(proxy.paths.masterSocket, '@1 show stat site_a 4 -1');
      return /s1_up[^\n]*DOWN/.test(stat) && /s2_dead[^\n]*DOWN/.test(stat);
    });
    await say('show proc');
    for (const key of ['192.0.2.1', '10.1.2.3', '10.0.0.0/8', '2001:db8::1', '198.51.100.1'])
      await say(`@1 get map ${map} ${key}`);
    await say(`@1 add map ${map} 198.51.100.7 1`);
    await say(`@1 add map ${map} 198.51.100.7 1`);
    await say(`@1 add map ${map} <<\n198.51.100.8 1\nnotanip 1\n198.51.100.9 1\n`);
    await say(`@1 add map ${map} nonsense 1`);
    await say(`@1 set map ${map} 198.51.100.7 0`);
    await say(`@1 del map ${map} 198.51.100.7`);
    await say(`@1 del map ${map} 198.51.100.7`);
    await say(`@1 show map ${map}`);
    await say('@1 show map');
    await say(`@1 prepare map ${map}`);
    await say(`@1 commit map @1 ${map}`);
    await say(`@1 show map ${map}`);
    await say('@1 show map /run/pm/none.map');
    await say(`add map ${map} 198.51.100.7 1`);
    await say('@1 show stat site_a 4 -1');
    await say('@1 show stat nowhere 4 -1');
    await say('@!1 show map');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await proxy.request({ agent });
    const worker = await proxy.workerPid();
    await say('reload');
    await eventually('there is a new worker', async () => (await proxy.workerPid()) !== worker);
    await say('show proc');
    await writeFile(proxy.paths.config, `${await readFile(proxy.paths.config, 'utf8')}  nonsense\n`);
    const before = (await proxy.processes()).master.failed;
    await say('reload');
    await eventually('the reload has failed', async () => (await proxy.processes()).master.failed !== before);
    await say('show proc');
    agent.destroy();
    return {
      version: execFileSync(bin, ['-v'], { encoding: 'utf8' }),
      exchanges,
      stat: await readFile(`/proc/${proxy.masterPid}/stat`, 'latin1'),
      commandLine: (await readFile(`/proc/${proxy.masterPid}/cmdline`, 'latin1')).replaceAll(
        proxy.paths.folder,
        '/run/pm',
      ),
      pidFile: await readFile(proxy.paths.pidFile, 'latin1'),
      limits: await readFile(`/proc/${proxy.masterPid}/limits`, 'latin1'),
    };
  } finally {
    await proxy.stop();
    upstream.close();
  }
}

function ask(path: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(path, () => socket.end(`${command}\n`));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

const [, , bin, target] = argv;
if (bin === undefined || target === undefined) throw new Error('give the HAProxy binary and the file to write');
writeFileSync(target, `${JSON.stringify(await record(bin), null, 1)}\n`);
