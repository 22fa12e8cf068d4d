// Whether HAProxy would load a certificate: a configuration that has nothing else. `commit` at runtime does not tell, as
// it accepts a weak key of a certificate that is in no list.

import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { isMissing, writeSecretFile } from '../files/atomic-file.ts';
import { checkConfiguration } from '../haproxy/process/binary.ts';
import type { TlsFiles } from './files.ts';

const SHOWN = 300;

interface ProxyCheckDeps {
  readonly files: Pick<TlsFiles, 'temporary'>;
  readonly proxyBin: string;
}

/** Asks the binary that a reload would run. Takes 0.05 s. */
export class ProxyCheck {
  readonly #deps: ProxyCheckDeps;

  constructor(deps: ProxyCheckDeps) {
    this.#deps = deps;
  }

  /** Why HAProxy would not load it, in its words; null: it would. @throws ConfigurationCheckError, and system errors */
  async refusal(pem: { reveal(): string }): Promise<string | null> {
    const { files, proxyBin } = this.#deps;
    const name = `check-${randomBytes(6).toString('hex')}`;
    const certificate = files.temporary(`${name}.pem`);
    const configuration = files.temporary(`${name}.cfg`);
    try {
      await writeSecretFile(certificate, pem.reveal());
      await writeSecretFile(configuration, configurationWith(certificate));
      const { valid, output } = await checkConfiguration(proxyBin, configuration);
      return valid ? null : reasonIn(output, certificate);
    } finally {
      for (const path of [certificate, configuration]) await removeIfThere(path);
    }
  }
}

/** HAProxy does not bind for a check. */
function configurationWith(certificate: string): string {
  return `global
    ssl-load-extra-files none
defaults
    mode http
    timeout client 1s
frontend check
    bind 127.0.0.1:1 ssl crt ${certificate}
    http-request return status 200
`;
}

/** HAProxy names files and reasons, never their content. */
function reasonIn(output: string, certificate: string): string {
  const line =
    output.split('\n').find((one) => one.includes(certificate)) ?? output.split('\n').find((one) => one !== '');
  const reason = (line ?? 'it gave no reason')
    .replace(/^\[[A-Z]+\]\s+\(\d+\) : /, '')
    .replaceAll(certificate, 'the file');
  return reason
    .replace(/^.*?'bind 127\.0\.0\.1:1' in section 'frontend' : /, '')
    .slice(0, SHOWN)
    .trim();
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
