// Which certificates HAProxy would not load: asked with configurations that have nothing else. `commit` at runtime does
// not tell, as it accepts a weak key of a certificate that is in no list.

import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationCheckError, checkConfiguration } from '../haproxy/process/binary.ts';
import { CheckProcess } from '../haproxy/process/check-process.ts';
import type { TlsFiles } from './files.ts';

const SHOWN = 300;
/** HAProxy stops reading a file of its configuration after 50 errors, and goes on with the next file. */
const LINES_A_FILE = 40;
/** Of output for each certificate: a line with two paths and a reason. */
const OUTPUT_EACH = 2_000;
const ADDRESS = '127.0.0.1:1';

interface ProxyCheckDeps {
  readonly files: Pick<TlsFiles, 'temporary'>;
  readonly proxyBin: string;
}

/**
 * Asks the binary that a reload would run, once for all certificates: 20 ms, and 1 ms for each on HAProxy 2.6. In a list
 * it would name the first alone. All methods throw ConfigurationCheckError, and system errors.
 */
export class ProxyCheck {
  readonly #deps: ProxyCheckDeps;
  readonly #checkProcess = new CheckProcess();

  constructor(deps: ProxyCheckDeps) {
    this.#deps = deps;
  }

  /** Why HAProxy would not load it, in its words; null: it would. */
  async refusal(pem: { reveal(): string }): Promise<string | null> {
    return (await this.refusalsOf(new Map([['one', pem]]), { besideBlocks: true })).get('one') ?? null;
  }

  /**
   * By key, why HAProxy would not load it; without those that it would.
   * @param besideBlocks they come first, so it may take longer; a start or a restore waits for the check of all of them
   */
  async refusalsOf<Key>(
    pems: ReadonlyMap<Key, { reveal(): string }>,
    { besideBlocks = false } = {},
  ): Promise<ReadonlyMap<Key, string>> {
    return await this.#inFolder(async (folder) => {
      const keys = new Map<string, Key>();
      for (const [key, pem] of pems) {
        const path = join(folder, `${keys.size}.pem`);
        await writeHere(path, pem.reveal());
        keys.set(path, key);
      }
      const refused = await this.#refused(folder, [...keys.keys()], besideBlocks);
      return new Map([...refused].map(([path, why]) => [keys.get(path)!, why]));
    });
  }

  /** By path, why HAProxy would not load the file; without those that it would. */
  async refusals(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return await this.#inFolder(async (folder) => await this.#refused(folder, paths, false));
  }

  async #refused(
    folder: string,
    paths: readonly string[],
    besideBlocks: boolean,
  ): Promise<ReadonlyMap<string, string>> {
    if (paths.length === 0) return new Map();
    const configurations: string[] = [];
    for (let from = 0; from < paths.length; from += LINES_A_FILE) {
      const file = join(folder, `${configurations.length}.cfg`);
      await writeHere(file, configurationWith(configurations.length, paths.slice(from, from + LINES_A_FILE)));
      configurations.push(file);
    }
    const { proxyBin } = this.#deps;
    const { valid, output } = besideBlocks
      ? await this.#checkProcess.checkConfiguration(proxyBin, configurations)
      : await checkConfiguration(proxyBin, configurations, { outputLimit: 65_536 + paths.length * OUTPUT_EACH });
    if (valid) return new Map();
    const reasons = reasonsIn(output, new Set(paths));
    if (reasons.size > 0) return reasons;
    const [first] = output.split('\n').filter((line) => line.includes('[ALERT]'));
    if (first === undefined)
      throw new ConfigurationCheckError(`HAProxy says neither yes nor no: ${output.slice(0, SHOWN).trim()}`);
    if (paths.length === 1) return new Map([[paths[0]!, reasonOf(first, paths[0]!)]]);
    throw new ConfigurationCheckError(`HAProxy refuses certificates and names none: ${first.slice(0, SHOWN)}`);
  }

  /** Nothing in it has to survive a crash: what is left is removed at the next start. */
  async #inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = this.#deps.files.temporary(`check-${randomBytes(6).toString('hex')}`);
    await mkdir(folder, { mode: 0o700 });
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function writeHere(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flag: 'wx' });
}

/**
 * HAProxy does not bind for a check. It would read the authorities of the system for a client of its own, which is not
 * used here: a third to four fifths of the time.
 */
function configurationWith(number: number, certificates: readonly string[]): string {
  const global = `global
    ssl-load-extra-files none
    httpclient.ssl.verify none
defaults
    mode http
    timeout client 1s
`;
  return `${number === 0 ? global : ''}frontend check-${number}
${certificates.map((certificate) => `    bind ${ADDRESS} ssl crt ${certificate}\n`).join('')}    http-request return status 200
`;
}

function reasonsIn(output: string, paths: ReadonlySet<string>): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const line of output.split('\n')) {
    for (const path of pathsIn(line)) {
      if (paths.has(path) && !reasons.has(path)) reasons.set(path, reasonOf(line, path));
    }
  }
  return reasons;
}

/** The files that a line of HAProxy names. Of a missing key it names the file in which it also looked: `….pem.key`. */
export function pathsIn(line: string): readonly string[] {
  return [...line.matchAll(/\/[^\s'"[\]]+/g)].map(([path]) => path.replace(/[.:,)]+$/, '').replace(/\.key$/, ''));
}

/** HAProxy names files and reasons, never their content. */
function reasonOf(line: string, certificate: string): string {
  return line
    .replace(/^\[[A-Z]+\]\s+\(\d+\) : /, '')
    .replaceAll(certificate, 'the file')
    .replace(new RegExp(`^.*?'bind ${ADDRESS}' in section 'frontend' : `), '')
    .slice(0, SHOWN)
    .trim();
}
