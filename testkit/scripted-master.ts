// A scriptable master socket: it answers like a real one from maps in memory, unless a script makes commands hang, lie
// or wait, or the socket refuse, reset or stay silent.
import { rename, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { capabilitiesOf, parseRunningVersion } from '../src/haproxy/process/proxy-version.ts';
import { ScriptedMap } from './scripted-map.ts';

interface ScriptedWorker {
  readonly pid: number;
  readonly maps: Map<string, ScriptedMap>;
}

type Behaviour =
  | { readonly kind: 'answer' }
  /** Never answered, and nothing after it; executed or not. */
  | { readonly kind: 'hang'; readonly carriedOut?: boolean }
  /** These bytes instead of its reply. */
  | { readonly kind: 'say'; readonly bytes: string; readonly then?: 'go on' | 'close' | 'reset' | 'hang' }
  /** Executed and answered once the promise resolves. */
  | { readonly kind: 'wait'; readonly until: Promise<unknown> }
  /** Executed at once, answered once the promise resolves. */
  | { readonly kind: 'late'; readonly until: Promise<unknown> };

export type Script = (command: string, nth: number) => Behaviour | undefined;

export const hang: Behaviour = { kind: 'hang' };
export const say = (bytes: string, then: 'go on' | 'close' | 'reset' | 'hang' = 'go on'): Behaviour => ({
  kind: 'say',
  bytes,
  then,
});

function mapOf(file: string, lines: readonly string[]): ScriptedMap {
  return new ScriptedMap(lines, /https_sites$|acme_challenges$/.test(file) ? 'names' : 'addresses');
}

const UNKNOWN_MAP = 'Unknown map identifier. Please use #<id> or <file>.\n';

export class ScriptedMaster {
  readonly path: string;
  readonly commands: string[] = [];
  readonly master = { pid: 100, reloads: 0, failed: 0, version: '2.6.12-1+deb12u4' };
  current: ScriptedWorker;
  draining: ScriptedWorker[] = [];
  /** Worker of a reload under way, as from 3.1 on: listed, but unreachable. */
  starting: ScriptedWorker | null = null;
  /** The last reload failed: from 3.1 on the current worker is then listed as old. */
  #refused = false;
  /** From 3.1 on a master outlives a worker that dies after a rejected reload. */
  #died = false;
  /** Called for each command; undefined: the real reply. */
  script: Script = () => undefined;
  /** For new connections. */
  welcome: 'serve' | 'silence' | 'close' | 'reset' = 'serve';
  /** Served at a time; more wait, as the master does beyond ten. */
  maxConnections = 10;
  /** Maximum of open connections so far. */
  peak = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #nextPid = 102;

  constructor(path: string, maps: Readonly<Record<string, readonly string[]>>) {
    this.path = path;
    const loaded = Object.entries(maps).map(([file, lines]) => [file, mapOf(file, lines)] as const);
    this.current = { pid: 101, maps: new Map(loaded) };
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.path, resolve);
    });
  }

  get connections(): number {
    return this.#open.size;
  }

  map(path: string, worker: ScriptedWorker = this.current): ScriptedMap {
    const map = worker.maps.get(path);
    if (map === undefined) throw new Error(`no map ${path}`);
    return map;
  }

  /** The former worker drains. */
  reload(maps?: Readonly<Record<string, readonly string[]>>): ScriptedWorker {
    this.beginReload(maps);
    return this.finishReload();
  }

  /** The former worker stays current until `finishReload` or `refuseReload`. */
  beginReload(maps?: Readonly<Record<string, readonly string[]>>): ScriptedWorker {
    const lines = (file: string, map: ScriptedMap): readonly string[] =>
      maps?.[file] ?? map.live().map((entry) => `${entry.key} ${entry.value}`);
    const loaded = [...this.current.maps].map(([file, map]) => [file, mapOf(file, lines(file, map))] as const);
    this.starting = { pid: this.#nextPid++, maps: new Map(loaded) };
    this.master.reloads += 1;
    this.master.failed = 0;
    this.#refused = false;
    this.#died = false;
    return this.starting;
  }

  finishReload(): ScriptedWorker {
    if (this.starting === null) throw new Error('no reload is under way');
    this.draining.unshift(this.current);
    this.current = this.starting;
    this.starting = null;
    return this.current;
  }

  /** The new worker fails to start, or none is started. */
  refuseReload(): void {
    this.starting = null;
    this.master.failed = 1;
    this.#refused = true;
  }

  /** The worker dies after a rejected reload: only draining ones are left until a reload. */
  currentDies(): void {
    if (!this.#refused) throw new Error('the master would end with it');
    this.#died = true;
  }

  /** Sends bytes without a command on every connection. */
  say(bytes: string): void {
    for (const socket of this.#open) socket.write(bytes);
  }

  /** As the master's re-execution does. */
  dropConnections(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** With `leaveSocket` its file stays, and connections are refused. */
  async stop(leaveSocket = false): Promise<void> {
    // Node removes the file that it bound, unless it was renamed.
    if (leaveSocket) await rename(this.path, `${this.path}~`);
    this.dropConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (leaveSocket) await rename(`${this.path}~`, this.path);
    else await rm(this.path, { force: true });
  }

  #accept(socket: Socket): void {
    this.#open.add(socket);
    this.peak = Math.max(this.peak, this.#open.size);
    socket.on('close', () => this.#open.delete(socket));
    // A client that disconnects is no failure of the master.
    socket.on('error', () => socket.destroy());
    if (this.welcome === 'close') socket.end();
    // Destroying a connection with unread data resets it.
    else if (this.welcome === 'reset') socket.once('data', () => socket.destroy());
    if (this.welcome === 'serve' && this.#open.size <= this.maxConnections) this.#serve(socket);
  }

  #serve(socket: Socket): void {
    let text = '';
    let serving = true;
    let turn: Promise<void> = Promise.resolve();
    const work = async (bytes: Buffer): Promise<void> => {
      text += bytes.toString();
      for (let cut = commandEnd(text); cut !== -1 && serving; cut = commandEnd(text)) {
        const command = text.slice(0, cut).replace(/\n+$/, '');
        text = text.slice(cut);
        const line = this.#takesLines ? /^@@(!\d+) (.*)$/s.exec(command) : null;
        // What follows the line is lost for the master.
        if (line !== null) text = '';
        const commands = line === null ? [command] : (line[2] ?? '').split(';').map((one) => `@${line[1]} ${one}`);
        for (const one of commands) if (serving) serving = await this.#handle(socket, one);
      }
    };
    socket.on('data', (bytes) => {
      turn = turn.then(() => work(bytes));
    });
    socket.on('end', () => {
      turn = turn.then(() => {
        if (serving) socket.end();
      });
    });
  }

  get #takesLines(): boolean {
    const version = parseRunningVersion(this.master.version);
    return version !== null && capabilitiesOf(version).workerLines;
  }

  /** False: stop reading this connection. */
  async #handle(socket: Socket, command: string): Promise<boolean> {
    const nth = this.commands.push(command);
    const behaviour = this.script(command, nth) ?? { kind: 'answer' };
    if (behaviour.kind === 'hang') {
      if (behaviour.carriedOut === true) this.answer(command);
      return false;
    }
    if (behaviour.kind === 'say') {
      socket.write(behaviour.bytes);
      if (behaviour.then === 'close') socket.end();
      if (behaviour.then === 'reset') socket.destroy();
      return behaviour.then === 'go on';
    }
    if (behaviour.kind === 'wait') await behaviour.until;
    const reply = this.answer(command);
    if (behaviour.kind === 'late') await behaviour.until;
    socket.write(reply.text);
    if (reply.last) socket.end();
    return !reply.last;
  }

  /** The reply on the wire; `last` closes the connection. */
  answer(command: string): { text: string; last: boolean } {
    if (command === 'show proc') return { text: `${this.#showProc()}\n`, last: false };
    if (command === 'reload') {
      this.reload();
      return { text: '', last: true };
    }
    const routed = /^(@1|@!(\d+)) ([\s\S]*)$/.exec(command);
    if (routed === null)
      return {
        text: 'Unknown command, but maybe one of the following ones is a better match:\n  @!<pid>\n\n',
        last: false,
      };
    const [, prefix = '', pid, rest = ''] = routed;
    const all = this.#died ? this.draining : [this.current, ...this.draining];
    const worker = pid === undefined ? all[0] : all.find((one) => one.pid === Number(pid));
    if (worker === undefined)
      return { text: `Can't find the target PID matching the prefix '${prefix}'\n`, last: true };
    return { text: `${this.#mapCommand(worker, rest)}\n`, last: false };
  }

  #mapCommand(worker: ScriptedWorker, text: string): string {
    const [line = '', ...payload] = text.split('\n');
    const [verb = '', noun = '', ...args] = line.split(' ');
    if (line === 'show info')
      return `Name: HAProxy\nPid: ${worker.pid}\nStopping: ${worker === this.current ? 0 : 1}\n`;
    if (noun !== 'map') return 'Unknown command, but maybe one of the following ones is a better match:\n  help\n';
    if (verb === 'show' && args.length === 0) return this.#listing(worker);
    const version = args[0]?.startsWith('@') === true ? Number(args.shift()?.slice(1)) : undefined;
    const [path = '', key = '', value] = args;
    const map = worker.maps.get(path);
    if (map === undefined) return UNKNOWN_MAP;
    if (verb === 'show') return map.show(version);
    if (verb === 'get') return map.get(key);
    if (verb === 'del') return map.del(key);
    if (verb === 'prepare') return map.prepare();
    if (verb === 'commit') return map.commit(version ?? -1);
    if (verb === 'set' && value !== undefined) return map.set(key, value);
    if (verb === 'add' && key === '<<') return addLines(map, payload, version);
    if (verb === 'add' && value !== undefined) return map.add(key, value, version);
    return `'${verb} map' expects three parameters (map identifier, key and value)\n`;
  }

  #listing(worker: ScriptedWorker): string {
    const lines = [...worker.maps].map(([file, map], id) => {
      const used = `pattern loaded from file '${file}' used by map at file '/etc/proxy/proxy.cfg' line 11`;
      const counts = `curr_ver=${map.current} next_ver=${map.next} entry_cnt=${map.size}`;
      return `${id} (${file}) ${used}. ${counts}\n`;
    });
    return `# id (file) description\n${lines.join('')}`;
  }

  #showProc(): string {
    const { pid, reloads, failed, version } = this.master;
    const row = (...cells: (string | number)[]): string =>
      `${cells.map((cell) => `${cell}`.padEnd(16)).join('')}0d00h00m01s     ${version}`;
    const header = ['#<PID>', '<type>', '<reloads>', '<uptime>', '<version>'].map((cell) => cell.padEnd(16)).join('');
    const currentIsOld = this.starting !== null || this.#refused;
    const workers = this.starting ?? (currentIsOld ? null : this.current);
    const old = (currentIsOld && !this.#died ? [this.current, ...this.draining] : this.draining).map((worker, age) =>
      row(worker.pid, 'worker', age + 1),
    );
    const lines = [
      header,
      row(pid, 'master', `${reloads} [failed: ${failed}]`),
      '# workers',
      ...(workers === null ? [] : [row(workers.pid, 'worker', 0)]),
      ...(old.length === 0 ? [] : ['# old workers', ...old]),
      '# programs',
    ];
    return `${lines.join('\n')}\n`;
  }
}

/** End of the first complete command (a line, or a payload with its empty line); -1: incomplete. */
function commandEnd(text: string): number {
  const line = text.indexOf('\n');
  if (line === -1 || !text.slice(0, line).endsWith('<<')) return line === -1 ? -1 : line + 1;
  const end = text.indexOf('\n\n', line);
  return end === -1 ? -1 : end + 2;
}

/** Stops at the first invalid line, and keeps the earlier ones. */
function addLines(map: ScriptedMap, lines: readonly string[], version: number | undefined): string {
  for (const line of lines) {
    const [key = '', value = ''] = line.split(' ');
    const reply = map.add(key, value, version);
    if (reply !== '') return reply;
  }
  return '';
}
