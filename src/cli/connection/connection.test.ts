import { describe, expect, it } from 'vitest';
import { ApiProblem, ApiUnreachable, type Problem } from '../../client/client.ts';
import { parseIp } from '../../domain/ip.ts';
import { exitCodes, type Failure, PartialFailure } from '../failure.ts';
import { findKey } from './api-key.ts';
import { describeFailure } from './failure-text.ts';
import { coveredOwnAddress, ownAddresses, sshClient } from './own-addresses.ts';
import { parseServiceUrl } from './service-url.ts';
import { listensAt, runsService } from './starting-service.ts';

const key = 'pm_0123456789abcdef';
const other = 'other-0123456789abcdef';

function filesOf(files: Readonly<Record<string, { text?: string; mode?: number; error?: string }>>) {
  return {
    read: async (path: string) => {
      const { text = '', mode = 0o100600, error } = files[path] ?? { error: 'ENOENT' };
      if (error !== undefined) throw Object.assign(new Error(error), { code: error });
      return { text, mode };
    },
  };
}

const own = '/home/op/.config/proxy-manager/api-key';
const first = '/var/lib/proxy-manager/api-key';

describe('the API key', () => {
  const find = (environment: Record<string, string>, files: Parameters<typeof filesOf>[0] = {}) =>
    findKey({ environment, homeFolder: '/home/op', files: filesOf(files) });

  it('is the first of: variable, named file, own file, file of the first start', async () => {
    const all = { '/k': { text: `${key}\n` }, [own]: { text: 'own-0123456789abcdef' }, [first]: { text: other } };
    expect(await find({ PROXY_MANAGER_API_KEY: other, PROXY_MANAGER_API_KEY_FILE: '/k' }, all)).toEqual({
      key: other,
      source: 'the variable PROXY_MANAGER_API_KEY',
    });
    expect(await find({ PROXY_MANAGER_API_KEY_FILE: '/k' }, all)).toMatchObject({
      key,
      source: expect.stringContaining('/k'),
    });
    expect(await find({}, all)).toMatchObject({ key: 'own-0123456789abcdef', source: `the file ${own}` });
    expect(await find({}, { [first]: { text: other } })).toMatchObject({ key: other, source: `the file ${first}` });
    expect(await find({ XDG_CONFIG_HOME: '/x' }, { '/x/proxy-manager/api-key': { text: key } })).toMatchObject({ key });
    expect(await find({ PROXY_MANAGER_PREFIX: '/p' }, { [`/p${first}`]: { text: key } })).toMatchObject({ key });
  });

  it('is refused in an own file that others can read, with the command to fix it', async () => {
    for (const mode of [0o100644, 0o100640, 0o100604]) {
      await expect(find({}, { [own]: { text: key, mode } })).rejects.toThrow(`chmod 600 ${own}`);
    }
  });

  it('is not read from an empty file, which the shell creates for `key create … > FILE`', async () => {
    const files = { [own]: { text: '' }, [first]: { text: other } };
    expect(await find({}, files)).toMatchObject({ key: other, source: `the file ${first}` });
    await expect(find({}, { [own]: { text: '\n' } })).rejects.toThrow(`${own} (empty)`);
  });

  it('lists every file searched if there is none', async () => {
    const failure = find({}, { [first]: { error: 'EACCES' } });
    await expect(failure).rejects.toThrow(/no API key was found/);
    await expect(failure).rejects.toThrow(`${own} (no such file), ${first} (permission denied)`);
    await expect(find({})).rejects.toThrow(`${first} (no such file; the service writes it at its first start)`);
    await expect(find({ PROXY_MANAGER_API_KEY_FILE: '/gone' })).rejects.toThrow(
      '/gone (PROXY_MANAGER_API_KEY_FILE): no such file',
    );
  });

  it.each(['short', 'with a blank in it 0123456789', `${key}\n${key}`, 'x'.repeat(513)])(
    'is rejected, and not shown, if it is %j',
    async (text) => {
      const failure = await find({ PROXY_MANAGER_API_KEY: text }).catch((error: Error) => error.message);
      expect(failure).toContain('the variable PROXY_MANAGER_API_KEY does not contain an API key');
      expect(failure).not.toContain(text);
    },
  );
});

describe('the address of the service', () => {
  it.each([
    ['http://127.0.0.1:7080', { kind: 'http', url: 'http://127.0.0.1:7080', host: '127.0.0.1', port: 7080 }],
    ['http://[2001:db8::1]:7080/', { kind: 'http', host: '2001:db8::1', port: 7080 }],
    ['https://pm.example', { kind: 'http', host: 'pm.example', port: 443 }],
    ['unix:/run/pm.sock', { kind: 'unix', path: '/run/pm.sock' }],
  ])('is accepted as %s', (text, address) => {
    expect(parseServiceUrl(text, '--url')).toMatchObject(address);
  });

  it.each(['', 'localhost:7080', 'ftp://a', 'http://a/path', 'http://a?q', 'unix:relative', 'http://'])(
    'is a usage error with the accepted forms if it is %j',
    (text) => {
      expect(() => parseServiceUrl(text, '--url')).toThrow('write http://HOST:PORT or unix:/path');
    },
  );

  it('must not contain a password, and errors never show one', () => {
    for (const text of ['http://u:secret@a:1', 'http://u:secret@a:1/path']) {
      try {
        parseServiceUrl(text, '--url');
        expect.unreachable();
      } catch (error) {
        expect((error as Failure).exitCode).toBe(exitCodes.usage);
        expect((error as Error).message).not.toContain('secret');
      }
    }
  });
});

describe('the own addresses', () => {
  const entry = (text: string) => {
    const ip = parseIp(text);
    if (!ip.ok) throw new Error(ip.why);
    return ip.entry;
  };

  it('include the client of the SSH session', () => {
    expect(sshClient({ SSH_CONNECTION: '198.51.100.7 51022 192.0.2.1 22' })?.text).toBe('198.51.100.7');
    expect(sshClient({ SSH_CLIENT: 'fe80::1%eth0 51022 22' })?.text).toBe('fe80::1');
    expect(sshClient({ SSH_CONNECTION: '::ffff:198.51.100.7 1 ::1 22' })?.text).toBe('198.51.100.7');
    expect(sshClient({ SSH_CONNECTION: 'rubbish', SSH_CLIENT: '' })).toBeNull();
  });

  it('include no address towards a service on this machine', async () => {
    const environment = { SSH_CONNECTION: '198.51.100.7 1 192.0.2.1 22' };
    const here = await ownAddresses(environment, { kind: 'unix', url: 'unix:/a', path: '/a' });
    expect(here.map(({ entry: { text } }) => text)).toEqual(['198.51.100.7']);
    const loopback = { kind: 'http', url: 'http://127.0.0.1:1', host: '127.0.0.1', port: 1 } as const;
    expect(await ownAddresses(environment, loopback)).toHaveLength(1);
  });

  it('are covered by themselves and by networks that contain them', () => {
    const mine = [{ entry: entry('198.51.100.7'), what: 'mine' }];
    expect(coveredOwnAddress(entry('198.51.100.7'), mine)).toBe(mine[0]);
    expect(coveredOwnAddress(entry('198.51.100.0/24'), mine)).toBe(mine[0]);
    expect(coveredOwnAddress(entry('198.51.100.8'), mine)).toBeNull();
    expect(coveredOwnAddress(entry('198.51.101.0/24'), mine)).toBeNull();
  });
});

describe('a failure', () => {
  const call = { url: 'http://a:1', keySource: 'the file /k' };
  const problem = (code: number, detail: string, more: object = {}, headers: object = {}): ApiProblem =>
    new ApiProblem(
      {
        code,
        detail,
        status: 400,
        title: '',
        type: '',
        kind: '',
        op: '',
        errors: [],
        request_id: 'r1',
        ...more,
      } as unknown as Problem,
      new Response(null, { status: 400, headers: { 'x-request-id': 'r1', ...headers } }),
    );

  it('reported by the service names code and request, and prints the problem document', () => {
    const error = problem(101, 'no address');
    expect(describeFailure(error, call)).toEqual({
      message: 'no address\n(code 101, request r1)',
      document: error.problem,
      exitCode: exitCodes.failed,
    });
  });

  it('of the key says where the key came from', () => {
    expect(describeFailure(problem(401, 'x'), call).message).toContain('rejected the API key from the file /k');
  });

  it('includes HAProxy’s own messages, and the networks that cover an address', () => {
    expect(describeFailure(problem(5002, 'refused', { output: '[ALERT] line 3\n' }), call).message).toContain(
      '\n[ALERT] line 3\n',
    );
    const nowInForce = (more: object) =>
      describeFailure(problem(5001, 'line 3: no', more), call)
        .message.split('\n')
        .slice(1, -1);
    expect(nowInForce({ restored: true })).toEqual(['The last good configuration is in force.']);
    expect(nowInForce({ restored: true, restore_failure: 'no worker' })).toEqual([
      'Restoring the previous configuration failed too: no worker',
    ]);
    expect(nowInForce({ restored: false })).toEqual([]);
    expect(describeFailure(problem(1100, 'not blocked', { covered_by: ['10.0.0.0/8'] }), call).message).toContain(
      'covered by 10.0.0.0/8',
    );
  });

  it('of an unknown endpoint says that the service may be older', () => {
    const detail = 'there is no endpoint GET "/api/x"; /docs lists all of them';
    expect(describeFailure(problem(404, detail), call).message).toContain(
      'there is no endpoint GET "/api/x"; the service may be older than this program\n',
    );
  });

  it('names the flag instead of the field of the API', () => {
    expect(
      describeFailure(problem(6007, 'x overrides blocks; to store it anyway, send force: true with an admin key'), call)
        .message,
    ).toContain('x overrides blocks; to store it anyway, add --even-trusted\n');
    const byList = 'x is blocked by y only; to allow it for a time, send trust_for, such as 7d, with an admin key';
    expect(describeFailure(problem(6035, byList), call).message).toContain(
      'x is blocked by y only; to allow it for a week, add --trust-for 7d (requires an admin key)\n',
    );
    const shrink = problem(6006, 'x', { would_remove: 900, current_total: 1000 });
    expect(describeFailure(shrink, call).message).toContain(
      '900 of 1,000 entries would be removed, more than half of the set; nothing was changed. To do it anyway, add --allow-shrink',
    );
  });

  it.each([
    ['all connections are in use', 'all connections are in use; retry in 2 s'],
    ['all connections are in use; retry shortly', 'all connections are in use; retry in 2 s'],
    ['the limit is 100000; retry shortly', 'the limit is 100000; retry in 2 s'],
    ['too many wrong keys; retry in 2 seconds, or now with a valid key', undefined],
    ['nothing was deployed; retry', undefined],
    ['could not be written; retrying', 'could not be written; retrying; retry in 2 s'],
  ])('has one hint when to retry: %s', (detail, printed = detail) => {
    const { message } = describeFailure(problem(6015, detail, {}, { 'retry-after': '2' }), call);
    expect(message.split('\n')[0]).toBe(printed);
  });

  it('asks whether the service runs only if nothing answered', () => {
    const words = (message: string) => describeFailure(new ApiUnreachable('refused', message), call).message;
    const advice = 'Set another address with --url or PROXY_MANAGER_URL';
    expect(words('nothing listens there')).toBe(`nothing listens there; is the service running? ${advice}`);
    expect(words('the server does not use TLS; did you mean http://?')).toBe(
      `the server does not use TLS; did you mean http://? ${advice}`,
    );
  });

  it.each([
    ['refused', 'refused'],
    ['timeout', 'timeout'],
    ['broken', 'broken'],
    ['foreign', 'stranger'],
    ['aborted', 'aborted'],
  ] as const)('without a response prints the frozen reason of a failure %s: %s', (reason, printed) => {
    expect(describeFailure(new ApiUnreachable(reason, 'gone'), call).document).toMatchObject({ reason: printed });
  });

  it('of a later batch reports what was applied before it, and exits 3', () => {
    const half = new PartialFailure('applied up to line 7', { done_to_line: 7 }, new ApiUnreachable('broken', 'gone'));
    const report = describeFailure(half, call);
    expect(report.message).toMatch(/^applied up to line 7\ngone; the change may or may not have been applied/);
    expect(report).toMatchObject({
      exitCode: exitCodes.partly,
      document: { done_to_line: 7, cause: { reason: 'broken' } },
    });
  });

  it('that is a defect of this program is thrown again', () => {
    expect(() => describeFailure(new TypeError('a fault'), call)).toThrow('a fault');
  });
});

describe('a service that is starting', () => {
  it.each([
    ['/bin/sh /opt/proxy-manager/bin/proxy-manager serve --supervise', true],
    ['node --max-semi-space-size=8 /opt/proxy-manager/src/main.ts serve', true],
    ['node /opt/proxy-manager/dist/main.js serve', true],
    ['node --max-semi-space-size=8 src/trial.ts', true],
    ['node /opt/proxy-manager/src/main.ts status', false],
    ['vi /etc/default/proxy-manager', false],
    ['serve proxy-manager', false],
    ['node /opt/proxy-manager/src/main.ts key create serve', false],
    ['', false],
  ])('is recognised by its command line: %s', (words, is) => {
    expect(runsService(words.split(' '))).toBe(is);
  });

  it.each([
    ['http://127.0.0.1:7080', 'serve', '', true],
    ['http://localhost:7081', 'serve', '', false],
    ['http://127.0.0.1:7081', 'serve', 'PROXY_MANAGER_LISTEN=127.0.0.1:7081', true],
    ['http://127.0.0.1:7080', 'serve', 'PROXY_MANAGER_LISTEN=127.0.0.1:7081', false],
    ['http://127.0.0.1:7081', 'serve --listen 0.0.0.0:7081', 'PROXY_MANAGER_LISTEN=127.0.0.1:7080', true],
    ['http://127.0.0.1:7081', 'serve --listen=[::1]:7081', '', true],
    ['unix:/run/x/api.sock', 'serve', 'PROXY_MANAGER_LISTEN=unix:/run/x/api.sock', true],
    ['unix:/run/x/api.sock', 'serve', '', false],
  ])('is waited for at %s if it listens there: %s %s', (url, words, environment, is) => {
    const given = ['PATH=/usr/bin', ...environment.split(' ')];
    expect(listensAt(parseServiceUrl(url, '--url'), ['proxy-manager', ...words.split(' ')], given)).toBe(is);
  });
});
