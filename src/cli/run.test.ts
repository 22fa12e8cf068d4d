import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startingTemplate } from '../configuration/template/starting-template.ts';
import { CommandLine } from './command-line.ts';
import type { CliHost } from './host.ts';
import { currentManPage } from './man-page.ts';
import { buildProgram } from './program.ts';
import { runCommandLine } from './run.ts';
import { everyVerb, type TreeVerb, treeOf } from './tree.ts';

function hostOf(environment: Record<string, string> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const host: CliHost = {
    environment,
    homeFolder: null,
    stdin,
    stdout,
    stderr,
    now: () => new Date(),
    end: () => undefined,
  };
  const text = (stream: PassThrough): string => (stream.read() as Buffer | null)?.toString() ?? '';
  return { host, out: () => text(stdout), err: () => text(stderr) };
}

async function typed(line: string, environment: Record<string, string> = {}) {
  const { host, out, err } = hostOf(environment);
  const code = await runCommandLine(
    line.split(' ').filter((word) => word !== ''),
    host,
  );
  return { code, out: out(), err: err() };
}

const treeNow = async (): Promise<TreeVerb> => treeOf(await buildProgram(new CommandLine(hostOf().host), null));

describe('a usage error', () => {
  const key = { PROXY_MANAGER_API_KEY: 'key-0123456789abcdef' };
  it.each([
    ['blok', 'unknown verb', 'Did you mean block?'],
    ['block', "missing required argument 'address'", 'proxy-manager block --help'],
    ['block 192.0.2.1 --fro 4h', 'unknown option', 'Did you mean --for?'],
    ['block 192.0.2.1 --for 4hours', 'is not a duration', '90s, 30m, 4h, 7d or 2w'],
    ['block 192.0.2.1 192.0.2.1/24 foo', 'did you mean 192.0.2.0/24?', 'foo looks like a host name'],
    ['block - 192.0.2.1', 'must be the only operand', ''],
    ['list -o xml', 'Allowed choices are text, json', ''],
    ['list -n 0', '--limit requires a whole number', ''],
    ['list 10. --text scan', 'with --text, for a reason', ''],
    ['list --url foo', 'write http://HOST:PORT or unix:/path', ''],
    ['import /nowhere --format xls', 'Allowed choices are auto, list, csv, map, netset', ''],
    ['import /nowhere --allow-shrink', 'requires --replace', ''],
    ['trust ad 192.0.2.1', 'Did you mean add?', 'proxy-manager trust --help'],
    ['site set www.example.org 10.0.0.5', 'write HOST:PORT', ''],
    ['key create x --scope root', 'Allowed choices are read, block, admin', ''],
    ['webhook set chat hooks.example.com', '<url>: must be a URL', 'https://'],
    ['webhook set chat https://a:pass@example.com/', '<url>: must not contain a user or password', ''],
    ['--url http://a:1 serve', 'has no --url', ''],
    ['audit --since yesterday', 'is not a time', 'a duration before now such as 24h'],
    ['audit --operation Block -n x', '--limit requires', ''],
    ['serve --listen nonsense', 'PROXY_MANAGER_LISTEN', 'HOST:PORT'],
    ['', 'Usage: proxy-manager', ''],
  ])('exits 2 and says what is accepted: %s', async (line, ...parts) => {
    const { code, out, err } = await typed(line, key);
    expect(code).toBe(2);
    expect(out).toBe('');
    for (const part of parts) expect(err).toContain(part);
  });

  it('is not `help VERB`, which prints the help', async () => {
    for (const verb of ['', 'block', 'trust add']) {
      const said = await typed(`${verb} --help`);
      expect(said).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`Usage: proxy-manager ${verb}`) });
      expect(await typed(`help ${verb}`)).toEqual(said);
    }
  });

  it('never shows a key that was given as a flag', async () => {
    const { code, err } = await typed('serve --api-key=pm_secret');
    expect(code).toBe(2);
    expect(err).toContain("unknown option '--api-key'");
    expect(err).not.toContain('secret');
  });
});

describe('the program', () => {
  it('lists candidates without a further verb', async () => {
    const { code, err } = await typed('candidates --url http://127.0.0.1:1', { PROXY_MANAGER_API_KEY: 'k'.repeat(20) });
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('nothing listens there') });
  });

  it('loads only the verb that was typed, the same as in the complete tree', async () => {
    const whole = await treeNow();
    for (const { words } of whole.verbs) {
      const alone = treeOf(await buildProgram(new CommandLine(hostOf().host), words));
      expect(alone.verbs).toEqual(whole.verbs.filter((verb) => verb.words[0] === words[0]));
    }
  });

  it('loads no part of the service for a verb that calls it', () => {
    const service =
      /\/src\/(service|start|store|haproxy|http|blocking|configuration|supervision|telemetry\/(?!cause-text))\//;
    for (const verb of [
      'verbs/block',
      'verbs/check',
      'verbs/import',
      'verbs/status',
      'verbs/key',
      'completion/completion',
    ]) {
      const loaded = [...loadedBy([join(import.meta.dirname, `${verb}.ts`), join(import.meta.dirname, 'run.ts')])];
      expect(loaded.filter((path) => service.test(path))).toEqual([]);
      expect(loaded.length).toBeGreaterThan(20);
    }
  });

  it('has a description and a valid example for every verb', async () => {
    const tree = await treeNow();
    for (const verb of everyVerb(tree)) {
      expect(verb.description, verb.words.join(' ')).not.toBe('');
      if (verb.verbs.length > 0 || verb.words.length === 0) continue;
      expect(verb.examples, verb.words.join(' ')).not.toEqual([]);
      for (const { line, explanation } of verb.examples) {
        expect(line.split(' ').slice(0, verb.words.length)).toEqual(verb.words);
        expect(explanation).not.toBe('');
        const flags = line.split(/ [|>] /)[0]!.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
        for (const flag of flags)
          expect(
            verb.options.flatMap(({ names }) => names),
            line,
          ).toContain(flag);
      }
    }
  });

  it('exits 1 without a key, also with JSON output', async () => {
    expect(await typed('status')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('no API key was found'),
    });
    const { code, out, err } = await typed('-o json status');
    expect([code, err]).toEqual([1, '']);
    expect(JSON.parse(out)).toMatchObject({ title: expect.stringContaining('no API key was found') });
  });

  it('shows the settings as text and as JSON, secrets masked', async () => {
    const environment = { PROXY_MANAGER_API_KEY: 'key-0123456789abcdef' };
    expect((await typed('config show', environment)).out).toContain('api_key = ********\n');
    const { out } = await typed('config show --supervise true -o json', environment);
    expect(JSON.parse(out)).toMatchObject({ api_key: '********', supervise: 'true' });
  });
});

describe('config template', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'template-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('writes the built-in template to standard output, as text or JSON, without a service', async () => {
    const { code, out, err } = await typed('config template');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(startingTemplate());
    expect(JSON.parse((await typed('config template - -o json')).out)).toEqual({ template: out });
    expect(await typed('--url http://a:1 config template')).toMatchObject({ code: 2, out: '' });
  });

  it('writes a new file, and does not overwrite an existing one', async () => {
    const file = join(folder, 'own.liquid');
    expect(await typed(`config template ${file}`)).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('PROXY_MANAGER_TEMPLATE'),
    });
    expect(readFileSync(file, 'utf8')).toBe(startingTemplate());
    await writeFile(file, 'my own');
    expect(await typed(`config template ${file}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('it exists already'),
    });
    expect(readFileSync(file, 'utf8')).toBe('my own');
    expect(await typed(`config template ${folder}/nowhere/own.liquid`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no such file or directory'),
    });
  });
});

describe('the manual page', () => {
  it('is up to date; npm run generate:man writes it', async () => {
    const committed = readFileSync(join(import.meta.dirname, '../../packaging/proxy-manager.1'), 'utf8');
    expect(committed).toBe(await currentManPage());
  });

  it('is formatted without a warning', async () => {
    const page = await currentManPage();
    for (const [program, ...args] of [
      ['groff', '-ww', '-man', '-Tutf8', '-z'],
      ['mandoc', '-Tlint'],
    ] as const) {
      if (!isInstalled(program)) continue;
      const { stdout, stderr } = await run(program, args, page);
      expect([program, stdout, stderr]).toEqual([program, '', '']);
    }
  });

  it('documents every verb and every option', async () => {
    const page = (await currentManPage()).replaceAll('\\-', '-');
    for (const verb of everyVerb(await treeNow())) {
      if (verb.verbs.length === 0) expect(page).toContain(`.SS "proxy-manager ${verb.words.join(' ')}`);
      for (const { flags } of verb.options) expect(page).toContain(`.B "${flags}"`);
    }
  });
});

describe('completion in bash', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'completion-'));
    const { out } = await typed('completion bash');
    await writeFile(join(folder, 'script'), out);
    await writeFile(join(folder, 'a list.txt'), '');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const offered = async (...words: string[]): Promise<string[]> => {
    const program = `. ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _proxy_manager; printf "%s\\n" "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', program, 'bash', 'proxy-manager', ...words], {
      cwd: folder,
    });
    return stdout.split('\n').filter((line) => line !== '');
  };

  it('offers verbs, options and their values', async () => {
    expect(await offered('un')).toEqual(['unblock', 'undo']);
    expect(await offered('trust', '')).toEqual(expect.arrayContaining(['add', 'rm', 'ls']));
    expect(await offered('trust', 'add', '--n')).toEqual(['--note']);
    expect(await offered('block', '192.0.2.1', '--re')).toEqual(['--reason']);
    expect(await offered('list', '-o', '')).toEqual(['text', 'json']);
    expect(await offered('import', '--format', 'n')).toEqual(['netset']);
  });

  it('offers files for operands that are files, and nothing for free text', async () => {
    expect(await offered('block', '--for', '')).toEqual([]);
    expect(await offered('import', 'a')).toEqual(['a list.txt']);
  });
});

describe(`completion in zsh${isInstalled('zsh') ? '' : ': skipped, zsh is not installed'}`, () => {
  it.skipIf(!isInstalled('zsh'))('is a script that zsh accepts', async () => {
    const { out } = await typed('completion zsh');
    expect(await run('zsh', ['-n'], out)).toEqual({ stdout: '', stderr: '' });
  });
});

/** This project's modules that they load. */
function loadedBy(paths: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(
      /^(?:import|export) (?!type )(?:[^;']*? from )?'(\.[^']+)';/gms,
    );
    for (const [, specifier] of imports) waiting.push(join(path, '..', specifier!));
  }
  return seen;
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function run(program: string, args: readonly string[], input: string): Promise<{ stdout: string; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ stdout: string; stderr: string }>();
  const child = execFile(program, args, (_error, stdout, stderr) => resolve({ stdout, stderr }));
  child.stdin?.end(input);
  return promise;
}
