// A template of the operator without what certificates need: nothing is asked of the authority, and the refusal names what
// is missing.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { challengeLine } from '../src/configuration/template/challenge-rule.ts';
import { startingTemplate } from '../src/configuration/template/starting-template.ts';
import { AcmeFront } from '../testkit/acme/front.ts';
import { describeWithPebble, Pebble } from '../testkit/acme/pebble.ts';
import { temporaryFolder } from '../testkit/blocking.ts';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const rule = challengeLine('{{ acme_challenges_map }}');
const list = 'crt-list {{ tls_list }}';
const name = 'shop.example.com';

describeWithPebble('an authority', () => {
  describeOnOneProxy('and a template of the operator', ({ bin }) => {
    let pebble: Pebble;
    let front: AcmeFront;
    let service: RealService;
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    const template = () => join(folder.path, 'proxy.liquid');
    beforeAll(async () => {
      const proxyPort = await freePort();
      folder = await temporaryFolder();
      pebble = await Pebble.start({ httpPort: proxyPort });
      front = await AcmeFront.start(pebble);
      const roots = join(folder.path, 'roots.pem');
      await writeFile(roots, front.roots);
      await write(rule);
      service = await RealService.start({
        ...{ bin, proxyPort },
        environment: {
          PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${await freePort()}`,
          PROXY_MANAGER_TEMPLATE: template(),
          PROXY_MANAGER_ACME_TERMS_AGREED: 'true',
          PROXY_MANAGER_ACME_DIRECTORY: front.directory,
          PROXY_MANAGER_ACME_CA_FILE: roots,
          PROXY_MANAGER_ACME_DNS_HOOK: '/bin/true',
        },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await front?.stop();
      await pebble?.stop();
      await folder?.remove();
    });

    /** The built-in one without this part; null: complete. */
    async function write(missing: string | null): Promise<void> {
      const text = startingTemplate();
      if (missing !== null) expect(text).toContain(missing);
      await writeFile(template(), missing === null ? text : text.replace(missing, ''));
    }

    async function reloadWithout(missing: string | null): Promise<void> {
      await write(missing);
      const ran = await new CommandLineUser(service).run(['reload']);
      expect([ran.code, ran.err], ran.out).toEqual([0, '']);
    }

    const order = (challenge: 'http-01' | 'dns-01' = 'http-01') =>
      service.call('POST', '/api/acme/certificates', { body: { names: [name], challenge } });

    it('without the rule for challenges is refused with the line to add', async () => {
      const refused = await order();
      expect(refused).toMatchObject({ status: 409, body: { code: 6052 } });
      expect(refused.body['detail']).toContain(`needs this line before all other rules: ${rule}`);
      expect(front.requests).toEqual([]);
    });

    it('without the list of certificates is refused with what to add, whatever the challenge', async () => {
      await reloadWithout(` ${list}`);
      for (const challenge of ['http-01', 'dns-01'] as const) {
        const refused = await order(challenge);
        expect(refused).toMatchObject({ status: 409, body: { code: 6062 } });
        expect(refused.body['detail']).toContain(`ssl crt {{ tls_default }} ${list}`);
      }
      expect(front.requests).toEqual([]);
    });

    it('with both gets a certificate, and no renewal is asked for once the rule is gone', async () => {
      await reloadWithout(null);
      const accepted = await eventually('HAProxy would answer', async () => {
        const answer = await order();
        return answer.status === 202 && answer;
      });
      const id = String(accepted.body['id']);
      const last = async () => (await service.call('GET', `/api/acme/certificates/${id}`)).body['attempts'][0];
      await eventually('it is issued', async () => (await last())?.state === 'stored');
      await reloadWithout(rule);
      const before = [...front.requests];
      await service.call('POST', `/api/acme/certificates/${id}/renew`);
      const waiting = await eventually('the order waits', async () => {
        const one = await last();
        return one.state === 'planned' && one.problem !== null && one;
      });
      expect(waiting.problem).toMatchObject({ class: 'will retry', type: 'challenge' });
      expect(waiting.problem.detail).toContain(rule);
      expect(front.requests).toEqual(before);
    });
  });
});
