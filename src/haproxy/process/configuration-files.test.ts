import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeOnEachProxy } from '../../../testkit/proxies.ts';
import { configurationFilesOf, UnreadableConfiguration } from './configuration-files.ts';
import { parseProxyArguments } from './proxy-arguments.ts';

let folder: string;
let sleeper: ChildProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-'));
  await mkdir(join(folder, 'many/inner.cfg'), { recursive: true });
  const names = ['a.cfg', 'b.cfg', 'many/b.cfg', 'many/B.cfg', 'many/é.cfg', 'many/10.cfg', 'many/9.cfg'];
  const leftOut = ['many/.hidden.cfg', 'many/x.cfg.bak', 'many/x.cfg.cfg', 'many/cfg', 'many/x.CFG'];
  await Promise.all(
    [...names, ...leftOut].map((name) => writeFile(join(folder, name), `.notice "read-${name}"\nglobal\n`)),
  );
  await symlink('../a.cfg', join(folder, 'many/linked.cfg'));
  sleeper = spawn('sleep', ['600'], { cwd: folder });
  await once(sleeper, 'spawn');
});

afterAll(async () => {
  sleeper.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

const read = async (words: readonly string[], pid: number | null = sleeper.pid ?? null) =>
  await configurationFilesOf({ ...parseProxyArguments(['haproxy', ...words]), pid });

const commandLines: readonly string[][] = [
  ['-f', 'a.cfg', '-f', 'b.cfg'],
  ['-fx', 'b.cfg', '-f', 'a.cfg'],
  ['-f', 'b.cfg', '--', 'a.cfg'],
  ['-f', 'many', '-f', 'a.cfg'],
  ['-f', 'many/'],
  ['-C', 'many', '-f', 'b.cfg'],
  ['-L', '-f', '-n', '10', '-p', 'p', '-db', '-f', 'a.cfg'],
];

describeOnEachProxy('the files of a command line', ({ bin }) => {
  test.each(commandLines)('finds the configuration files that HAProxy reads for: %s %s %s %s', async (...words) => {
    const stderr = await new Promise<string>((done) => {
      execFile(bin, ['-c', ...words], { cwd: folder }, (_error, _stdout, text) => done(text));
    });
    const said = [...stderr.matchAll(/'read-(.*)'/g)].map(([, name]) => name);
    // HAProxy with `-C many` works in the folder itself, not below it.
    const ours = words[0] === '-C' ? await read(['-C', join(folder, 'many'), ...words.slice(2)]) : await read(words);
    expect(said.length).toBeGreaterThan(0);
    expect(ours.map(({ text }) => /read-(.*)"/.exec(text)?.[1])).toEqual(said);
  });
});

test('configuration files have absolute paths, relative to the working folder of the process', async () => {
  expect(await read(['-f', 'a.cfg'])).toEqual([
    { path: join(folder, 'a.cfg'), text: '.notice "read-a.cfg"\nglobal\n' },
  ]);
  expect(await read(['-C', folder, '-f', 'a.cfg'], null)).toHaveLength(1);
  expect(await read(['-f', join(folder, 'a.cfg').slice(1)], null)).toHaveLength(1);
});

describe('a configuration that cannot be read', () => {
  test.each([
    ['is missing', 'none.cfg', 'ENOENT'],
    ['is no file', '/dev/null', 'not a regular file'],
    ['is below a file', 'a.cfg/b.cfg', 'ENOTDIR'],
  ])('a configuration that %s is an error with its path and the cause', async (_why, name, cause) => {
    const path = name.startsWith('/') ? name : join(folder, name);
    const error = await read(['-f', 'a.cfg', '-f', name]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadableConfiguration);
    expect(error).toMatchObject({ path, message: expect.stringContaining(cause), cause: expect.any(Error) });
  });

  test('a configuration folder with a dangling link is an error, as for HAProxy itself', async () => {
    const broken = join(folder, 'broken');
    await mkdir(broken);
    await symlink('nowhere', join(broken, 'x.cfg'));
    await expect(read(['-f', 'broken'])).rejects.toThrow(/broken.*ENOENT/);
  });
});

test.each([
  ['UTF-8', Buffer.from('# é \uFFFD\n'), '# é \uFFFD\n'],
  ['Latin-1', Buffer.from('# é\n', 'latin1'), '# é\n'],
  ['a byte order mark', Buffer.from('\uFEFFglobal\n'), '\uFEFFglobal\n'],
])('reads a configuration file in %s', async (_what, bytes, text) => {
  await writeFile(join(folder, 'encoded.cfg'), bytes);
  expect((await read(['-f', 'encoded.cfg']))[0]?.text).toBe(text);
});
