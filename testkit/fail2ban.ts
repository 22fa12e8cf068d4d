// A real fail2ban in a folder of its own, with the actions and the filter of packaging/fail2ban.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import SqliteDatabase from 'better-sqlite3';
import { describe } from 'vitest';
import { eventually } from './conditions.ts';

/** Where testkit/install-fail2ban unpacks it. */
const unpacked = '/opt/fail2ban';
const packaged = join(import.meta.dirname, '../packaging/fail2ban');
const keyName = 'proxy-manager.key';

/** How a program of fail2ban is started; null: it is missing. */
function programOf(name: 'fail2ban-server' | 'fail2ban-client'): readonly [string, ...string[]] | null {
  const path = `${unpacked}/usr/bin/${name}`;
  if (existsSync(path)) return ['python3', path];
  return spawnSync(name, ['--version']).error === undefined ? [name] : null;
}

/** Without fail2ban a skipped group names what is missing. */
export function describeWithFail2ban(name: string, tests: () => void): void {
  if (programOf('fail2ban-server') !== null) describe(name, tests);
  else describe.skip(`${name}: skipped, fail2ban is missing; testkit/install-fail2ban unpacks it`, tests);
}

interface Jail {
  readonly name: string;
  /** Lines of its section. */
  readonly settings: readonly string[];
}

/** Sends each line to the server as fail2ban-client does, whose start takes 0.2 s of processor time. */
const sender = `
import json, sys
from fail2ban.client.csocket import CSocket
for line in sys.stdin:
    try:
        socket = CSocket(sys.argv[1])
        status, answer = socket.send(json.loads(line))
        socket.close()
    except OSError as error:
        status, answer = None, error
    print(json.dumps([status, str(answer)]), flush=True)
`;

interface Said {
  /** 0: done; null: no server answers. */
  readonly status: number | null;
  readonly text: string;
}

export class RealFail2ban {
  readonly folder: string;
  readonly #jails: readonly string[];
  #child: ChildProcess | null = null;
  #sender: ReturnType<typeof startSender> | null = null;

  private constructor(folder: string, jails: readonly string[]) {
    this.folder = folder;
    this.#jails = jails;
  }

  /** The key must be bound to `fail2ban`. */
  static async create(key: string, jailsFor: (keyFile: string) => readonly Jail[]): Promise<RealFail2ban> {
    const folder = await mkdtemp(join(tmpdir(), 'f2b-'));
    const jails = jailsFor(join(folder, keyName));
    const names = jails.map(({ name }) => name);
    const fail2ban = new RealFail2ban(folder, names);
    const at = (path: string): string => join(folder, path);
    for (const folder of ['filter.d', 'action.d', 'jail.d']) mkdirSync(at(folder));
    for (const folder of ['action.d', 'filter.d']) cpSync(join(packaged, folder), at(folder), { recursive: true });
    writeFileSync(fail2ban.keyFile, `${key}\n`, { mode: 0o600 });
    const filter = [
      '[Definition]',
      'failregex = ^\\s*login of \\S+ from <ADDR> failed$',
      'datepattern = ^%%Y-%%m-%%d %%H:%%M:%%S',
    ];
    writeFileSync(at('filter.d/shop.conf'), lines(filter));
    const main = ['[Definition]', 'loglevel = INFO', `logtarget = ${at('fail2ban.log')}`, 'syslogsocket = auto'];
    const files = [`socket = ${at('sock')}`, `pidfile = ${at('pid')}`, `dbfile = ${at('bans.sqlite3')}`];
    writeFileSync(at('fail2ban.conf'), lines([...main, ...files, 'dbpurgeage = 1d', 'dbmaxmatches = 10']));
    const common = ['[DEFAULT]', 'enabled = true', 'filter = shop', 'maxretry = 3', 'findtime = 10m', 'bantime = 1h'];
    const log = ['backend = polling', 'usedns = no', 'ignoreself = false', 'ignoreip =', 'banaction = none'];
    const sections = jails.flatMap(({ name, settings }) => {
      writeFileSync(fail2ban.logOf(name), '');
      return ['', `[${name}]`, `logpath = ${fail2ban.logOf(name)}`, ...settings];
    });
    writeFileSync(at('jail.conf'), lines([...common, ...log, ...sections]));
    await fail2ban.start();
    return fail2ban;
  }

  get keyFile(): string {
    return join(this.folder, keyName);
  }

  /** The log that the jail reads. */
  logOf(jail: string): string {
    return join(this.folder, `${jail}.log`);
  }

  /** What fail2ban logged. */
  get log(): string {
    const path = join(this.folder, 'fail2ban.log');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** The jails, before a reload. */
  edit(change: (jails: string) => string): void {
    const path = join(this.folder, 'jail.conf');
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }

  async start(): Promise<void> {
    const output = openSync(join(this.folder, 'output.log'), 'a');
    const [first, ...more] = programOf('fail2ban-server')!;
    const args = [...more, ...this.#common, '-xf', 'start'];
    const child = spawn(first, args, { env: environment(), stdio: ['ignore', output, output] });
    closeSync(output);
    this.#child = child;
    // It answers before it has its jails, and refuses their commands until then.
    await eventually('fail2ban has its jails', async () => {
      if (child.exitCode !== null)
        throw new Error(`fail2ban ended: ${readFileSync(join(this.folder, 'output.log'), 'utf8')}\n${this.log}`);
      const { text: listed } = await this.#send(['status']);
      return this.#jails.every((jail) => new RegExp(`\\b${jail}\\b`).test(listed));
    });
  }

  /** In order, as `systemctl stop` does. */
  async stop(): Promise<void> {
    if (this.#child === null) return;
    await this.client('stop');
    await this.#ended();
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended();
  }

  async #ended(): Promise<void> {
    const child = this.#child!;
    await eventually('fail2ban ended', () => child.exitCode !== null || child.signalCode !== null);
    this.#child = null;
  }

  /** Whether the next start restores this ban: fail2ban writes it to its database only after the actions began. */
  keeps(jail: string, ip: string): boolean {
    const database = new SqliteDatabase(join(this.folder, 'bans.sqlite3'), { readonly: true });
    try {
      return database.prepare('select 1 from bips where jail = ? and ip = ?').get(jail, ip) !== undefined;
    } finally {
      database.close();
    }
  }

  async remove(): Promise<void> {
    this.#sender?.end();
    if (this.#child !== null) await this.kill();
    await rm(this.folder, { recursive: true });
  }

  /** A command of the server; `reload` and `stop` are those of fail2ban-client alone. @throws Error if it is refused */
  async command(...words: string[]): Promise<void> {
    const { status, text: answer } = await this.#send(words);
    if (status !== 0) throw new Error(`fail2ban refuses ${words.slice(0, 4).join(' ')}: ${answer}`);
  }

  async #send(words: readonly string[]): Promise<Said> {
    this.#sender ??= startSender(join(this.folder, 'sock'));
    return await this.#sender.send(words);
  }

  /** fail2ban-client with these words. */
  async client(...words: string[]): Promise<Said> {
    const [first, ...more] = programOf('fail2ban-client')!;
    const child = spawn(first, [...more, ...this.#common, ...words], { env: environment() });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { status, text: (await said).join('').trim() };
  }

  /** As a program that does not let these addresses in. */
  failLogins(jail: string, ...addresses: string[]): void {
    const now = new Date();
    const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
    const time = local.toISOString().slice(0, 19).replace('T', ' ');
    const each = addresses.flatMap(
      (address) => Array(3).fill(`${time} login of ann from ${address} failed`) as string[],
    );
    appendFileSync(this.logOf(jail), lines(each));
  }

  get #common(): string[] {
    return ['-c', this.folder, '-s', join(this.folder, 'sock'), '-p', join(this.folder, 'pid')];
  }
}

function startSender(socket: string) {
  const child = spawn('python3', ['-c', sender, socket], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: { resolve: (said: Said) => void; reject: (error: Error) => void }[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const [status, text] = JSON.parse(line) as [number | null, string];
    waiting.shift()?.resolve({ status, text });
  });
  const fail = (error: Error): void => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  child.stdin.on('error', fail);
  child.once('error', fail).once('close', () => fail(new Error('the sender of commands to fail2ban ended')));
  return {
    send: (words: readonly string[]) =>
      new Promise<Said>((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(words)}\n`);
      }),
    end: () => child.stdin.end(),
  };
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

function environment(): NodeJS.ProcessEnv {
  const modules = `${unpacked}/usr/lib/python3/dist-packages`;
  return { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...(existsSync(modules) && { PYTHONPATH: modules }) };
}
