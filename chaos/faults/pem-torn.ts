import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { eventually } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';
import { anyCertificateFile } from './certificate-files.ts';

/** The file of a certificate is damaged: a reload would refuse the complete configuration. */
export const pemTorn: Fault = {
  name: 'pem-torn',
  excuses: {},
  async strike(stack, random) {
    const file = await anyCertificateFile(stack, random);
    if (file === null) return null;
    const how = random.pick(['cut', 'emptied', 'garbled', 'removed']);
    if (how === 'cut') await truncate(file, random.integer(1, 600));
    else if (how === 'removed') await rm(file);
    else await writeFile(file, how === 'emptied' ? '' : 'garbled\n');
    return {
      detail: `${file}: ${how}`,
      heal: async () => undefined,
      async over() {
        await eventually('the file is whole again', async () => {
          await stack.relaunch();
          const pem = await readFile(file, 'utf8');
          return new X509Certificate(pem).checkPrivateKey(createPrivateKey(pem));
        });
      },
    };
  },
};
