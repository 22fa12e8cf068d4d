// From what was typed and what the environment says to a session with the service.
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { connect } from '../../client/node-client.ts';
import type { CliHost } from '../host.ts';
import type { Interruption } from '../interruption.ts';
import { harmless } from '../output/harmless.ts';
import type { Output } from '../output/output.ts';
import type { Session } from '../session.ts';
import { outputFormat } from '../verb.ts';
import { type ApiKey, findKey, type KeyFiles } from './api-key.ts';
import { defaultUrl, parseServiceUrl, type ServiceAddress } from './service-url.ts';
import { awaitStart } from './starting-service.ts';

/** A million entries taken away on a busy machine took three minutes and more. */
const longestBigChangeMs = 1_800_000;

export interface Connection {
  readonly service: ServiceAddress;
  readonly key: ApiKey;
}

/**
 * Waits for a service of this machine that is starting.
 * @throws Failure: no address of a service, or no key
 */
export async function findService(
  host: CliHost,
  options: Readonly<Record<string, unknown>>,
  says: (text: string) => void,
): Promise<Connection> {
  const { environment, homeFolder } = host;
  const flag = options['url'] as string | undefined;
  const variable = environment['PROXY_MANAGER_URL'] || undefined;
  const service = parseServiceUrl(flag ?? variable ?? defaultUrl, flag === undefined ? 'PROXY_MANAGER_URL' : '--url');
  await awaitStart(service, says);
  return { service, key: await findKey({ environment, homeFolder, files: realFiles }) };
}

export function openSession(
  host: CliHost,
  { service, key }: Connection,
  output: Output,
  interruption: Interruption,
  options: Readonly<Record<string, unknown>>,
): Session {
  return {
    api: connect({ url: service.url, key: key.key }),
    patientApi: connect({ url: service.url, key: key.key, timeoutMs: longestBigChangeMs }),
    output,
    format: outputFormat(options),
    interruption,
    now: host.now,
    stdin: host.stdin,
    url: service.url,
    canAsk: host.stdin.isTTY === true && host.stderr.isTTY === true,
    ask: async (question) => await ask(host, question),
    ownAddresses: async () => {
      // Few verbs ask for it.
      const { ownAddresses } = await import('./own-addresses.ts');
      return await ownAddresses(host.environment, service);
    },
  };
}

const realFiles: KeyFiles = {
  read: async (path) => {
    // One descriptor, so that what is judged is what is read.
    const file = await open(path, 'r');
    try {
      const { mode } = await file.stat();
      return { text: await file.readFile('utf8'), mode };
    } finally {
      await file.close();
    }
  },
};

/** A question that is answered by y or n; anything else is n. */
export async function ask({ stdin, stderr }: CliHost, question: string): Promise<boolean> {
  // Not in raw mode, so that Ctrl-C stays a signal.
  const terminal = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${harmless(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
