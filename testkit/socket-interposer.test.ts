import { once } from 'node:events';
import { readdirSync, renameSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from './blocking.ts';
import { eventually } from './conditions.ts';
import { SocketInterposer } from './socket-interposer.ts';

const isNext = (file: string) => /^m\.sock\.\d+$/.test(file);

/** Replaces the socket at `path`, as HAProxy does in a reload. */
async function bind(path: string, name: string): Promise<Server> {
  const server = createServer((client) => client.end(name));
  server.listen(`${path}.${name}`);
  await once(server, 'listening');
  renameSync(`${path}.${name}`, path);
  return server;
}

function asked(path: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect(path).setEncoding('utf8');
    socket.on('data', (text: string) => {
      reply += text;
    });
    socket.on('error', (error) => resolve(error.message));
    socket.on('end', () => resolve(reply));
    socket.on('close', () => resolve(reply));
  });
}

it('passes connections to the last of several sockets that replace each other at once', async () => {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'm.sock');
  const servers = [await bind(path, 'first')];
  const interposer = await SocketInterposer.at(path);
  for (let round = 0; round < 40; round += 1) {
    servers.push(await bind(path, `a${round}`));
    const bound = statSync(path).ino;
    // It listens under a name of its own before it takes the path.
    while (statSync(path).ino === bound && !readdirSync(folder.path).some(isNext)) await setImmediate();
    for (let turn = round % 8; turn > 0; turn -= 1) await setImmediate();
    servers.push(await bind(path, `b${round}`));
    interposer.misbehave('silent');
    await eventually('the interposer is in between', async () => (await asked(path)) === '');
    interposer.misbehave(null);
    expect(await asked(path)).toBe(`b${round}`);
  }
  await interposer.release();
  expect(await asked(path)).toBe('b39');
  for (const server of servers) server.close();
  await folder.remove();
});
