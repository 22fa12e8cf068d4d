import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freePort } from './free-port.ts';

const module = join(import.meta.dirname, 'free-port.ts');

it('reserves each port once, for all processes', async () => {
  const [from, to] = [31_900, 31_912];
  const program = `
    const { freePort } = await import(${JSON.stringify(module)});
    console.log(await Promise.all([1, 2, 3].map(() => freePort(${from}, ${to}))));
    await new Promise((resolve) => process.stdin.once('close', resolve).resume());`;
  const children = [1, 2].map(() => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]));
  const printed = children.map(
    ({ child }) => new Promise<string>((resolve) => child.stdout?.once('data', (text) => resolve(String(text)))),
  );
  const theirs = (await Promise.all(printed)).flatMap((text) => JSON.parse(text) as number[]);
  const ours = await Promise.all([1, 2, 3].map(() => freePort(from, to)));
  for (const { child } of children) child.stdin?.end();
  await Promise.all(children);
  expect(new Set([...theirs, ...ours]).size).toBe(9);
});

it('passes over a port at which a program listens', async () => {
  const port = await freePort(31_920, 31_930);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port + 20, '127.0.0.1', resolve));
  const next = () => freePort(port + 20, port + 26);
  for (let turn = 0; turn < 5; turn += 1) expect(await next()).not.toBe(port + 20);
  await expect(next()).rejects.toThrow(/^no port from \d+ to \d+ is free$/);
  server.close();
});
