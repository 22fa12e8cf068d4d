import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Interruption } from './interruption.ts';
import { runCommandLine } from './run.ts';

it('reports on SIGINT what was done so far, and ends with exit code 130', () => {
  const interruption = new Interruption();
  const remarks: string[] = [];
  const codes: number[] = [];
  const before = process.listeners('SIGINT');
  const stopListening = interruption.listen(
    (text) => remarks.push(text),
    (code) => codes.push(code),
  );
  interruption.reports(() => '2 of 3 were done');
  const added = process.listeners('SIGINT').filter((listener) => !before.includes(listener));
  for (const listener of added) listener('SIGINT');
  stopListening();
  expect(remarks).toEqual(['\nproxy-manager: stopped: 2 of 3 were done']);
  expect(codes).toEqual([130]);
});

it('no longer listens for SIGINT after a verb has ended', async () => {
  const before = process.listeners('SIGINT');
  const code = await runCommandLine(['status'], {
    environment: {},
    homeFolder: null,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    now: () => new Date(),
    end: () => undefined,
  });
  expect(code).toBe(1);
  expect(process.listeners('SIGINT')).toEqual(before);
});
