import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../testkit/free-port.ts';
import { foreignListeners, named } from './foreign-listeners.ts';

const servers: Server[] = [];
async function listen(host: string, port: number, options: { ipv6Only?: boolean } = {}): Promise<void> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, reusePort: true, ...options }, resolve);
  });
}
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

describe('a listener on our address', () => {
  it('is foreign unless one of our processes holds it', async () => {
    const port = await freePort();
    expect(await foreignListeners([{ host: '127.0.0.1', port }], [])).toEqual([]);
    await listen('127.0.0.1', port);
    expect(await foreignListeners([{ host: '127.0.0.1', port }], [process.pid])).toEqual([]);
    expect(await named(await foreignListeners([{ host: '127.0.0.1', port }], [1]))).toEqual([
      expect.stringContaining(`port ${port} (process ${process.pid}`),
    ]);
  });

  it.each([
    ['0.0.0.0', '127.0.0.1', true],
    ['127.0.0.1', '0.0.0.0', true],
    ['127.0.0.1', '::', true],
    ['127.0.0.2', '127.0.0.1', false],
    ['::1', '127.0.0.1', false],
  ])('at %s meets one of ours at %s: %j', async (theirs, ours, meets) => {
    const port = await freePort();
    await listen(theirs, port);
    expect((await foreignListeners([{ host: ours, port }], [1])).length > 0).toBe(meets);
  });

  it('on another port is nothing of ours', async () => {
    const [port, other] = [await freePort(), await freePort()];
    await listen('127.0.0.1', other);
    expect(await foreignListeners([{ host: '127.0.0.1', port }], [])).toEqual([]);
  });
});
