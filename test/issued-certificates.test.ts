// The service orders certificates from a real authority, which HAProxy answers although its address is blocked, and is
// killed at each step of an order: after a restart the certificate is served, and one was issued.
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chainType } from '../src/api/certificates.ts';
import { crashPoints, crashVariable } from '../src/faults/crash-point.ts';
import { describeWithPebble, Pebble } from '../testkit/acme/pebble.ts';
import { temporaryFolder } from '../testkit/blocking.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { longTests, testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { servedSha1 } from '../testkit/tls/made-certificate.ts';

const proxies = testProxies().found;
const sample = ['acme.key-stored'];
const points = crashPoints.filter((point) => point.startsWith('acme.') && (longTests || sample.includes(point)));

for (const { bin, version } of longTests ? proxies : proxies.slice(-1)) {
  describeWithPebble(`an ordered certificate with HAProxy ${version}`, () => {
    let pebble: Pebble;
    let service: RealService;
    let httpsPort: number;
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    beforeAll(async () => {
      const proxyPort = await freePort();
      httpsPort = await freePort();
      pebble = await Pebble.start({ httpPort: proxyPort, refusedNonces: 50 });
      folder = await temporaryFolder();
      const roots = join(folder.path, 'roots.pem');
      await writeFile(roots, pebble.roots);
      const environment: Record<string, string> = {
        PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${httpsPort}`,
        PROXY_MANAGER_ACME_TERMS_AGREED: 'true',
        PROXY_MANAGER_ACME_DIRECTORY: pebble.directory,
        PROXY_MANAGER_ACME_CA_FILE: roots,
        PROXY_MANAGER_ACME_CONTACT: 'ops@example.com',
        [crashVariable]: points[0]!,
      };
      service = await RealService.start({ bin, proxyPort, environment });
      // For the first death alone.
      delete environment[crashVariable];
    });
    afterAll(async () => {
      await service?.stop();
      await pebble?.stop();
      await folder?.remove();
    });

    const issued = () => pebble.output.split('Issued certificate serial').length - 1;
    const request = async (name: string) => {
      const answer = await service.call<{ id: string }>('POST', '/api/acme/certificates', { body: { names: [name] } });
      expect(answer.status).toBe(202);
      return answer.body.id;
    };
    const served = async (id: string, name: string) => {
      const certificate = await eventually(`${name} is installed`, async () => {
        const { body } = await service.call('GET', `/api/certificates/${id}`);
        return body['runtime_updated'] === true ? body : null;
      });
      const chain = await service.call('GET', `/api/certificates/${id}/chain`, { accept: chainType });
      const leaf = new X509Certificate(chain.text);
      expect(leaf.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(certificate['sha256']);
      expect(await servedSha1(httpsPort, name)).toBe(leaf.fingerprint.replaceAll(':', ''));
    };
    const shownChallenges = async () => {
      const map = join(dirname(service.paths.blockedMap), 'acme_challenges.map');
      return (await readFile(map, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    };

    it.each(points)('is issued once after a death at %s', async (point) => {
      const name = `${point.replace('acme.', '')}.example`;
      const before = issued();
      if (point !== points[0]) {
        service.kill('SIGKILL');
        await service.ended();
        await service.launch({ [crashVariable]: point });
      }
      const id = await request(name);
      expect(await service.ended()).toMatchObject({ signal: 'SIGKILL' });
      await service.launch();
      await served(id, name);
      expect(issued() - before).toBe(1);
      await eventually('no challenge is shown', async () => (await shownChallenges()).length === 0);
    });

    it('is issued and served although the address of the authority is blocked', async () => {
      const before = issued();
      const block = await service.call('POST', '/api/blocked-ips', { body: { ip_address: '127.0.0.1' } });
      expect(block.status).toBeLessThan(300);
      await served(await request('first.example'), 'first.example');
      expect(issued() - before).toBe(1);
      expect(await shownChallenges()).toEqual([]);
    });
  });
}
