import { once } from 'node:events';
import filesystem, { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
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

it('passes connections to a socket that appears while it takes the place of the one before', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const path = join(folder.path, 'm.sock');
  const servers = [await bind(path, 'first'), await bind(`${path}.beside`, 'late')];
  const rename = filesystem.renameSync;
  let isLate = false;
  filesystem.renameSync = (from, to) => {
    rename(from, to);
    if (!isLate && to === `${path}.real`) rename(`${path}.beside`, path);
    isLate = true;
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    filesystem.renameSync = rename;
    syncBuiltinESMExports();
  });
  const interposer = await SocketInterposer.at(path);
  expect(isLate).toBe(true);
  expect(await asked(path)).toBe('late');
  await interposer.release();
  expect(await asked(path)).toBe('late');
  for (const server of servers) server.close();
});

it('reports that it could not take the place of a later socket', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const path = join(folder.path, 'm.sock');
  const servers = [await bind(path, 'first')];
  const interposer = await SocketInterposer.at(path);
  writeFileSync(`${path}.2`, '');
  servers.push(await bind(path, 'second'));
  await eventually('it is reported', () => {
    try {
      interposer.misbehave(null);
      return false;
    } catch (error) {
      return (error as Error).message.startsWith('no longer between the service and');
    }
  });
  await expect(interposer.release()).rejects.toThrow('no longer between');
  for (const server of servers) server.close();
});
