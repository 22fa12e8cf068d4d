// docs/tls.md, pasted line by line by a newcomer, from an installation without TLS to a redirect.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { freePort } from '../testkit/free-port.ts';
import { blocksOf, commandsOf } from '../testkit/page-commands.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { startUpstream, type Upstream } from '../testkit/upstream.ts';

const run = promisify(execFile);

describeOnOneProxy('the page on TLS', ({ bin }) => {
  let service: RealService;
  let server: Upstream;
  let user: CommandLineUser;
  let settings: string;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    server = await startUpstream('shop');
    service = await RealService.start({ bin });
    settings = join(service.paths.prefix, 'settings');
    user = new CommandLineUser(service);
  });
  afterAll(async () => {
    await service?.stop();
    await server?.stop();
  });

  /** As systemd does: with the settings of the file. */
  async function restart(): Promise<void> {
    const lines = (await readFile(settings, 'utf8')).trim().split('\n');
    service.kill('SIGTERM');
    await service.ended();
    await service.launch(Object.fromEntries(lines.map((line) => line.split('='))));
  }

  /** Returns what each command printed. */
  async function paste(block: string): Promise<string[]> {
    const folder = service.paths.prefix;
    const printed: string[] = [];
    for (const pasted of commandsOf(block)) {
      const command = pasted
        .replaceAll('/etc/default/proxy-manager', settings)
        .replaceAll('any:443', `127.0.0.1:${port}`)
        .replaceAll('127.0.0.1:443', `127.0.0.1:${port}`)
        .replaceAll('https://127.0.0.1/', `https://127.0.0.1:${port}/`)
        .replaceAll('127.0.0.1:9000', `127.0.0.1:${server.port}`)
        .replaceAll(/\btrial(?:-key)?\.pem/g, (name) => join(folder, name));
      if (command === 'systemctl restart proxy-manager') await restart();
      else if (command.startsWith('proxy-manager ')) {
        const ran = await user.run(command.split(/ +/).slice(1));
        expect([command, ran.code, ran.err]).toEqual([command, 0, '']);
        printed.push(ran.out);
      } else printed.push((await run('bash', ['-e', '-o', 'pipefail', '-c', command])).stdout);
    }
    return printed;
  }

  it('its commands switch TLS on', async () => {
    await writeFile(settings, '');
    const printed = await paste(blocksOf('tls.md', 'Switch TLS on')[0] ?? '');
    expect(printed.at(-1)).toContain('<html');
  });

  it('its commands serve a certificate, and print what it shows', async () => {
    const [commands = '', shown = ''] = blocksOf('tls.md', 'Serve a certificate');
    const printed = await paste(commands);
    expect(printed.at(-2)).toContain('a TLS connection to HAProxy got it');
    expect(printed.at(-1)).toBe(shown);
  });

  it('its commands redirect the site, and print what it shows', async () => {
    const [commands = '', shown = ''] = blocksOf('tls.md', 'Redirect to https and HSTS');
    const general = (text = '') => text.replaceAll(/c-\w{10}/g, 'c-');
    expect(general((await paste(commands)).at(-1))).toBe(general(shown));
  });
});
