// The real program against a real service and a real proxy.
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandLineUser, type Ran } from '../testkit/command-line-user.ts';
import { eventually } from '../testkit/conditions.ts';
import { sampled, testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { suspend } from '../testkit/suspend.ts';
import { withoutHits } from '../testkit/without-hits.ts';

// Blocking is tested on each version elsewhere.
const [proxy] = testProxies().found;
const hasTerminal = isInstalled('script');

describe.skipIf(proxy === undefined)('the command line', () => {
  let service: RealService;
  let user: CommandLineUser;
  /** Of a verb that ran while the service was starting. */
  let statusMeanwhile: Ran;
  beforeAll(async () => {
    const withoutKey = { PROXY_MANAGER_API_KEY: '' };
    service = await RealService.start({ bin: proxy!.bin, waitUntilReady: false, environment: withoutKey });
    const environment = { ...withoutKey, PROXY_MANAGER_PREFIX: service.paths.prefix };
    statusMeanwhile = await new CommandLineUser(service).process(['status'], { environment });
    const isReady = async () => (await service.call('GET', '/readyz', { key: null })).status === 200;
    await eventually('the service is ready', isReady);
    service.key = (await readFile(join(service.paths.stateDir, 'api-key'), 'utf8')).trim();
    user = new CommandLineUser(service);
  });
  afterAll(() => service?.stop());

  const file = async (name: string, text: string): Promise<string> => {
    const path = join(service.paths.prefix, name);
    await writeFile(path, text);
    return path;
  };

  it('blocks, explains and unblocks as the client then sees it', async () => {
    expect(await user.process(['check', '127.0.0.9'])).toEqual({
      code: 0,
      out: '127.0.0.9 is allowed: no entry covers it; verified in every worker\n',
      err: '',
    });
    const blocked = await user.run(['block', '127.0.0.9', '--for', '4h', '--reason', 'tried \u001b[31mssh']);
    expect(blocked).toMatchObject({ code: 2, out: '', err: expect.stringContaining('control characters') });
    expect(await service.visit('127.0.0.9')).toBe(200);

    // Several addresses become permanent together, even if one had an expiry.
    await user.run(['block', '127.0.0.9', '--for', '4h', '--reason', 'tried ssh']);
    const permanent = await user.run(['block', '127.0.0.9', '127.0.0.10']);
    expect(permanent.out).toContain('1 added, 1 updated');
    const { body } = await service.call('GET', '/api/blocked-ips/127.0.0.9');
    expect(body).toMatchObject({ expires_at: null, reason: expect.stringContaining('ssh') });
    expect(await user.run(['unblock', '127.0.0.9', '127.0.0.10'])).toMatchObject({ code: 0 });

    const again = await user.run(['block', '127.0.0.9', '--for', '4h', '--reason', 'tried ssh']);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('127.0.0.9 is in a special range: loopback') });
    expect(again.out).toMatch(
      /^127\.0\.0\.9 is blocked until \d{4}-\d\d-\d\d \d\d:\d\d UTC \(in 4 h\); verified in every worker\n$/,
    );
    expect(await service.visit('127.0.0.9')).toBe(403);
    const { out } = await user.run(['check', '127.0.0.9', '127.0.0.8']);
    expect(out).toMatch(
      /^127\.0\.0\.9 is blocked by its own entry \(tried ssh\), until .* \(in 4 h\); verified in every worker\n127\.0\.0\.8 is allowed/,
    );

    expect(await user.run(['unblock', '127.0.0.9'])).toMatchObject({
      code: 0,
      out: '127.0.0.9 is unblocked; verified in every worker\n',
    });
    expect(await service.visit('127.0.0.9')).toBe(200);
    expect(await user.process(['unblock', '127.0.0.9'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/has no entry of its own, so nothing was unblocked\n\(code 1100, request .+\)\n$/),
    });
  });

  it('unblocks what a source claims, if there are as many as expected', async () => {
    for (const last of [31, 32, 33]) await user.run(['block', `127.0.0.${last}`, '--source', 'fail2ban:sshd']);
    await user.run(['block', '127.0.0.33']);
    const source = ['--source', 'fail2ban:sshd'];
    expect(await user.run(['unblock', ...source])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /2 entries would be unblocked, and 1 stay blocked by other sources; nothing was changed\. To do it anyway, add --expect 3\n$/,
      ),
    });
    expect(await user.run(['unblock', ...source, '--expect', '2'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('3 entries have such a claim, not the 2 that were expected; nothing was changed'),
    });
    expect(await service.visit('127.0.0.31')).toBe(403);
    expect(await user.run(['unblock', ...source, '--expect', '3'])).toEqual({
      code: 0,
      out: '0 added, 0 updated, 2 removed, 0 unchanged, 0 rejected\nstill blocked, because other sources claim them: 1\n',
      err: '',
    });
    expect(await service.visit('127.0.0.31')).toBe(200);
    expect(await service.visit('127.0.0.33')).toBe(403);
    await user.run(['unblock', '127.0.0.33']);
    expect(await user.run(['unblock'])).toMatchObject({ code: 2, err: expect.stringContaining('--source, --reason') });
    expect(await user.run(['unblock', '127.0.0.1', '--expect', '1'])).toMatchObject({ code: 2 });
  });

  it('exports and imports claims with their sources, exactly', async () => {
    const reason = "=HYPERLINK(1), 'x'";
    await service.block('127.0.0.41', { reason, duration_seconds: 86_400 });
    await user.run(['block', '127.0.0.41', '127.0.0.42', '--source', 'fail2ban:sshd', '--reason', "'+1"]);
    const claims = async () => JSON.parse((await user.run(['export', '-o', 'json'])).out).items;
    const before = await claims();
    const all = await user.run(['export', '--csv']);
    expect(all.out).toContain("127.0.0.42,'+1,never,admin,");
    expect(all.out.split('\n').filter((line) => line.startsWith('127.0.0.41,'))).toHaveLength(2);
    const jail = await user.run(['export', '--csv', '--source', 'fail2ban:sshd', '--reason', "'+1"]);
    expect(jail.out).toMatch(
      /^ip_address,.*,source,kind\n127\.0\.0\.41,.*,fail2ban:sshd,agent\n127\.0\.0\.42,.*,fail2ban:sshd,agent\n$/,
    );
    expect((await user.run(['export', '--source', 'fail2ban:sshd'])).out).toBe('127.0.0.41\n127.0.0.42\n');
    const safe = await user.run(['export', '--csv-safe']);
    expect(safe.out).toContain(`127.0.0.41,"'=HYPERLINK(1), 'x'",`);
    expect(safe.out).toContain("127.0.0.42,''+1,");

    for (const { out } of [all, safe]) {
      const path = await file('claims.csv', out);
      const refused = await user.run(['import', path]);
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('fail2ban:sshd (2 lines)') });
      expect(refused.err).toContain('nothing was changed');
      const noTime = (items: { claims?: { claimed_at: string }[] }[]) =>
        JSON.parse(JSON.stringify(items, (name, value) => (/^(blocked|claimed)_at$/.test(name) ? '' : value)));
      expect(await user.run(['import', path, '--keep-sources', '--dry-run'])).toMatchObject({
        code: 0,
        out: expect.stringContaining('0 added, 0 updated, 0 removed, 3 unchanged, 0 rejected'),
      });
      await user.run(['unblock', '127.0.0.41', '127.0.0.42']);
      const counts = '2 added, 1 updated, 0 removed, 0 unchanged, 0 rejected';
      expect(await user.run(['import', path, '--keep-sources'])).toMatchObject({ code: 0, out: `${counts}\n` });
      expect(noTime(await claims())).toEqual(noTime(before));
      const piped = await user.run(['import', '-', '--keep-sources', '--replace'], { input: out });
      expect(piped).toMatchObject({ code: 0, out: '0 added, 0 updated, 0 removed, 3 unchanged, 0 rejected\n' });
    }

    // Without the sources an address keeps the claim that ends last.
    await user.run(['unblock', '127.0.0.41', '127.0.0.42']);
    const path = await file('claims.csv', all.out);
    const dry = await user.run(['import', path, '--as-manual', '--dry-run']);
    expect(dry.out).toBe('nothing was changed; would be: 2 added, 0 updated, 0 removed, 0 unchanged, 0 rejected\n');
    expect(await user.run(['import', path, '--as-manual'])).toMatchObject({
      code: 0,
      out: dry.out.replace(/.*: /, ''),
    });
    const { body } = await service.call('GET', '/api/blocked-ips/127.0.0.41');
    expect(body).toMatchObject({ expires_at: null, reason: "'+1" });
    await user.run(['unblock', '127.0.0.41', '127.0.0.42']);
  });

  it('keeps a permanent block permanent when claims of several sources become those of one', async () => {
    await user.run(['block', '127.0.0.43', '--source', 'fail2ban:sshd', '--for', '1d']);
    await user.run(['block', '127.0.0.43']);
    await user.run(['block', '127.0.0.44', '--source', 'fail2ban:sshd', '--for', '2d']);
    await user.run(['block', '127.0.0.44', '--for', '1d']);
    const [header, ...lines] = (await user.run(['export', '--csv'])).out.trim().split('\n');
    const own = lines.filter((line) => /^127\.0\.0\.4[34],/.test(line));
    expect(own).toHaveLength(4);
    const latest = (await service.call('GET', '/api/blocked-ips/127.0.0.44')).body;
    for (const ordered of [own, own.toReversed()]) {
      await user.run(['unblock', '127.0.0.43', '127.0.0.44']);
      // As an earlier version wrote it, too: an empty field.
      for (const never of ['never', '']) {
        const text = [header, ...ordered.map((line) => line.replace(',never,', `,${never},`))].join('\n');
        const piped = await user.run(['import', '-', '--as-manual'], { input: `${text}\n` });
        expect(piped.out).toMatch(/^(2 added|0 added, 0 updated, 0 removed, 2 unchanged)/);
        expect((await service.call('GET', '/api/blocked-ips/127.0.0.43')).body).toMatchObject({ expires_at: null });
        const { body } = await service.call('GET', '/api/blocked-ips/127.0.0.44');
        expect(body).toMatchObject({ expires_at: latest['expires_at'] });
      }
    }
    await user.run(['unblock', '127.0.0.43', '127.0.0.44']);
  });

  it('creates missing sources of an export with their kinds, which can be set', async () => {
    const kinds = async () => {
      const { body } = await service.call('GET', '/api/sources');
      const items = body['items'] as { name: string; kind: string; note: string | null }[];
      return Object.fromEntries(items.map(({ name, kind, note }) => [name, note === null ? kind : `${kind}: ${note}`]));
    };
    expect(await user.run(['source', 'set', 'feed', '--kind', 'list', '--note', 'a feed'])).toMatchObject({
      code: 0,
      out: 'feed is of kind list, with the note "a feed"\n',
    });
    await user.run(['block', '127.0.0.46', '--source', 'feed']);
    await user.run(['block', '127.0.0.47', '--source', 'jail']);
    expect(await kinds()).toMatchObject({ feed: 'list: a feed', jail: 'agent' });
    const path = await file('kinds.csv', (await user.run(['export', '--csv'])).out);
    for (const how of [[], ['--replace', '--allow-shrink']]) {
      for (const name of ['feed', 'jail']) await user.run(['source', 'rm', name]);
      await user.run(['import', path, '--keep-sources', '--dry-run', ...how]);
      expect(await kinds()).not.toHaveProperty('feed');
      expect(await user.run(['import', path, '--keep-sources', ...how])).toMatchObject({ code: 0 });
      expect(await kinds()).toMatchObject({ feed: 'list', jail: 'agent' });
      expect((await service.call('DELETE', '/api/blocked-ips/127.0.0.46')).body).toMatchObject({ code: 6035 });
      expect(await user.run(['unblock', '127.0.0.47'])).toMatchObject({ code: 0 });
    }
    expect((await user.run(['source', 'set', 'feed', '--kind', 'agent'])).out).toBe('feed is of kind agent\n');
    // One that exists keeps its kind.
    await user.run(['import', path, '--keep-sources']);
    expect(await kinds()).toMatchObject({ feed: 'agent' });
    expect(await user.run(['source', 'set', 'feed'])).toMatchObject({ code: 2 });
    expect(await user.run(['source', 'set', 'manual', '--kind', 'list'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('its kind cannot change'),
    });
    for (const name of ['feed', 'jail']) await user.run(['source', 'rm', name]);
  });

  it('undoes an import, after it says what it would do', async () => {
    await user.run(['block', '127.0.0.51', '--reason', 'scan', '--for', '5h']);
    const path = await file('wrong.csv', 'ip_address,reason\n127.0.0.51,wrong\n127.0.0.52,wrong\n');
    await user.run(['import', path]);
    const listed = await user.run(['audit', '--operation', 'batch', '-n', '1']);
    const id = listed.out.trim().split('\t').at(-1)!;
    expect(await user.run(['undo', id, '--dry-run'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^undoes the batch \d+ of admin, .*\n127\.0\.0\.51: the claim of manual is as before, until .* \(in [45].*\n127\.0\.0\.52: the claim of manual is dropped\nwould be: 0 blocked, 1 changed, 1 unblocked, 0 unchanged\n$/,
      ),
    });
    expect(await user.run(['undo', id])).toMatchObject({ code: 1, err: expect.stringContaining('add --yes') });
    expect(await service.visit('127.0.0.52')).toBe(403);
    expect(await user.run(['undo', id, '--yes'])).toMatchObject({
      code: 0,
      out: '0 added, 1 updated, 1 removed, 0 unchanged, 0 rejected\n',
    });
    expect(await service.visit('127.0.0.52')).toBe(200);
    const { body } = await service.call('GET', '/api/blocked-ips/127.0.0.51');
    expect(body).toMatchObject({ reason: 'scan', expires_at: expect.any(String) });
    await user.run(['unblock', '127.0.0.51']);
    const unblocked = await user.run(['audit', '--operation', 'unblock', '-n', '1', '-o', 'json']);
    const [entry] = JSON.parse(unblocked.out).items;
    expect(entry.details).toMatchObject({ dropped: [{ source: 'manual', reason: 'scan' }] });
    await user.run(['block', '127.0.0.51', '--reason', 'another']);
    expect(await user.run(['undo', String(entry.id), '--yes'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('1 was changed since: 127.0.0.51; nothing was changed'),
    });
    await user.run(['unblock', '127.0.0.51']);
  });

  it('waits for a service that is starting, and for the key of its first start', () => {
    expect(statusMeanwhile).toMatchObject({
      code: 0,
      out: expect.stringContaining('ok: every worker enforces the blocked set'),
    });
  });

  it('releases, keeps and removes the claims of a source', async () => {
    const last = async (...words: string[]) => (await user.run(words)).out.trimEnd();
    await user.run(['block', '127.0.0.9', '--source', 'fail2ban:sshd']);
    await user.run(['block', '127.0.0.9']);
    await user.run(['block', '127.0.0.10', '--source', 'fail2ban:sshd']);
    expect(await last('source', 'release', 'fail2ban:sshd', '--after', '10m')).toMatch(
      /^2 claims of fail2ban:sshd will be dropped at .+ UTC \(in 10 min\)$/,
    );
    expect(await last('source', 'ls')).toMatch(/^fail2ban:sshd\tagent\t2\t1\t\d{4}-.+Z\t-$/m);
    expect(await last('source', 'keep', 'fail2ban:sshd')).toBe('fail2ban:sshd keeps 2 claims');
    expect(await last('source', 'rm', 'fail2ban:sshd')).toBe(
      'fail2ban:sshd is removed: 2 claims dropped, 1 address unblocked; verified in every worker',
    );
    expect([await service.visit('127.0.0.9'), await service.visit('127.0.0.10')]).toEqual([403, 200]);
    expect(await last('source', 'keep', 'fail2ban:sshd')).toBe(
      'nothing to keep: the claims of fail2ban:sshd were dropped, or it had none',
    );
    expect((await user.run(['source', 'release', 'fail2ban:sshd'])).code).toBe(2);
    expect((await user.run(['source', 'rm', 'manual'])).err).toContain('(code 6036, ');
    await user.run(['unblock', '127.0.0.9']);
  });

  it('prints the API’s answers and problems unchanged with -o json', async () => {
    const { code, out } = await user.run(['-o', 'json', 'block', '192.0.2.1']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ip_address: '192.0.2.1',
      runtime_map_updated: true,
      runtime_map_failures_total: 0,
    });
    const refused = await user.run(['unblock', '192.0.2.2', '-o', 'json']);
    expect([refused.code, refused.err]).toEqual([1, '']);
    expect(JSON.parse(refused.out)).toMatchObject({ code: 1100, covered_by: [] });
    await user.run(['unblock', '192.0.2.1']);
  });

  it('applies the good lines of a list and names the bad ones by number', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `10.${n >> 8}.${n & 255}.0/24 # list`);
    lines.splice(7, 0, 'not-an-address', '', '; a comment');
    lines.push('10.1.2.3/8', '127.0.0.10');
    const path = await file('list.txt', `${lines.join('\r\n')}\r\n`);
    const { code, out, err } = await user.process(['import', path, '--reason', 'test list']);
    expect({ code, out }).toEqual({ code: 3, out: '3,001 added, 0 updated, 0 removed, 0 unchanged, 2 rejected\n' });
    expect(err.split('\n')).toEqual([
      expect.stringContaining(`${path}:8: not-an-address looks like a host name`),
      expect.stringContaining(`${path}:3004: 10.1.2.3/8 has host bits set; did you mean 10.0.0.0/8?`),
      expect.stringMatching(/^in special ranges: 10\.0\.0\.0\/24 \(private\), .* and 2,991 more$/),
      '',
    ]);
    expect(await service.visit('127.0.0.10')).toBe(403);

    const input = await readFile(service.paths.blockedMap);
    const map = await user.run(['import', '-', '-o', 'json'], { input });
    expect(JSON.parse(map.out)).toMatchObject({ added: 0, unchanged: 3001, rejected_total: 0 });
    expect(map.code).toBe(0);
    const netset = 'create b hash:net\nadd b 203.0.113.0/24 timeout 3600 comment "ipset"\n';
    expect(await user.run(['block', '-'], { input: netset })).toMatchObject({ code: 0 });
    const { body } = await service.call('GET', '/api/blocked-ips?q=203.0.113.0/24');
    expect(body['items']).toMatchObject([{ reason: 'ipset', expires_at: expect.any(String) }]);
    expect(await user.run(['unblock', '-'], { input: '203.0.113.0/24\n' })).toMatchObject({
      out: '0 added, 0 updated, 1 removed, 0 unchanged, 0 rejected\n',
    });
  });

  it('asks before it blocks a wide network, and shows what a list would change', async () => {
    expect(await user.run(['block', '192.0.0.0/8'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /192\.0\.0\.0\/8 contains 192\.168\.0\.0\/16; to block it anyway, add --allow-wide\n\(code 6030/,
      ),
    });
    const path = await file('wide.txt', '10.0.0.0/24\n8.0.0.0/7\n198.51.100.1\n');
    const dry = await user.run(['import', path, '--reason', 'other', '--dry-run']);
    expect(dry).toMatchObject({
      code: 3,
      out: 'nothing was changed; would be: 1 added, 1 updated, 0 removed, 0 unchanged, 1 rejected\n',
      err: expect.stringContaining(`${path}:2: 8.0.0.0/7 is wider than /8; to block it anyway, add --allow-wide\n`),
    });
    expect(await user.run(['import', path, '--allow-wide', '--dry-run', '-o', 'json'])).toMatchObject({ code: 0 });
    expect(await user.run(['check', '198.51.100.0/24', '10.0.0.0/23'])).toMatchObject({
      code: 3,
      out: expect.stringContaining(
        '10.0.0.0/23: no entry covers all of it; 2 blocked entries inside: 10.0.0.0/24, 10.0.1.0/24\n',
      ),
    });
    await user.run(['block', '10.0.1.7', '10.0.1.8']);
    expect(await user.run(['unblock', '10.0.1.7', '10.0.1.8'])).toMatchObject({
      out: '0 added, 0 updated, 2 removed, 0 unchanged, 0 rejected\nstill blocked by a network: 10.0.1.7 (by 10.0.1.0/24), 10.0.1.8 (by 10.0.1.0/24)\n',
    });
    const covered = await user.run(['unblock', '10.0.1.7']);
    expect(covered.err.match(/covered by/g)).toHaveLength(1);
    expect(await user.run(['import', '/bin/sh'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('/bin/sh is a program, not a list'),
    });
  });

  it('prints tab-separated lines in a pipe, and ends without an error when the reader closes it', async () => {
    const { out } = await user.run(['list', '10.0.1.0/24']);
    expect(out).toMatch(/^10\.0\.1\.0\/24\t-\ttest list\t\S+\t\d{4}-\d\d-\d\dT\S+Z\n$/);
    const verbs = ['list -o json', 'export --csv', 'list', 'export', 'block --help'];
    for (const verb of sampled(verbs, (_, at) => at < 2)) {
      const head = await user.shell(`pm ${verb} | head -n 1; echo "\${PIPESTATUS[0]}"`);
      expect([verb, head.err]).toEqual([verb, '']);
      expect(head.out).toMatch(/\n0\n$/);
    }
    const json = await user.run(['list', '-o', 'json']);
    expect(JSON.parse(json.out)).toMatchObject({ total: 3001, next_cursor: null, items: { length: 3001 } });
  });

  it('prints control characters of a reason without sending them to the terminal', async () => {
    // The API rejects control characters, but these are format characters.
    await service.block('192.0.2.66', { reason: 'safe\u202egnp.exe\u2066' });
    expect((await user.run(['list', '192.0.2.66'])).out).toContain('\tsafe\\u{202e}gnp.exe\\u{2066}\t');
    const json = await user.run(['list', '192.0.2.66', '-o', 'json']);
    expect(json.out).not.toContain('\u202e');
    expect(JSON.parse(json.out).items[0].reason).toBe('safe\u202egnp.exe\u2066');
    expect((await user.run(['list', '--text', 'GNP.EXE'])).out).toMatch(/^192\.0\.2\.66\t.*\n$/);
    await service.unblock('192.0.2.66');
  });

  it('exports what it imported, and replaces the list only with --replace', async () => {
    await service.block('192.0.2.7', { reason: 'a, "b"', duration_seconds: 86_400 });
    const before = await user.run(['list', '-o', 'json']);
    const csv = await user.run(['export', '--csv']);
    const path = await file('all.csv', csv.out);
    expect(await user.run(['import', '--replace', path])).toMatchObject({
      code: 0,
      out: '0 added, 0 updated, 0 removed, 3,002 unchanged, 0 rejected\n',
    });
    expect(withoutHits((await user.run(['list', '-o', 'json'])).out)).toEqual(withoutHits(before.out));

    const small = await file('small.txt', '127.0.0.10\nrubbish\n');
    const refused = await user.run(['import', '--replace', small]);
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(
        '3,001 of 3,002 entries would be removed, more than half of the set; nothing was changed. To do it anyway, add --allow-shrink',
      ),
    });
    const html = await file('page.html', '<!DOCTYPE html>\n<p>not found</p>\n');
    expect(await user.run(['import', '--replace', html])).toMatchObject({
      code: 1,
      err: expect.stringContaining('contains no address; nothing was changed'),
    });
    expect((await service.listed()).length).toBe(3002);

    const replaced = await user.run(['import', '--replace', '--allow-shrink', small]);
    expect(replaced).toMatchObject({
      code: 3,
      out: '0 added, 0 updated, 3,001 removed, 1 unchanged, 1 rejected\n',
      err: expect.stringContaining(`${small}:2: rubbish`),
    });
    expect((await user.run(['export'])).out).toBe('127.0.0.10\n');
    expect(await service.visit('127.0.0.10')).toBe(403);
  });

  it('uses a Unix socket, and a key file that only its owner may read', async () => {
    const path = join(service.paths.prefix, 'api.sock');
    const relay = await relayTo(service.apiPort, path);
    const home = join(service.paths.prefix, 'home');
    const keyFile = join(home, '.config/proxy-manager/api-key');
    await mkdir(join(home, '.config/proxy-manager'), { recursive: true });
    await writeFile(keyFile, `${service.key}\n`, { mode: 0o644 });
    const environment = { HOME: home, PROXY_MANAGER_API_KEY: '' };
    try {
      const wide = await user.run(['check', '127.0.0.10', '--url', `unix:${path}`], { environment });
      expect(wide).toMatchObject({ code: 1, err: expect.stringContaining(`chmod 600 ${keyFile}`) });
      await chmod(keyFile, 0o600);
      const found = await user.run(['check', '127.0.0.10'], {
        environment: { ...environment, PROXY_MANAGER_URL: `unix:${path}` },
      });
      expect(found).toMatchObject({
        code: 0,
        out: expect.stringContaining('127.0.0.10 is blocked by its own entry'),
      });
    } finally {
      relay.close();
    }
  });

  it('reports a missing key, a wrong key and a missing service', async () => {
    const none = await user.run(['status'], {
      environment: { PROXY_MANAGER_API_KEY: '', PROXY_MANAGER_PREFIX: '/nowhere' },
    });
    expect(none).toMatchObject({ code: 1, out: '', err: expect.stringContaining('no API key was found') });
    const wrong = await user.run(['status'], { environment: { PROXY_MANAGER_API_KEY: 'wrong-0123456789abcdef' } });
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining('rejected the API key from the variable PROXY_MANAGER_API_KEY'),
    });
    expect(wrong.err).not.toContain('wrong-0123');
    const gone = await user.run(['status', '--url', 'unix:/nowhere/api']);
    expect(gone).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no such socket; is the service running\?/),
    });
    const block = await user.run(['import', '/nowhere/list', '--url', 'unix:/nowhere/api']);
    expect(block).toMatchObject({ code: 1, err: expect.stringContaining('no such file') });
  });

  it('adds and removes a trusted address at once', async () => {
    expect((await user.run(['trust', 'add', '127.0.0.10', '127.0.0.11', '--note', 'office'])).out).toBe(
      '127.0.0.10 is trusted; verified in every worker\n127.0.0.11 is trusted; verified in every worker\n',
    );
    expect(await service.visit('127.0.0.10')).toBe(200);
    expect(await user.run(['block', '127.0.0.11'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('to store it anyway, add --even-trusted'),
    });
    expect((await user.run(['block', '127.0.0.11', '--even-trusted'])).out).toContain(
      'no effect while trusted by 127.0.0.11',
    );
    expect((await user.run(['trust', 'add', '127.0.0.12', '--for', '8h'])).out).toMatch(
      /^127\.0\.0\.12 is trusted until \S+ \S+ UTC \(in 8 h\); verified in every worker\n$/,
    );
    expect((await user.run(['trust', 'add', '127.0.0.12', '--for', '8h', '--permanent'])).code).toBe(2);
    expect((await user.run(['trust', 'ls'])).out).toMatch(/127\.0\.0\.11\t.*\t-\n127\.0\.0\.12\t.*\t\d{4}-\S+Z\n/);
    expect((await user.run(['trust', 'add', '127.0.0.12', '--permanent'])).out).toContain('127.0.0.12 is trusted;');
    const trusted = (await user.run(['trust', 'ls'])).out.replaceAll(/\t.*/g, '');
    expect((await user.run(['trust', 'rm', '-'], { input: trusted })).code).toBe(0);
    expect(await service.visit('127.0.0.10')).toBe(403);
  });

  it('sets sites and restores a configuration by safe reloads', async () => {
    const set = await user.run(['site', 'set', 'cli.example', '127.0.0.1:9,weight=3,check=false']);
    expect(set).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^cli\.example is live: 127\.0\.0\.1:9,weight=3,check=false\nreloaded with a changed/),
    });
    expect((await user.run(['site', 'ls'])).out).toMatch(/^cli\.example\t127\.0\.0\.1:9,weight=3,check=false\t/);
    expect((await user.run(['site', 'ls', 'cli.example'])).out).toMatch(/^127\.0\.0\.1:9\t/);
    expect((await user.run(['config', 'diff'])).out).toBe('');
    expect((await user.run(['reload', '--dry-run'])).out).toMatch(/^valid: /);
    const [id = ''] = (await user.run(['config', 'backups'])).out.split('\t');
    expect((await user.run(['config', 'diff', id])).out).toMatch(/^--- .*\(live\)\n\+\+\+ .*\(backup\)\n/);
    const restored = await user.run(['config', 'restore', id]);
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(`backup ${id} was restored`) });
    expect((await user.run(['config', 'reloads', '-n', '1'])).out).toContain('\tcompleted\t');
    expect((await user.run(['site', 'rm', 'cli.example'])).code).toBe(0);
  });

  it('creates a key with a scope, valid until it is revoked', async () => {
    const made = await user.run(['key', 'create', 'bot', '--scope', 'block', '--for', '1h']);
    expect(made.err).toMatch(/^created key bot with scope block; it expires /);
    const asBot = { environment: { PROXY_MANAGER_API_KEY: made.out.trim() } };
    expect((await user.run(['block', '192.0.2.9'], asBot)).code).toBe(0);
    expect(await user.run(['key', 'ls'], asBot)).toMatchObject({
      code: 1,
      err: expect.stringContaining('the scope admin'),
    });
    expect((await user.run(['key', 'ls'])).out).toMatch(/^bot\tblock\tvalid\t/m);
    expect((await user.run(['key', 'revoke', 'bot'])).out).toBe('bot is revoked\n');
    expect((await user.run(['block', '192.0.2.9'], asBot)).code).toBe(1);
  });

  it('creates a webhook and shows its secret once, tests it, and removes it', async () => {
    const url = 'http://127.0.0.1:9/in';
    const made = await user.run(['webhook', 'set', 'chat', url, '--events', 'site.set,site.removed']);
    expect(made).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=\n$/),
      err: `chat receives site.set, site.removed at ${url}. Its secret, shown only once:\n`,
    });
    expect((await user.run(['webhook', 'ls'])).out).toBe(`chat\tnew\t0\t-\t${url}\tsite.set,site.removed\t-\n`);
    const own = { input: made.out };
    expect(await user.run(['webhook', 'set', 'chat', url, '--disabled', '--secret-file', '-'], own)).toEqual({
      code: 0,
      out: '',
      err: `chat is disabled: nothing is sent to ${url}\n`,
    });
    const wrong = await user.run(['webhook', 'set', 'chat', url, '--secret-file', '-'], { input: 'hunter2\n' });
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining('the secret in standard input is invalid'),
    });
    expect(wrong.err).not.toContain('hunter2');
    const json = JSON.parse((await user.run(['webhook', 'ls', '-o', 'json'])).out);
    expect(json).toMatchObject({ items: [{ id: 'chat', events: null, enabled: false }] });
    expect((await user.run(['webhook', 'rm', 'chat'])).out).toBe('chat is removed\n');
    expect((await user.run(['webhook', 'rm', 'chat'])).code).toBe(1);
  });

  it('lists the audit log with outcomes', async () => {
    await user.run(['block', '192.0.2.77', '--reason', 'audited']);
    const { code, out } = await eventually('the outcome is listed', async () => {
      const listing = await user.run(['audit', '192.0.2.77', '--since', '1h']);
      return listing.out.includes('\tdone') ? listing : null;
    });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^\d{4}-\S+Z\t\S+\t127\.0\.0\.1\tblock\t192\.0\.2\.77\tdone\t/),
    ]);
    const json = await user.run(['audit', '192.0.2.77', '-n', '1', '-o', 'json']);
    expect(JSON.parse(json.out)).toMatchObject({ items: [{ operation: 'block', outcome: 'done' }] });
    await user.run(['unblock', '192.0.2.77']);
  });

  it('syncs and reports the result', async () => {
    expect(await user.run(['sync'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^in sync: the running HAProxy has 3 entries/),
    });
  });

  describe.skipIf(!hasTerminal)('on a terminal', () => {
    it('prints tables that fit the terminal, in colour unless NO_COLOR is set', async () => {
      await service.block('2001:db8:1111:2222:3333:4444:5555:6666', {
        reason: 'a reason that is much too long '.repeat(8),
      });
      const { out } = await user.onTerminal('pm list');
      const lines = out.replaceAll('\u001b[1m', '').replaceAll('\u001b[0m', '').split('\r\n');
      expect(lines[0]).toMatch(/^ADDRESS +EXPIRES +REASON +BY +SINCE$/);
      expect(lines.some((line) => line.startsWith('2001:db8:1111:2222:3333:4444:5555:6666  never    a '))).toBe(true);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
      expect(out).toContain('\u001b[1mADDRESS');
      expect((await user.onTerminal('NO_COLOR=1 pm list')).out).not.toContain('\u001b[');
      const status = await user.onTerminal('pm status');
      expect(status.code).toBe(0);
      expect(status.out).toContain('\u001b[32mok\u001b[0m: every worker enforces');
    });

    it('says when the audit log has more rows, and when none matches', async () => {
      expect((await user.onTerminal('NO_COLOR=1 pm audit -n 1')).out).toMatch(/\r\nthe last 1; show more with -n\r\n$/);
      expect((await user.onTerminal('pm audit --key other')).out).toBe('no matching entries\r\n');
    });

    it('asks before it blocks its own user’s address, and refuses without a terminal', async () => {
      const environment = { SSH_CONNECTION: '198.51.100.7 51022 192.0.2.1 22' };
      const answering = (answer: string) => {
        let asked = false;
        return {
          environment,
          meanwhile: ({ out, write }: { out: string; write: (text: string) => void }) => {
            if (asked || !out.includes('[y/N]')) return;
            asked = true;
            write(`${answer}\n`);
          },
        };
      };
      const no = await user.onTerminal('pm block 198.51.100.0/24', answering('n'));
      expect(no).toMatchObject({
        code: 1,
        out: expect.stringContaining(
          '198.51.100.0/24 covers 198.51.100.7, the address of your SSH session. Continue? [y/N]',
        ),
      });
      expect(no.out).toContain('nothing was changed');
      const yes = await user.onTerminal('pm block 198.51.100.0/24', answering('y'));
      expect(yes).toMatchObject({ code: 0, out: expect.stringContaining('198.51.100.0/24 is blocked permanently') });
      await user.run(['unblock', '198.51.100.0/24']);

      const piped = await user.run(['block', '198.51.100.7'], { environment });
      expect(piped).toMatchObject({ code: 1, out: '', err: expect.stringContaining('To do it anyway, add --force') });
      const list = await user.run(['import', '-'], { environment, input: '198.51.100.7\n198.51.100.8\n' });
      expect(list).toMatchObject({
        code: 3,
        out: expect.stringContaining('1 added'),
        err: expect.stringContaining('standard input:1: 198.51.100.7'),
      });
      expect((await user.run(['block', '198.51.100.7', '--force'], { environment })).code).toBe(0);
    });

    it('reports what was done and what was not when it is interrupted', async () => {
      const before = await service.listed();
      const endless = '(for n in {1..200}; do echo 198.51.100.$n; done; sleep 600) | pm import --replace -';
      let interrupted = false;
      const { code, out } = await user.onTerminal(endless, {
        meanwhile: ({ out, write }) => {
          if (interrupted || !out.includes('sending')) return;
          interrupted = true;
          write('\u0003');
        },
      });
      expect(code).toBe(130);
      expect(out).toContain('proxy-manager: stopped: only 200 lines of the list were sent, so nothing was changed');
      expect(await service.listed()).toEqual(before);
    });

    it('shows the progress of an import, and erases it at the end', async () => {
      const path = await file(
        'long.txt',
        Array.from({ length: 5_000 }, (_, n) => `11.${n >> 8}.${n & 255}.1\n`).join(''),
      );
      const { out } = await user.onTerminal(`pm import ${path}`);
      expect(out).toContain('sending [########################] 100 %  5,000 lines\r\u001b[K');
      // On a slow machine a line about workers that are not done may follow.
      expect(out).toContain('\r\u001b[K5,000 added, 0 updated, 0 removed, 0 unchanged, 0 rejected\r\n');
    });
  });

  it('reports a degraded service with its reason and a fix, and a block as partly done', async () => {
    const pids = await service.proxyPids();
    for (const pid of pids) await suspend(pid);
    try {
      const status = await user.run(['status']);
      expect(status).toMatchObject({ code: 3, err: '' });
      expect(status.out).toMatch(/\ndegraded: some blocked requests may get through\n/);
      expect(status.out).toMatch(/ {2}master socket {2}down: /);
      expect(status.out).toMatch(
        /Reasons, and what to do:\n {2}- master socket: .+\n {6}check that HAProxy is running/,
      );
      expect(status.out.split('\n').length).toBeLessThan(25);
      const block = await user.run(['block', '127.0.0.12']);
      expect(block).toMatchObject({
        code: 3,
        out: expect.stringContaining('not verified in the running HAProxy yet; a reload is scheduled'),
      });
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    await service.healthy();
    expect(await user.run(['status'])).toMatchObject({ code: 0, out: expect.stringMatching(/\nok: every worker/) });
    expect(await service.visit('127.0.0.12')).toBe(403);
  });

  it('runs from another folder and through a symbolic link', async () => {
    const link = join(service.paths.prefix, 'pm');
    execFileSync('ln', ['-s', join(import.meta.dirname, '../bin/proxy-manager'), link]);
    expect((await user.shell(`cd / && ${link} --version`)).out).toBe(
      `${JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8')).version}\n`,
    );
    await eventually('the service is still there', async () => (await service.health()).status === 200);
  });
});

function relayTo(port: number, path: string): Promise<Server> {
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
  });
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
