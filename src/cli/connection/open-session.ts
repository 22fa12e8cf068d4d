import { open } from 'node:fs/promises';
import { connect } from '../../client/node-client.ts';
import type { CliHost } from '../host.ts';
import type { Interruption } from '../interruption.ts';
import { harmless } from '../output/harmless.ts';
import type { Output } from '../output/output.ts';
import type { Session } from '../session.ts';
import { type Options, outputFormat } from '../verb.ts';
import { type ApiKey, findKey, type KeyFiles } from './api-key.ts';
import { defaultUrl, parseServiceUrl, type ServiceAddress } from './service-url.ts';
import { awaitStart } from './starting-service.ts';

/** Removing a million entries takes more than three minutes on a busy machine. */
const bulkTimeoutMs = 1_800_000;

export interface Connection {
  readonly service: ServiceAddress;
  readonly key: ApiKey;
}

/** Waits for a local service that is starting. @throws Failure for an invalid address, or without a key */
export async function findService(
  host: CliHost,
  options: Options,
  report: (text: string) => void,
): Promise<Connection> {
  const { environment, homeFolder } = host;
  const flag = options['url'] as string | undefined;
  const variable = environment['PROXY_MANAGER_URL'] || undefined;
  const service = parseServiceUrl(flag ?? variable ?? defaultUrl, flag === undefined ? 'PROXY_MANAGER_URL' : '--url');
  await awaitStart(service, report);
  return { service, key: await findKey({ environment, homeFolder, files: realFiles }) };
}

interface SessionParts {
  readonly host: CliHost;
  readonly connection: Connection;
  readonly output: Output;
  readonly interruption: Interruption;
  readonly options: Options;
}

export function openSession({ host, connection, output, interruption, options }: SessionParts): Session {
  const { service, key } = connection;
  return {
    api: connect({ url: service.url, key: key.key }),
    patientApi: connect({ url: service.url, key: key.key, timeoutMs: bulkTimeoutMs }),
    output,
    format: outputFormat(options),
    interruption,
    now: host.now,
    stdin: host.stdin,
    url: service.url,
    canAsk: canAsk(host),
    ask: async (question) => await ask(host, question),
    ownAddresses: async () => {
      // Loaded on use: few verbs need it.
      const { ownAddresses } = await import('./own-addresses.ts');
      return await ownAddresses(host.environment, service);
    },
  };
}

const realFiles: KeyFiles = {
  read: async (path) => {
    // One descriptor, so that the mode is that of the file that is read.
    const file = await open(path, 'r');
    try {
      const { mode } = await file.stat();
      return { text: await file.readFile('utf8'), mode };
    } finally {
      await file.close();
    }
  },
};

export function canAsk({ stdin, stderr }: CliHost): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** A yes-or-no question; anything but y is no. */
export async function ask({ stdin, stderr }: CliHost, question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  // Not in raw mode: Ctrl-C stays a signal.
  const terminal = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${harmless(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
