import { basename } from 'node:path';
import { type Command, PayloadCommand } from '../../src/haproxy/socket/conversation-command.ts';
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
    const pem = selfSignedPem('foreign.chaos.test').split(/\n+/);
    const set = new PayloadCommand(
      `@1 set ssl cert ${file}`,
      pem.filter((line) => line !== ''),
    );
    const [how, commands] = random.pick<readonly [string, readonly Command[]]>([
      ['set', [set, `@1 commit ssl cert ${file}`]],
      ['abandoned', [set]],
      ['unlisted', [`@1 del ssl crt-list ${list} ${file}`]],
    ]);
    const replies = await stack.service.raw(...commands);
    return {
      detail: `${basename(file)}: ${how} (${replies.map((reply) => reply.trim()).join('; ')})`,
      heal: async () => undefined,
    };
  },
};
