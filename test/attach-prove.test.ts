import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prove, provingAddress } from '../src/attach/prove.ts';
import { frontEndsOf } from '../src/configuration/rules/front-ends.ts';
import { head, rule, startAttached } from '../testkit/attached-service.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy } from '../testkit/proxies.ts';
import type { RealService } from '../testkit/real-service.ts';

const certificate = join(import.meta.dirname, '../testkit/tls/localhost.pem');
const ok = 'http-request return status 200 content-type text/plain string ok';

describeOnNewestProxy('the proof of attach', ({ bin }) => {
  let service: RealService;
  let config = '';
  beforeAll(async () => {
    const [header, tls, both, named, tcp, serverless, six, elsewhere] = await Promise.all(
      Array.from({ length: 8 }, () => freePort()),
    );
    ({ service } = await startAttached({
      bin,
      config: (paths, port) => {
        const deny = rule(paths);
        const reject = deny.replace('http-request deny deny_status 403', 'tcp-request session reject');
        const section = (name: string, bind: string, ...lines: string[]): string =>
          [`frontend ${name}`, `  bind ${bind}`, ...lines, ''].join('\n');
        config = [
          head,
          section('plain', `127.0.0.1:${port}`, deny, `  ${ok}`),
          section('header', `127.0.0.1:${header} accept-proxy`, deny, `  ${ok}`),
          section('tls', `127.0.0.1:${tls} ssl crt ${certificate}`, deny, `  ${ok}`),
          section('both', `127.0.0.1:${both} accept-proxy ssl crt ${certificate}`, deny, `  ${ok}`),
          section('named', `127.0.0.1:${named} ssl strict-sni crt ${certificate}`, deny, `  ${ok}`),
          section('tcp', `127.0.0.1:${tcp}`, '  mode tcp', reject, '  default_backend own'),
          section('serverless', `127.0.0.1:${serverless}`, '  mode tcp', reject, '  default_backend none'),
          section('six', `[::1]:${six}`, deny, `  ${ok}`),
          section('socket', `${paths.prefix}/s.sock`, deny, `  ${ok}`),
          section('private', `127.0.0.1:${elsewhere}`, '  http-request deny unless { src 192.0.2.0/24 }', deny),
          `backend own\n  mode tcp\n  server own 127.0.0.1:${port}\nbackend none\n  mode tcp\n`,
        ].join('');
        return config;
      },
    }));
    await service.healthy();
  });
  afterAll(() => service?.stop());

  const blocking = {
    block: async (ip: string) => void (await service.block(ip)),
    unblock: async (ip: string) => void (await service.unblock(ip)),
  };
  const frontEnd = (name: string) => {
    const found = frontEndsOf([{ path: 'haproxy.cfg', text: config }], service.paths).find((one) => one.name === name);
    expect(found).toMatchObject({ hasRule: true });
    return found!;
  };

  test.each([
    ['plain', 'got 403'],
    ['header', 'got 403'],
    ['tls', 'got 403'],
    ['both', 'got 403'],
    ['tcp', 'was disconnected'],
  ])('sees the denial at %s', async (name, how) => {
    expect(await prove(frontEnd(name), blocking)).toEqual({
      finding: 'proved',
      says: `${name}: ${provingAddress} ${how} while it was blocked, and is served again`,
    });
    expect(await service.listed()).toEqual([]);
  });

  test.each([
    ['named', 'closes the connections of an address that is not blocked'],
    ['serverless', 'closes the connections of an address that is not blocked'],
    ['six', 'no TCP listener for IPv4'],
    ['socket', 'no TCP listener for IPv4'],
    ['private', 'answers 403 to an address that is not blocked'],
  ])('says why %s proves nothing, and blocks nothing for it', async (name, why) => {
    const unwanted = async (): Promise<void> => {
      throw new Error('it must not be blocked');
    };
    const { finding, says } = await prove(frontEnd(name), { block: unwanted, unblock: unwanted });
    expect(finding).toBe('untested');
    expect(says).toContain(why);
  });

  test('reports a front end that does not deny a blocked address', async () => {
    const idle = async (): Promise<void> => undefined;
    for (const name of ['plain', 'tls', 'tcp']) {
      const proof = await prove(frontEnd(name), { block: idle, unblock: idle });
      expect(proof).toEqual({ finding: 'disproved', says: `${name}: NOT denied while ${provingAddress} was blocked` });
    }
  });
});
