// Hooks that hang, fail, print too much or leave records, with a real authority that validates by dns-01, and its name server.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWithPebble } from '../../testkit/acme/pebble.ts';
import { temporaryFolder } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { caller, IssuanceKit } from '../../testkit/issuance/issuance-kit.ts';
import { PebbleAuthority, PebbleWithWeb } from '../../testkit/issuance/pebble-issuance.ts';
import { dnsValue } from '../acme/jws.ts';
import { DnsChallenges } from './dns-challenges.ts';
import { DnsHook } from './dns-hook.ts';
import { GivenNameServers, lookUpTxt } from './txt-lookup.ts';

const HOUR = 3_600_000;

describeWithPebble('an order by dns-01', () => {
  let web: PebbleWithWeb;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let kit: IssuanceKit<PebbleAuthority>;
  let dns: DnsChallenges;
  let number = 0;
  let name: string;
  beforeAll(async () => {
    web = await PebbleWithWeb.start();
  });
  afterAll(() => web?.stop());
  beforeEach(async () => {
    folder = await temporaryFolder();
    kit = await IssuanceKit.openWith(new PebbleAuthority(web));
    kit.longestWaitMs = 500;
    number += 1;
    name = `*.hook-${number}.example`;
  });
  afterEach(async () => {
    await kit?.remove();
    await folder?.remove();
  });

  const file = (of: string) => join(folder.path, of);
  /** Each call runs `odd` instead while the file `odd` is there, if it is of this verb. */
  async function use(verb: 'deploy_challenge' | 'clean_challenge', odd: string): Promise<void> {
    const edits = `case $1 in deploy_challenge) edit=set-txt ;; *) edit=clear-txt ;; esac`;
    const body = `{\\"host\\":\\"_acme-challenge.$2.\\",\\"value\\":\\"$4\\"}`;
    const url = `http://127.0.0.1:${web.pebble.dns.managementPort}/$edit`;
    const send = `fetch(process.argv[1], { method: 'POST', body: process.argv[2] })`;
    await writeFile(
      file('hook'),
      `#!/bin/sh
echo "$1" >> ${file('calls')}
if [ "$1" = ${verb} ] && [ -e ${file('odd')} ]; then ${odd}; fi
${edits}
exec ${process.execPath} -e "${send}" "${url}" "${body}"
`,
      { mode: 0o700 },
    );
    await writeFile(file('odd'), '');
    const nameServers = new GivenNameServers([web.pebble.dns.server]);
    kit.dnsPresenter = (orders) => {
      dns = new DnsChallenges({
        hook: new DnsHook({ path: file('hook'), environment: process.env, limitMs: 3_000 }),
        ...{
          nameServers,
          orders,
          log: { warn: (text, fields) => void kit.logged.push(`${text} ${JSON.stringify(fields)}`) },
        },
        now: () => new Date(Date.now() + kit.skew),
      });
      return dns;
    };
    kit.restart();
  }

  const repaired = () => rm(file('odd'));

  async function request(): Promise<string> {
    const requested = await kit.issuance.request([name], { challenge: 'dns-01' }, caller);
    if ('ordered' in requested) throw new Error('ordered already');
    return requested.certificate.id;
  }

  const problemOf = async (id: string) =>
    await eventually('the hook has failed', async () => {
      await kit.issuance.tick();
      return (await kit.issuance.attempts(id, 1))[0]?.problem ?? null;
    });
  const calls = async () => (await readFile(file('calls'), 'utf8')).trim().split('\n');

  it.each([
    ['hangs', 'sleep 1000', /did not end within 3 s and was killed/],
    ['fails', 'echo no such zone >&2; exit 3', /exited with 3; it printed: no such zone/],
    [
      'fails after it printed 10 MB',
      'head -c 10000000 /dev/zero | tr "\\0" x; exit 1',
      /exited with 1; it printed: x+/,
    ],
  ])('whose hook %s says so, and is issued once the hook works', async (_what, odd, why) => {
    const before = web.issued;
    await use('deploy_challenge', odd);
    const id = await request();
    const problem = await problemOf(id);
    expect(problem).toMatchObject({ class: 'will retry', type: 'challenge', detail: expect.stringMatching(why) });
    expect(problem!.detail.length).toBeLessThan(1_500);
    await repaired();
    await kit.untilIdle();
    expect(await kit.issuance.attempts(id, 2)).toMatchObject([{ state: 'stored' }]);
    expect(web.issued - before).toBe(1);
  });

  it('whose hook prints 10 MB and works is issued', async () => {
    await use('deploy_challenge', 'head -c 10000000 /dev/zero | tr "\\0" x');
    const id = await request();
    await kit.untilIdle();
    expect(await kit.issuance.attempts(id, 2)).toMatchObject([{ state: 'stored' }]);
  });

  it('whose hook leaves its records is issued, and they are removed an hour later, also after a restart', async () => {
    await use('clean_challenge', 'exit 1');
    const id = await request();
    await kit.untilIdle();
    expect(await kit.issuance.attempts(id, 2)).toMatchObject([{ state: 'stored' }]);
    await dns.cleared();
    kit.restart();
    await dns.clear();
    await dns.cleared();
    const [left] = await kit.orders.withRecords();
    const { keyAuthorization } = left!.challenges[0]!;
    const isThere = async () => {
      const record = `_acme-challenge.${name.slice(2)}`;
      return (await lookUpTxt(record, dnsValue(keyAuthorization), new GivenNameServers([web.pebble.dns.server])))
        .lacking;
    };
    expect(await isThere()).toBeNull();
    expect((await calls()).filter((verb) => verb === 'clean_challenge')).toHaveLength(2);
    await repaired();
    kit.skew += HOUR + 1_000;
    await kit.issuance.tick();
    await dns.cleared();
    expect(await kit.orders.withRecords()).toEqual([]);
    expect(await isThere()).not.toBeNull();
  });
});
