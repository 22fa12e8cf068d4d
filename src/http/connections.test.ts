import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Connections } from './connections.ts';

test('only the latest rejected connections stay open until they have read their response', () => {
  const evicted: Socket[] = [];
  const connections = new Connections(1, (socket) => evicted.push(socket));
  const worker = new Socket();
  connections.admit(worker);
  connections.authenticated(worker, 'ops');
  connections.begin(worker);
  const flood = Array.from({ length: 1_000 }, () => new Socket());
  for (const socket of flood) connections.admit(socket);
  expect(evicted).toEqual(flood);
  expect(flood.every((socket) => connections.wasRefused(socket))).toBe(true);
  expect(flood.slice(0, -64).every(({ destroyed }) => destroyed)).toBe(true);
  expect(flood.slice(-64).some(({ destroyed }) => destroyed)).toBe(false);
  expect(worker.destroyed).toBe(false);
  for (const socket of flood) socket.destroy();
});

test('a rejected connection that closes makes room for the next', async () => {
  const connections = new Connections(1, (socket) => void socket.destroy());
  const worker = new Socket();
  connections.admit(worker);
  connections.authenticated(worker, 'ops');
  connections.begin(worker);
  const stays = new Socket();
  const evicted = new Connections(0, () => undefined);
  evicted.admit(stays);
  for (let index = 0; index < 200; index += 1) {
    const socket = new Socket();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    evicted.admit(socket);
    socket.destroy();
    await closed;
  }
  expect(stays.destroyed).toBe(false);
});
