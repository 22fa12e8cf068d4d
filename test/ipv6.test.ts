// A new installation serves IPv6; an upgrade opens no address.
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { freePort } from '../testkit/free-port.ts';
import { dealt, describeOnProductProxies, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

describe.skipIf(!hasIpv6)(`IPv6${hasIpv6 ? '' : ' (this machine has none)'}`, () => {
  describeOnProductProxies('by default', ({ bin }) => {
    const dealtIt = dealt(bin, it);
    const visit = async (service: RealService, host: string): Promise<number | string> => {
      const address = host.includes(':') ? `[${host}]` : host;
      return await fetch(`http://${address}:${service.proxyPort}/`).then(
        ({ status }) => status,
        (error: Error) => String((error.cause as NodeJS.ErrnoException | undefined)?.code ?? error),
      );
    };
    const started = async (bind: (port: number) => string): Promise<RealService> => {
      const proxyPort = await freePort();
      return await RealService.start({ bin, proxyPort, environment: { PROXY_MANAGER_HTTP_BIND: bind(proxyPort) } });
    };

    dealtIt('is served and blocked by its own address in a new installation', async () => {
      const service = await started((port) => `any:${port}`);
      try {
        expect([await visit(service, '127.0.0.1'), await visit(service, '::1')]).toEqual([200, 200]);
        await service.block('::1', { force: true });
        expect([await visit(service, '127.0.0.1'), await visit(service, '::1')]).toEqual([200, 403]);
        await service.unblock('::1');
        // An IPv4 client arrives at the socket of IPv4, not as ::ffff:127.0.0.1 at the other.
        expect(await readFile(service.paths.config, 'utf8')).toContain(`bind [::]:${service.proxyPort} v6only\n`);
      } finally {
        await service.stop();
      }
    });

    dealtIt('is not bound by an upgrade, but by an explicit setting', async () => {
      const service = await started((port) => `:${port}`);
      try {
        const restart = async (bind: string) => {
          service.kill('SIGTERM');
          await service.ended();
          await service.launch({ PROXY_MANAGER_HTTP_BIND: bind });
          return (await service.call('POST', '/api/config/reload')).body['changed'];
        };
        expect(await restart(`any:${service.proxyPort}`)).toBe(false);
        expect([await visit(service, '127.0.0.1'), await visit(service, '::1')]).toEqual([200, 'ECONNREFUSED']);
        expect(await restart(`:${service.proxyPort},[::]:${service.proxyPort}`)).toBe(true);
        expect([await visit(service, '127.0.0.1'), await visit(service, '::1')]).toEqual([200, 200]);
        if (longTests) expect(await restart(`any:${service.proxyPort}`)).toBe(false);
      } finally {
        await service.stop();
      }
    });
  });
});
