// Promise 10: whatever a crash left of the map file, the service repairs it before HAProxy reads it. `npm test` tries
// every seventeenth length and one of the cuts, on one version.
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { repairMaps } from '../src/cli/local/map-repair.ts';
import { readMapFile } from '../src/haproxy/map-file/map-file.ts';
import { checkConfiguration } from '../src/haproxy/process/binary.ts';
import { readSettings, type Settings } from '../src/settings.ts';
import { processAlive, processStartTime } from '../src/system/processes.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy, longTests, sampled } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { silentLog } from '../testkit/silent-log.ts';
import { expectAgreement } from '../testkit/traffic.ts';

const body = ['127.50.0.1', '127.50.0.12', '127.50.1.0/24', '127.50.2.1', '2001:db8::1', '2001:db8:7::/48'];
const slots = ['127.51.0.1', '127.51.0.22', '127.51.0.33', '2001:db8:51::/64'];
const removed = ['127.50.2.1', '127.51.0.33'];
const wanted = [...body, ...slots].filter((ip) => !removed.includes(ip));
const slotBytes = 64;

describeOnOneProxy('a map file that was cut', ({ bin }) => {
  let service: RealService;
  let settings: Settings;
  let whole: Buffer;
  /** After the last slot in use. */
  let end = 0;

  beforeAll(async () => {
    service = await RealService.start({ bin });
    settings = readSettings({ PROXY_MANAGER_PREFIX: service.paths.prefix, PROXY_MANAGER_LOG_FILE: '-' }, {}, () => '');
    for (const ip of body) await service.block(ip);
    await endAll();
    // They become lines of the body; later changes take slots.
    await service.launch();
    for (const ip of slots) await service.block(ip);
    for (const ip of removed) await service.unblock(ip);
    await endAll();
    whole = await readFile(service.paths.blockedMap);
    end = whole.indexOf(`${slots.at(-1)} 1`) + slotBytes;
    expect(whole.includes('#27.51.0.33 1')).toBe(true);
    expect(end).toBeGreaterThan(slotBytes);
  });
  afterAll(() => service.stop());
  // After a failure too: a running service would disturb the next test.
  afterEach(() => endAll());

  /** Kills service and proxy, as a power failure does. */
  async function endAll(): Promise<void> {
    service.kill('SIGKILL');
    await service.ended();
    for (const pid of await service.proxyPids()) {
      const startTime = await processStartTime(pid);
      if (await processAlive(pid, startTime)) process.kill(pid, 'SIGKILL');
      await eventually('it is dead', async () => !(await processAlive(pid, startTime)));
    }
  }

  it('at any byte of its last lines is whole again after the repair, and HAProxy takes it', async () => {
    const generation = /generation=\d+ */;
    const repaired = async (content: Buffer): Promise<string> => {
      await writeFile(service.paths.blockedMap, content);
      expect(await repairMaps(settings, silentLog)).toMatchObject({ blocked: wanted.length });
      return (await readFile(service.paths.blockedMap, 'latin1')).replace(generation, '');
    };
    const expected = await repaired(whole);
    expect(await entriesOf(service.paths.blockedMap)).toEqual(wanted.map((ip) => `${ip} 1`).sort());
    expect(await checkConfiguration(bin, service.paths.config)).toMatchObject({ valid: true });
    const bodyEnd = whole.indexOf(`${body.at(-1)} 1`) + `${body.at(-1)} 1\n`.length;
    for (const [from, to] of [
      [bodyEnd - 60, bodyEnd],
      [end - 2 * slotBytes, end],
    ] as const) {
      for (let length = from; length <= to; length += longTests ? 1 : 17) {
        if ((await repaired(whole.subarray(0, length))) !== expected) expect.fail(`cut at ${length}: another file`);
      }
    }
    // A file system may leave zeros for a block that never reached the disk.
    const zeros = Buffer.from(whole);
    zeros.fill(0, end - 3 * slotBytes);
    expect(await repaired(zeros)).toBe(expected);
  });

  const cuts = [
    ['in the middle of an address in its last used slot', () => end - slotBytes + 5],
    ['before the newline of a line of the body', () => whole.indexOf('127.50.0.12 1') + '127.50.0.12 1'.length],
    ['between an address and its value', () => whole.indexOf('127.50.1.0/24 1') + '127.50.1.0/24'.length],
    ['in its header', () => 20],
    ['to nothing', () => 0],
  ] as const;
  it.each(sampled(cuts, (_, index) => index === 0))(
    '%s: the service starts, and every block is enforced',
    async (_where, cut) => {
      await writeFile(service.paths.blockedMap, whole.subarray(0, cut()));
      await service.launch();
      // Shows which process answers at the port.
      expect(await service.visit('127.51.0.1'), `${await service.proxyPids()}: ${await service.logText()}`).toBe(403);
      await service.healthy();
      await expectAgreement(service, wanted);
      expect(await service.visit('127.50.1.77')).toBe(403);
      expect(await service.visit('127.51.0.33')).toBe(200);
      // The running map needed no repair: HAProxy started with the repaired file.
      expect(await service.logText()).not.toContain('Running map differed');
    },
  );
});

async function entriesOf(path: string): Promise<string[]> {
  const entries: string[] = [];
  for await (const lines of readMapFile(path)) {
    for (const line of lines)
      entries.push(line.kind === 'entry' ? `${line.key} ${line.value}` : `damaged: ${line.why}`);
  }
  return entries.sort();
}
