// Commands on the master socket without code of the product: one connection a batch, half-closed after writing.
import { createConnection } from 'node:net';

/** With the command it must fit in HAProxy's buffer of 16,384. */
const payloadBytes = 14_980;
/** More were not faster: 0.085 ms a `del map` on 3.0 at 100, 300, 1,000 and 3,000. */
const commandsAtOnce = 300;

export function ask(socketPath: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: socketPath, allowHalfOpen: true });
    let reply = '';
    socket.setEncoding('latin1');
    socket.on('data', (data: string) => {
      reply += data;
    });
    socket.once('end', () => {
      socket.destroy();
      resolve(reply);
    });
    socket.once('error', reject);
    socket.end(text, 'latin1');
  });
}

/** Counts the bytes of the reply. */
export function count(socketPath: string, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: socketPath, allowHalfOpen: true });
    let bytes = 0;
    socket.on('data', (data: Buffer) => {
      bytes += data.length;
    });
    socket.once('end', () => {
      socket.destroy();
      resolve(bytes);
    });
    socket.once('error', reject);
    socket.end(text, 'latin1');
  });
}

/** Reads one `show map`. Throws if it is shorter than the entries. */
export async function list(socketPath: string, map: string, entries: number): Promise<void> {
  const bytes = await count(socketPath, `@1 show map ${map}\n`);
  if (bytes < entries * '0x0 1.1.1.1 1\n'.length) throw new Error(`show map: ${bytes} bytes for ${entries} entries`);
}

/** Each must answer with an empty line. */
export async function runAll(socketPath: string, commands: readonly string[]): Promise<void> {
  for (let start = 0; start < commands.length; start += commandsAtOnce) {
    const some = commands.slice(start, start + commandsAtOnce);
    const reply = await ask(socketPath, some.map((command) => `@1 ${command}\n`).join(''));
    if (reply !== '\n'.repeat(some.length))
      throw new Error(`${some[0]} and more: ${JSON.stringify(reply.slice(0, 200))}`);
  }
}

/** Made before anything is timed. `into`: `<path>`, or `@<version> <path>`. */
export function payloads(into: string, ips: readonly string[]): string[] {
  const texts: string[] = [];
  const head = `@1 add map ${into} <<\n`;
  let body = '';
  for (const ip of ips) {
    const line = `${ip} 1\n`;
    if (body.length + line.length > payloadBytes) {
      texts.push(`${head}${body}\n`);
      body = '';
    }
    body += line;
  }
  if (body !== '') texts.push(`${head}${body}\n`);
  return texts;
}

/** Empties `texts`, to free memory. */
export async function sendAll(socketPath: string, texts: string[]): Promise<void> {
  for (const text of texts.splice(0)) {
    const reply = await ask(socketPath, text);
    if (reply !== '\n') throw new Error(`payload: ${JSON.stringify(reply.slice(0, 200))}`);
  }
}

/** Returns the number of the new version. */
export async function prepare(socketPath: string, map: string): Promise<number> {
  const reply = await ask(socketPath, `@1 prepare map ${map}\n`);
  const version = /^New version created: (\d+)\n\n$/.exec(reply)?.[1];
  if (version === undefined) throw new Error(`prepare map: ${JSON.stringify(reply.slice(0, 200))}`);
  return Number(version);
}

export async function commit(socketPath: string, map: string, version: number): Promise<void> {
  await runAll(socketPath, [`commit map @${version} ${map}`]);
}
