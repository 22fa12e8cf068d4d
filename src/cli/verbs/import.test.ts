import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { problemCodes } from '../../client/problem-codes.ts';
import { runCommandLine } from '../run.ts';

const terminal = () => Object.assign(new PassThrough(), { isTTY: true });

it('names a file that is no longer a list when it is sent again with --allow-shrink', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pmi-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const list = join(folder, 'list.txt');
  await writeFile(list, '192.0.2.1\n');
  const server = createServer(async (request, response) => {
    await text(request);
    await writeFile(list, 'now\0binary\n');
    const problem = { code: problemCodes.setWouldShrink, status: 409, detail: 'x', would_remove: 3, current_total: 4 };
    response.writeHead(409, { 'content-type': 'application/problem+json', 'x-request-id': 'r' });
    response.end(JSON.stringify(problem));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const [stdin, stdout, stderr] = [terminal(), new PassThrough(), terminal()];
  stdin.write('y\n');
  const code = await runCommandLine(['import', '--replace', list], {
    environment: { PROXY_MANAGER_API_KEY: 'key-0123456789abcdef', PROXY_MANAGER_URL: `http://127.0.0.1:${port}` },
    homeFolder: null,
    stdin,
    stdout,
    stderr,
    now: () => new Date(),
    end: () => undefined,
  });
  expect({ code, printed: String(stderr.read()) }).toEqual({
    code: 1,
    printed: expect.stringContaining(`proxy-manager: ${list} is not a text file`),
  });
});
