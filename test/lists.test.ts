import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseIp } from '../src/domain/ip.ts';
import { RuntimeMap } from '../src/haproxy/maps/runtime-map.ts';
import { eventually, patienceMs, untilPasses, within } from '../testkit/conditions.ts';
import { describeOnNewestProxy, itInLongTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

/** Like public lists: nested networks, IPv6, in order, with comments, blanks and invalid lines. */
function list(): { text: string; entries: string[] } {
  const lines: string[] = ['# a list', '; another comment', ''];
  for (let n = 0; n < 3_000; n += 1) {
    const [a, b] = [n % 200, (n * 7) % 256];
    lines.push(`${20 + (n % 60)}.${a}.${b}.${(n * 2) & 255}/31`);
    if (n % 10 === 0)
      lines.push(`${90 + (n % 5)}.${a}.0.0/16`, `${90 + (n % 5)}.${a}.${b}.0/24`, `${90 + (n % 5)}.${a}.${b}.9`);
    if (n % 20 === 0) lines.push(`2001:db8:${n.toString(16)}::/48 # nested`, `2001:DB8:${n.toString(16)}:0::7`);
  }
  lines.push('127.8.0.0/16', '127.8.1.0/24', '127.8.1.1\r');
  const entries = new Set<string>();
  for (const line of lines) {
    const parsed = parseIp(line.replace(/[#;].*/, '').trim());
    if (parsed.ok) entries.add(parsed.entry.text);
  }
  return { text: [...lines, 'not an address', '10.0.0.1/8', '0.0.0.0/0'].join('\n'), entries: [...entries] };
}

describeOnNewestProxy('a list', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service?.stop());

  const { text, entries } = list();
  const put = (raw: string, query = '') =>
    service.call('PUT', `/api/blocked-ips${query}`, { raw, contentType: 'text/plain' });
  const running = async (): Promise<string[]> => {
    const found: string[] = [];
    const map = new RuntimeMap({ socket: service.socket, path: service.paths.blockedMap });
    await map.runtimeMapKeys(within(patienceMs), (batch) => {
      for (const { key, value } of batch) found.push(`${key} ${value}`);
    });
    return found.sort();
  };
  const everywhere = async (wanted: readonly string[]): Promise<void> => {
    const lines = wanted.map((entry) => `${entry} 1`).sort();
    expect(await running()).toEqual(lines);
    expect((await service.fileEntries()).sort()).toEqual(lines);
    expect((await service.listed()).map((entry) => `${entry} 1`).sort()).toEqual(lines);
  };

  it('as text replaces all entries, with its good lines applied and its bad ones named', async () => {
    const worker = await service.workerPid();
    const answer = await put(text);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      added: entries.length,
      removed: 0,
      rejected_total: 3,
      runtime_map_updated: true,
    });
    const lines = text.split('\n');
    for (const { line, value } of answer.body['rejected']) expect(lines[line - 1]).toBe(value);
    await everywhere(entries);
    expect(await service.workerPid()).toBe(worker);
    for (const ip of ['127.8.1.1', '127.8.1.2', '127.8.9.9']) expect(await service.visit(ip)).toBe(403);
    expect(await service.visit('127.9.0.1')).toBe(200);
  });

  it('is found entry by entry in the running map, inside its networks too', async () => {
    for (let n = 0; n < 100; n += 1) {
      const entry = entries[(n * 37) % entries.length]!;
      expect(await service.check(entry.split('/', 1)[0]!)).toMatchObject({ verdict: 'blocked', enforced: true });
    }
  });

  it('sent again changes nothing, also no field of an entry', async () => {
    await service.block('127.8.1.1', { reason: 'by hand', duration_seconds: 6_000 });
    const before = (await service.call('GET', '/api/blocked-ips/127.8.1.1')).body;
    const answer = await put(text);
    expect(answer.body).toMatchObject({ added: 0, removed: 0, unchanged: entries.length });
    expect((await service.call('GET', '/api/blocked-ips/127.8.1.1')).body).toEqual(before);
  });

  it('that would drop more than half, or breaks off, is refused and changes nothing', async () => {
    const refused = await put(entries.slice(0, 100).join('\n'));
    expect(refused.status).toBe(409);
    await new Promise<void>((resolve) => {
      const headers = {
        authorization: `Bearer ${service.key}`,
        'content-type': 'text/plain',
        'content-length': 1_000_000,
      };
      const sent = request({
        host: '127.0.0.1',
        port: service.apiPort,
        method: 'PUT',
        path: '/api/blocked-ips?allow_shrink=true',
        headers,
      });
      sent.once('error', () => resolve());
      sent.write('198.51.100.1\n'.repeat(5_000), () => sent.destroy(new Error('gone')));
    });
    expect((await service.block('127.7.0.1')).status).toBe(201);
    await everywhere([...entries, '127.7.0.1']);
    await service.unblock('127.7.0.1');
  });

  it('of thousands of additions and removals is applied as a batch', async () => {
    const add = Array.from({ length: 3_000 }, (_, n) => `172.16.${n >> 8}.${n & 255}`);
    const remove = entries.slice(0, 1_500);
    const answer = await service.call('POST', '/api/blocked-ips/batch', {
      body: { add: [...add, ...entries.slice(-10)], remove },
    });
    // A failure gives its reason.
    expect(answer.body).toMatchObject({ added: 3_000, removed: 1_500, unchanged: 10, runtime_map_failures: [] });
    expect(answer.body).toMatchObject({ runtime_map_updated: true });
    await everywhere([...add, ...entries.slice(1_500)]);
  });

  it('does not delay blocks while it is applied, and does not undo them', async () => {
    let going = true;
    const replacing = put(text, '?allow_shrink=true').finally(() => {
      going = false;
    });
    const blocked: string[] = [];
    for (let n = 0; going && n < 250; n += 1) {
      const ip = `127.6.0.${n}`;
      const answer = await service.block(ip);
      expect(answer.status).toBe(201);
      // On a busy machine a block may be verified later; the answer says so.
      if (answer.body['runtime_map_updated'] === true) expect(await service.visit(ip)).toBe(403);
      else await untilPasses(async () => expect(await service.visit(ip)).toBe(403));
      expect(await service.visit('127.8.9.9')).toBe(403);
      blocked.push(ip);
    }
    expect((await replacing).status).toBe(200);
    const listed = new Set(await service.listed());
    for (const entry of entries) expect(listed.has(entry)).toBe(true);
    // Blocks before the list was complete are replaced with it; later ones stay.
    const kept = blocked.filter((ip) => listed.has(ip));
    expect(kept).toEqual(blocked.slice(blocked.length - kept.length));
    await everywhere([...entries, ...kept]);
  });

  // crash-points.test.ts interrupts one too.
  itInLongTests('interrupted by a kill of the service is completed or discarded at the next start', async () => {
    const next = Array.from({ length: 20_000 }, (_, n) => `172.${20 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`);
    const replacing = put([...next, '127.8.0.0/16'].join('\n'), '?allow_shrink=true').catch(() => null);
    await eventually('it is being applied', async () => (await running()).some((line) => line.startsWith('172.20.')));
    service.kill('SIGKILL');
    await replacing;
    await service.ended();
    expect(await service.visit('127.8.9.9')).toBe(403);
    await service.launch();
    await service.healthy();
    await everywhere([...next, '127.8.0.0/16']);
    expect(await service.visit('127.8.9.9')).toBe(403);
  });
});
