// With a real HAProxy and a real service; users, units and root's files of the machine are simulated.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AttachOptions, attach, type Operator } from '../src/attach/attach.ts';
import { detach } from '../src/attach/detach.ts';
import type { Facts } from '../src/attach/facts.ts';
import type { Host, Ran } from '../src/attach/host.ts';
import { ownSettings } from '../src/attach/own-settings.ts';
import { nothingMade, recordFile } from '../src/attach/record.ts';
import { Made, paths, restartWithSocket, stepsOf } from '../src/attach/steps.ts';
import { type AttachedService, frontEnd, head, startAttached } from '../testkit/attached-service.ts';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { untilPasses } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import type { RealService } from '../testkit/real-service.ts';

const root = join(import.meta.dirname, '..');

/** Its files are in memory, except those below the service's prefix. */
class SimulatedHost implements Host {
  readonly files = new Map<string, string>();
  readonly commands: string[] = [];
  /** For `systemctl cat`. */
  unitTexts = '';
  hasSystemd = true;
  /** By program. */
  readonly answers = new Map<string, string>();
  /** Commands that fail. */
  failing: RegExp = /^$/;
  readonly #service: RealService;
  #isRunning = false;

  constructor(service: RealService) {
    this.#service = service;
    const { blockedMap, trustedMap } = service.paths;
    this.files.set(
      '/etc/default/proxy-manager',
      `PROXY_MANAGER_LISTEN=127.0.0.1:${service.apiPort}\nPROXY_MANAGER_BLOCKED_MAP=${blockedMap}\nPROXY_MANAGER_TRUSTED_MAP="${trustedMap}"\n`,
    );
  }

  async readText(path: string): Promise<string | null> {
    // The tests' sockets are in /tmp, and their program anywhere.
    if (path.startsWith(root)) return (await readFile(path, 'utf8')).replace(/^(PrivateTmp|ProtectHome)=yes$/gm, '');
    if (path.startsWith(this.#service.paths.prefix)) return await readFile(path, 'utf8');
    return this.files.get(path) ?? null;
  }

  async writeText(path: string, text: string): Promise<void> {
    this.files.set(path, text);
  }

  async remove(path: string): Promise<void> {
    this.files.delete(path);
  }

  async exists(path: string): Promise<boolean> {
    return path === '/run/systemd/system' ? this.hasSystemd : this.files.has(path);
  }

  run(command: string, ...words: readonly string[]): Promise<Ran> {
    return this.runWith('', command, ...words);
  }

  async runWith(input: string, command: string, ...words: readonly string[]): Promise<Ran> {
    if (command.endsWith('bin/proxy-manager')) return await this.#ask(input, words);
    const line = [command, ...words].join(' ');
    const answer = (exitCode: number, output = ''): Ran => ({ exitCode, output, complaints: '' });
    // Root's group, which owns the tests' socket.
    if (line === 'getent group proxy-manager') return answer(0, 'proxy-manager:x:0:\n');
    if (line === 'getent passwd proxy-manager')
      return answer(this.commands.some((one) => /^useradd/.test(one)) ? 0 : 2);
    if (line.startsWith('systemctl cat')) return answer(this.unitTexts === '' ? 1 : 0, this.unitTexts);
    if (command === 'readlink') return answer(0, `${join(root, 'bin/proxy-manager')}\n`);
    if (line.startsWith('systemctl show')) {
      const state = this.#isRunning ? 'ActiveState=active\nNeedDaemonReload=no\nUnitFileState=enabled\n' : '';
      return answer(0, state);
    }
    const output = this.answers.get(command);
    if (output !== undefined) return answer(0, output);
    this.commands.push(line);
    if (this.failing.test(line)) return answer(1);
    if (command === 'install') this.files.set(words.at(-1) ?? '', '');
    if (command === 'ln') this.files.set(words.at(-1) ?? '', '');
    if (/^systemctl restart/.test(line)) this.#isRunning = true;
    return answer(0);
  }

  async #ask(input: string, words: readonly string[]): Promise<Ran> {
    const { code, out, err } = await new CommandLineUser(this.#service).run(words, {
      input,
      environment: { PROXY_MANAGER_URL: '' },
    });
    return { exitCode: code, output: out, complaints: err };
  }
}

describeOnOneProxy('attach', ({ bin }) => {
  let attached: AttachedService;
  let service: RealService;
  let host: SimulatedHost;
  let options: AttachOptions;
  const printed: string[] = [];
  const operator: Operator = {
    canAsk: false,
    async ask() {
      throw new Error('no terminal here');
    },
    async print(...lines) {
      printed.push(...lines);
    },
  };
  const run = async (more: Partial<AttachOptions> = {}) => {
    printed.length = 0;
    return await attach(host, operator, { ...options, ...more });
  };
  const edit = async (change: (text: string) => string): Promise<void> => {
    const { config } = service.paths;
    await writeFile(config, change(await readFile(config, 'utf8')));
  };

  beforeAll(async () => {
    const statistics = await freePort();
    attached = await startAttached({
      bin,
      socketOptions: ',mode,660',
      environment: { PROXY_MANAGER_OPEN_FRONT_ENDS: 'stats' },
      before: async ({ prefix, masterSocket }) => {
        // The service's group can reach the socket.
        for (const folder of [prefix, dirname(masterSocket)]) await chmod(folder, 0o711);
        await writeFile(`${prefix}/old.map`, '# old\n127.0.4.1 scanner\n127.0.4.2 0\n');
        await writeFile(`${prefix}/some.lst`, '127.0.4.3\n127.0.4.4\n');
        await writeFile(`${prefix}/office.lst`, '127.0.4.4\n');
      },
      config: ({ prefix }, port) =>
        `${head}${frontEnd('web', port, `  http-request deny if { src,map_ip(${prefix}/old.map) -m found }\n  http-request deny if { src -f ${prefix}/some.lst } !{ src -f ${prefix}/office.lst }`)}${frontEnd('stats', statistics)}`,
    });
    ({ service } = attached);
    host = new SimulatedHost(service);
    options = {
      dryRun: false,
      upstreams: false,
      configFile: service.paths.config,
      reloadBy: { kind: 'master' },
      openFrontEnds: ['stats'],
      yes: false,
      root,
    };
  });
  afterAll(() => service?.stop());

  test('with --dry-run lists what it would create and the lines to paste, and changes nothing', async () => {
    const before = new Map(host.files);
    expect(await run({ dryRun: true })).toBe('open');
    expect(host.files).toEqual(before);
    expect(host.commands).toEqual([]);
    expect(await service.listed()).toEqual([]);
    const text = printed.join('\n');
    expect(text).toContain(`web (http, ${service.paths.config}:9): no rule for the blocked map`);
    expect(text).toMatch(/stats \(.*\): exempt \(--open\)/);
    expect(text).toContain(`import ${service.paths.prefix}/old.map`);
    expect(text).toContain(`acl proxy_manager_blocked src,map_ip(${service.paths.blockedMap},0) -m int gt 0`);
    expect(text).toContain('attach will then ask for these lines. Do not paste them before');
    expect(text).not.toContain('does not exist');
  });

  describe('with lines that were pasted before their list exists', () => {
    const lists = 'PROXY_MANAGER_BLOCKED_MAP=/none/blocked.map\nPROXY_MANAGER_TRUSTED_MAP=/none/trusted.map\n';
    const withoutLists = async (check: () => Promise<void>) => {
      const own = host.files.get('/etc/default/proxy-manager')!;
      host.files.set('/etc/default/proxy-manager', `${own}${lists}`);
      await check().finally(() => host.files.set('/etc/default/proxy-manager', own));
    };

    test('warns in a dry run that HAProxy cannot start', async () => {
      const original = await readFile(service.paths.config, 'utf8');
      await withoutLists(async () => {
        await edit((text) =>
          text.replace('frontend web\n', 'frontend web\n  acl x src,map_ip(/none/blocked.map,0) -m int gt 0\n'),
        );
        expect(await run({ dryRun: true })).toBe('open');
      }).finally(() => writeFile(service.paths.config, original));
      expect(printed).toContain(
        'The configuration names /none/blocked.map, which does not exist, so HAProxy cannot reload or restart. Run attach now, which creates it, or remove the lines that name it.',
      );
    });

    test('says why HAProxy does not run, and what to do', async () => {
      host.files.set('/none.cfg', 'frontend x\n  acl y src,map_ip(/none/blocked.map,0) -m int gt 0\n');
      await withoutLists(async () => {
        await expect(run({ configFile: '/none.cfg' })).rejects.toThrow(
          'no HAProxy runs here with /none.cfg. /none.cfg names /none/blocked.map, which does not exist, so HAProxy cannot start: remove the lines that name it',
        );
      });
      host.files.delete('/none.cfg');
    });
  });

  test('creates what is missing, imports the list in use, and lists the remaining steps', async () => {
    expect(await run()).toBe('open');
    expect(host.commands.join('\n')).toMatch(
      /useradd .*\n.*install .*\n.*ln -s .*\n.*daemon-reload\n.*enable .*\n.*restart proxy-manager/,
    );
    expect(host.files.get(paths.unit)).toContain('[Service]');
    expect(host.files.get(paths.serviceDropIn)).toContain(`PROXY_MANAGER_CONFIG_FILE=${service.paths.config}\n`);
    expect(host.files.get(paths.serviceDropIn)).toContain('PROXY_MANAGER_OPEN_FRONT_ENDS=stats\n');
    // There was no terminal to ask at.
    expect(printed.join('\n')).toMatch(/not imported: .*old\.map, denied at .*:11/);
    expect(await service.listed()).toEqual([]);
    expect(await run({ yes: true })).toBe('open');
    expect((await service.listed()).sort()).toEqual(['127.0.4.1', '127.0.4.2']);
    expect(printed.join('\n')).toMatch(
      /imported .*old\.map.*\n.*\n.*:11 still denies the addresses in .*old\.map by itself/,
    );
    // Its office.lst is an exception, so importing some.lst alone would block the office.
    const { prefix, config } = service.paths;
    expect(printed.join('\n')).toContain(
      `not imported: ${prefix}/some.lst, denied at ${config}:12, but only under further conditions. To deny its addresses in every front end: proxy-manager import ${prefix}/some.lst. To exempt some of them first: proxy-manager trust add`,
    );
    expect(printed.join('\n')).toMatch(/No front end has the rule yet/);
  });

  test('says where EXTRAOPTS is edited from now on, if it had content', () => {
    const doneWith = (extraOptions: string) =>
      stepsOf({
        host,
        facts: {
          proxy: { unit: 'haproxy.service' },
          socket: { path: '/run/haproxy-master.sock', usable: false, extraOptions },
        } as unknown as Facts,
        root,
        packaged: '',
        dropIn: '',
        lists: [],
        made: new Made(host, nothingMade),
      }).map(({ done }) => done);
    const hint = expect.stringMatching(
      /^wrote \/etc\/proxy-manager\/haproxy\.env, .*; from now on, edit EXTRAOPTS there, not in \/etc\/default\/haproxy$/,
    );
    expect(doneWith('-d')).toContainEqual(hint);
    expect(doneWith('')).not.toContainEqual(hint);
  });

  test('makes the service the owner of lists that exist already, unless they are links', async () => {
    const { blockedMap, trustedMap } = service.paths;
    const withLists = async (state: string) => {
      const host = new SimulatedHost(service);
      for (const path of [blockedMap, trustedMap]) host.files.set(path, '');
      host.answers.set('stat', state);
      const made = new Made(host, nothingMade);
      const steps = stepsOf({
        host,
        facts: { proxy: { unit: null }, socket: {} } as unknown as Facts,
        root,
        packaged: '',
        dropIn: '',
        lists: [blockedMap, trustedMap],
        made,
      });
      for (const step of steps) {
        if (step.plan.includes('owner') && !(await step.isDone())) await step.apply();
      }
      return host.commands;
    };
    const chown = (path: string) => `chown --no-dereference proxy-manager:proxy-manager -- ${path}`;
    expect(await withLists('root 1 regular file\n')).toEqual([chown(blockedMap), chown(trustedMap)]);
    expect(await withLists('root 1 regular empty file\n')).toHaveLength(2);
    expect(await withLists('proxy-manager 1 regular file\n')).toEqual([]);
    for (const state of ['root 2 regular file\n', 'root 1 symbolic link\n'])
      await expect(withLists(state)).rejects.toThrow(`${blockedMap} is not a regular file, or has several hard links`);
  });

  test('waits at a terminal for the pasted lines, and says why they are not in effect', async () => {
    const lines = printed.filter((line) => /^ {4}(acl|http-request deny)/.test(line));
    expect(lines).toHaveLength(2);
    printed.length = 0;
    const asked: string[] = [];
    const ask = async (question: string): Promise<boolean> => {
      asked.push(question);
      return false;
    };
    const waiting = attach(host, { ...operator, canAsk: true, ask }, options);
    const { config } = service.paths;
    const original = await readFile(config, 'utf8');
    await untilPasses(async () =>
      expect(printed).toContain('Waiting for the lines. Ctrl-C stops attach; run it again to continue.'),
    );
    await writeFile(config, original.replace('frontend web\n', `frontend web\n${lines[1]}\n`));
    await untilPasses(async () =>
      expect(printed).toContain(`web: ${config}:10 uses proxy_manager_blocked, but the acl line is missing`),
    );
    await writeFile(config, original);
    // After a rule that answers every request.
    await edit((text) => text.replace('string ok\nfrontend', `string ok\n${lines.join('\n')}\nfrontend`));
    await untilPasses(async () =>
      expect(printed).toContain(`web has no rule for the blocked map that counts: ${config}:13 comes before it`),
    );
    await rename(config, `${config}.away`);
    await untilPasses(async () =>
      expect(printed.join('\n')).toMatch(/still waiting: .*haproxy\.cfg|still waiting: .*proxy\.cfg/),
    );
    await writeFile(config, original.replace('frontend web\n', `frontend web\n${lines.join('\n')}\n`));
    expect(await waiting).toBe('open');
    expect(printed).toContain('web has the rule');
    expect(asked).toEqual([
      expect.stringMatching(/^HAProxy has not loaded the current configuration: kill -USR2 \d+\. Do it now\?$/),
    ]);
  });

  test('loads the pasted lines, verifies them, and changes nothing when repeated', async () => {
    expect(await run()).toBe('open');
    expect(printed.join('\n')).toMatch(
      /has not loaded the current configuration: kill -USR2 \d+\. Then run this again/,
    );
    expect(await run({ yes: true })).toBe('proved');
    expect(printed).toContain('web: 127.177.86.12 got 403 while it was blocked, and is served again');
    expect(printed.join('\n')).toContain(
      `not imported again: ${service.paths.prefix}/old.map, denied at ${service.paths.config}:13: it was imported before. To import it again, remove it from ${recordFile}`,
    );
    expect(printed.at(-1)).toMatch(
      /:13 still denies the addresses in .*old\.map by itself, also after unblock or trust add\. Remove that rule/,
    );
    expect((await service.listed()).sort()).toEqual(['127.0.4.1', '127.0.4.2']);
    expect(await service.visit('127.0.4.2')).toBe(403);
    // What was unblocked since stays unblocked.
    await service.unblock('127.0.4.2');
    const [files, commands] = [new Map(host.files), host.commands.length];
    expect(await run()).toBe('proved');
    // Options that are not given stay as they were.
    expect(await run({ openFrontEnds: null, reloadBy: null })).toBe('proved');
    expect(host.files).toEqual(files);
    expect(host.commands).toHaveLength(commands);
    expect(await service.listed()).toEqual(['127.0.4.1']);
  });

  test('leaves an edited file unchanged', async () => {
    const settings = host.files.get(paths.serviceDropIn)!;
    host.files.set(paths.serviceDropIn, `${settings}# mine\n`);
    await expect(run()).rejects.toThrow(
      `${paths.serviceDropIn} exists, and attach did not write it, or it was edited since`,
    );
    host.files.set(paths.serviceDropIn, settings);
  });

  test('refuses settings of the other mode by name', async () => {
    const own = host.files.get('/etc/default/proxy-manager')!;
    host.files.set('/etc/default/proxy-manager', `${own}PROXY_MANAGER_HTTP_BIND=:80\n`);
    await expect(run()).rejects.toThrow('PROXY_MANAGER_HTTP_BIND=":80" is not usable');
    host.files.set('/etc/default/proxy-manager', own);
  });

  test('names what it cannot find', async () => {
    await expect(run({ configFile: '/none.cfg' })).rejects.toThrow('no HAProxy runs here with /none.cfg');
  });

  test('refuses a name of --open that no front end has', async () => {
    await expect(run({ openFrontEnds: ['stat'] })).rejects.toThrow(
      '--open stat: there is no such front end; there are web, stats',
    );
  });

  test('names a socket that its group cannot reach', async () => {
    const folder = dirname(service.paths.masterSocket);
    await chmod(folder, 0o700);
    await expect(run()).rejects.toThrow('HAProxy was not started by systemd');
    expect(printed.join('\n')).toContain(`The service cannot use the master socket ${service.paths.masterSocket} yet`);
    await chmod(folder, 0o711);
  });

  test('refuses a machine without systemd', async () => {
    host.hasSystemd = false;
    await expect(run()).rejects.toThrow('systemd does not run on this machine');
    host.hasSystemd = true;
  });

  test('reads the settings of the operator’s drop-ins too', async () => {
    host.unitTexts = [
      '# /etc/systemd/system/proxy-manager.service',
      'Environment=PROXY_MANAGER_MAX_ENTRIES=1',
      `# ${paths.serviceDropIn}`,
      'Environment=PROXY_MANAGER_MAX_ENTRIES=2',
      '# /etc/systemd/system/proxy-manager.service.d/override.conf',
      'Environment="PROXY_MANAGER_MAX_ENTRIES=3"',
    ].join('\n');
    const settings = await ownSettings(host, ['Environment=PROXY_MANAGER_ATTACHED=true']);
    expect(settings.maxEntries).toBe(3);
    host.unitTexts = '';
  });

  test('restores HAProxy’s unit if HAProxy does not start with the socket', async () => {
    const unit = 'haproxy.service';
    const [dropIn, variables] = [paths.haproxyDropIn(unit), paths.haproxyVariables];
    const files = { [dropIn]: 'x', [variables]: 'y', kept: 'z' };
    const made = new Made(host, { ...nothingMade, files });
    const before = new Map(host.files);
    for (const path of [dropIn, variables]) host.files.set(path, '');
    host.failing = /^systemctl restart haproxy/;
    const from = host.commands.length;
    await expect(restartWithSocket(host, unit, made)).rejects.toThrow('does NOT start without them either');
    expect(host.commands.slice(from)).toEqual([
      `systemctl restart ${unit}`,
      'systemctl daemon-reload',
      `systemctl restart ${unit}`,
    ]);
    expect(made.record.files).toEqual({ kept: 'z' });
    host.files.set(recordFile, before.get(recordFile)!);
    expect(host.files).toEqual(before);
    host.failing = /^$/;
  });

  test('is not undone by detach while HAProxy is down and its configuration names the lists, or cannot be read', async () => {
    const { config, blockedMap, trustedMap } = service.paths;
    const undo = (yes: boolean) => detach(host, operator, { dryRun: true, yes, root });
    await attached.proxy.stop();
    try {
      const used = `the configuration of HAProxy still uses ${blockedMap} or ${trustedMap}: ${config}:10, ${config}:11. Remove`;
      for (const yes of [false, true]) await expect(undo(yes)).rejects.toThrow(used);
      await rename(config, `${config}.away`);
      const unknown = `so it is not known whether HAProxy still uses ${blockedMap}`;
      await expect(undo(false)).rejects.toThrow(`${unknown}. If it does not, run detach --yes`);
      printed.length = 0;
      await undo(true);
      expect(printed.join('\n')).toMatch(`${config} cannot be read: `);
      expect(printed.join('\n')).toContain(unknown);
      // A folder of HAProxy's command line is only known from the record.
      const folder = `${service.paths.prefix}/conf.d`;
      await mkdir(folder);
      await writeFile(config, '');
      await writeFile(`${folder}/more.cfg`, `frontend more\n  acl blocked src,map_ip(${blockedMap},0) -m int gt 0\n`);
      const record = host.files.get(recordFile)!;
      expect(JSON.parse(record)).toMatchObject({ configuration: [config] });
      host.files.set(recordFile, JSON.stringify({ ...JSON.parse(record), configuration: [config, folder] }));
      await expect(undo(false)).rejects.toThrow(`: ${folder}/more.cfg:2. Remove`);
      host.files.set(recordFile, record);
      await rename(`${config}.away`, config);
    } finally {
      await attached.proxy.launch();
    }
    await service.healthy();
  });

  test('is undone by detach once no configuration names the lists, except for edited files', async () => {
    const undo = (dryRun = false) => detach(host, operator, { dryRun, yes: false, root });
    const { config, blockedMap, trustedMap } = service.paths;
    const used = `the configuration of HAProxy still uses ${blockedMap} or ${trustedMap}: ${config}:10, ${config}:11. Remove`;
    await expect(undo()).rejects.toThrow(used);
    await edit((text) => text.replace(/^ {4}(acl|http-request).*\n/gm, ''));
    await expect(undo()).rejects.toThrow('HAProxy still has the lists loaded');
    await attached.proxy.reload(service);
    host.files.set(paths.unit, 'edited');
    const before = new Map(host.files);
    await undo(true);
    expect(host.files).toEqual(before);
    await undo();
    expect(host.commands).toContain('systemctl disable --now proxy-manager.service');
    const left = [paths.folder, '/etc/default/proxy-manager', paths.unit, recordFile];
    expect([...host.files.keys()].sort()).toEqual(left.sort());
    // A later attach must not block again what was imported and then unblocked.
    expect(JSON.parse(host.files.get(recordFile)!)).toEqual({
      files: {},
      imported: [`${service.paths.prefix}/old.map`],
    });
    printed.length = 0;
    await undo();
    expect(printed).toEqual(['Nothing is attached here.']);
    // An edited unit belongs to the operator.
    await expect(run()).rejects.toThrow(`${paths.unit} already exists`);
  });
});
