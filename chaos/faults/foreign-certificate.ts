import { once } from 'node:events';
import { connect } from 'node:net';
import { basename } from 'node:path';
import { selfSignedPem } from '../../testkit/tls/self-signed.ts';
import type { Fault } from '../fault.ts';
import { anyCertificateFile } from './certificate-files.ts';

/** Another program sets a certificate under our name, or leaves its transaction open. The end of the round checks it. */
export const foreignCertificate: Fault = {
  name: 'foreign-certificate',
  excuses: {},
  async strike(stack, random) {
    const file = await anyCertificateFile(stack, random);
    if (file === null) return null;
    const list = file.replace(basename(file), 'certificates.list');
    const pem = selfSignedPem('foreign.chaos.test').replaceAll(/\n+/g, '\n');
    const set = `@1 set ssl cert ${file} <<\n${pem}\n`;
    const [how, commands] = random.pick<readonly [string, readonly string[]]>([
      ['set', [set, `@1 commit ssl cert ${file}`]],
      ['abandoned', [set]],
      ['unlisted', [`@1 del ssl crt-list ${list} ${file}`]],
    ]);
    for (const command of commands) await ask(stack.service.paths.masterSocket, command);
    return { detail: `${basename(file)}: ${how}`, heal: async () => undefined };
  },
};

/** As other programs do: one command on a connection of its own, which HAProxy ends after its reply. */
async function ask(path: string, command: string): Promise<void> {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.end(`${command}\n`);
  socket.resume();
  await once(socket, 'close');
}
