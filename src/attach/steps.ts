// The steps of `attach`, in order. Each knows whether it is done, so that a second run changes nothing, and leaves
// edited files unchanged.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ReloadBy } from '../settings.ts';
import { CannotAttach, type Facts } from './facts.ts';
import type { Host } from './host.ts';
import { type AttachRecord, fingerprint, writeRecord } from './record.ts';
import { haproxyDropIn, haproxyVariables, serviceDropIn, user } from './texts.ts';

export const serviceUnit = 'proxy-manager.service';
export const paths = {
  folder: '/etc/proxy',
  unit: `/etc/systemd/system/${serviceUnit}`,
  serviceDropIn: `/etc/systemd/system/${serviceUnit}.d/attached.conf`,
  haproxyVariables: '/etc/proxy-manager/haproxy.env',
  command: '/usr/local/bin/proxy-manager',
  haproxyDropIn: (unit: string) => `/etc/systemd/system/${unit}.d/proxy-manager.conf`,
} as const;

export interface Step {
  /** Such as `create the user proxy-manager`. */
  readonly plan: string;
  /** Such as `created the user proxy-manager`. */
  readonly done: string;
  isDone(): Promise<boolean>;
  /** @throws CannotAttach */
  apply(): Promise<void>;
}

/** Records every written file, from the first one on. */
export class Made {
  #record: AttachRecord;
  readonly #host: Host;

  constructor(host: Host, record: AttachRecord) {
    this.#host = host;
    this.#record = record;
  }

  get record(): AttachRecord {
    return this.#record;
  }

  async file(path: string, text: string): Promise<void> {
    this.#record = { ...this.#record, files: { ...this.#record.files, [path]: fingerprint(text) } };
    // Before the file: a recorded file that is missing is harmless, an unrecorded one would never be removed.
    await writeRecord(this.#host, this.#record);
  }

  /** For `detach`, when HAProxy is down. */
  async configuration(files: readonly string[]): Promise<void> {
    if (isDeepStrictEqual(this.#record.configuration, files)) return;
    this.#record = { ...this.#record, configuration: files };
    await writeRecord(this.#host, this.#record);
  }

  async removed(path: string): Promise<void> {
    await this.#host.remove(path);
    const { [path]: _removed, ...files } = this.#record.files;
    this.#record = { ...this.#record, files };
    await writeRecord(this.#host, this.#record);
  }

  async imported(path: string): Promise<void> {
    this.#record = { ...this.#record, imported: [...this.#record.imported, path] };
    await writeRecord(this.#host, this.#record);
  }
}

/** @throws CannotAttach */
export async function packagedUnit(host: Host, root: string): Promise<string> {
  const packaged = await host.readText(join(root, 'packaging', serviceUnit));
  if (packaged === null)
    throw new CannotAttach(`${root} is not a complete installation: packaging/${serviceUnit} is missing`);
  return packaged.replaceAll('/opt/proxy-manager', root);
}

export function settingsOfService(
  { proxy, socket }: Facts,
  {
    root,
    reloadBy,
    openFrontEnds,
  }: { readonly root: string; readonly reloadBy: ReloadBy; readonly openFrontEnds: readonly string[] },
): string {
  const [configFile = ''] = proxy.arguments.files;
  return serviceDropIn({
    root,
    configFile,
    masterSocket: socket.path,
    pidFile: proxy.arguments.pidFile ?? '/run/haproxy.pid',
    proxyBin: proxy.exe,
    unit: proxy.unit,
    reloadBy,
    openFrontEnds,
  });
}

export function stepsOf({
  host,
  facts,
  root,
  packaged,
  dropIn,
  lists,
  made,
}: {
  readonly host: Host;
  readonly facts: Facts;
  /** The folder of the program. */
  readonly root: string;
  readonly packaged: string;
  readonly dropIn: string;
  /** They may exist already, from another installation. */
  readonly lists: readonly string[];
  readonly made: Made;
}): readonly Step[] {
  const { folder, unit, serviceDropIn: settings, command } = paths;
  const file = (what: string, path: string, text: string): Step => ourFile(host, made, { what, path, text });
  return [
    {
      ...creates(`the user and group ${user}`),
      isDone: async () => (await host.run('getent', 'passwd', user)).exitCode === 0,
      apply: () =>
        succeed(host, 'useradd', '--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', user),
    },
    {
      ...creates(`the folder ${folder}, for the maps`),
      isDone: () => host.exists(folder),
      apply: () => succeed(host, 'install', '-d', '-o', user, '-g', user, '-m', '750', folder),
    },
    { ...file(`the unit ${unit}`, unit, packaged), isDone: () => host.exists(unit) },
    file(`the settings of the service, in ${settings}`, settings, dropIn),
    {
      ...creates(`the command ${command}`),
      isDone: () => host.exists(command),
      async apply() {
        await made.file(command, '');
        await succeed(host, 'ln', '-s', join(root, 'bin/proxy-manager'), command);
      },
    },
    ...lists.map((path) => listOwner(host, path)),
    ...socketSteps(host, facts, made),
    {
      plan: `start ${serviceUnit}, now and at every boot`,
      done: `${serviceUnit} runs with these settings, and starts at boot`,
      isDone: () => isRunning(host),
      async apply() {
        await succeed(host, 'systemctl', 'daemon-reload');
        await succeed(host, 'systemctl', 'enable', serviceUnit);
        await startService(host);
      },
    },
  ];
}

/**
 * An existing list is imported at the first start of the service, which then rewrites the file and so must own it.
 * Links are refused: the folder belongs to the service, and root must not change the owner of a link's target.
 */
function listOwner(host: Host, path: string): Step {
  const state = async () => (await host.run('stat', '--format=%U %h %F', '--', path)).output.trim();
  return {
    plan: `make ${user} the owner of ${path}`,
    done: `made ${user} the owner of ${path}`,
    isDone: async () => !(await host.exists(path)) || (await state()).startsWith(`${user} `),
    async apply() {
      const [, links, ...type] = (await state()).split(' ');
      if (links !== '1' || !type.join(' ').startsWith('regular'))
        throw new CannotAttach(`${path} is not a regular file, or has several hard links: move it away first`);
      await succeed(host, 'chown', '--no-dereference', `${user}:${user}`, '--', path);
    },
  };
}

/** None if the socket is usable already. */
function socketSteps(host: Host, { proxy: { unit }, socket }: Facts, made: Made): readonly Step[] {
  if (unit === null || socket.extraOptions === null) return [];
  const variables = haproxyVariables(socket.extraOptions, socket.path);
  const dropIn = paths.haproxyDropIn(unit);
  const file = (path: string, text: string): Step =>
    ourFile(host, made, { what: `${path}, which opens the master socket to the group ${user}`, path, text });
  const moved =
    socket.extraOptions.trim() === '' ? '' : '; from now on, edit EXTRAOPTS there, not in /etc/default/haproxy';
  const variablesStep = file(paths.haproxyVariables, variables);
  const steps = [
    { ...variablesStep, done: `${variablesStep.done}${moved}` },
    file(dropIn, haproxyDropIn(paths.haproxyVariables)),
  ];
  return steps.map((step) => ({
    ...step,
    // HAProxy has it already: by these files, or by its operator.
    isDone: async () => socket.usable || (await step.isDone()),
  }));
}

/**
 * Restarts HAProxy with the files that open its master socket. A site must not stay down for them.
 *
 * @throws CannotAttach if it does not start: the files were removed, and it was started without them
 */
export async function restartWithSocket(host: Host, unit: string, made: Made): Promise<void> {
  const { exitCode } = await host.run('systemctl', 'restart', unit);
  if (exitCode === 0) return;
  const files = [paths.haproxyDropIn(unit), paths.haproxyVariables];
  for (const path of files) await made.removed(path);
  await succeed(host, 'systemctl', 'daemon-reload');
  const again = await host.run('systemctl', 'restart', unit);
  throw new CannotAttach(
    `${unit} did not start with its master socket. ${files.join(' and ')} were removed, and ${
      again.exitCode === 0 ? 'it was started as before' : 'it does NOT start without them either'
    }: journalctl -u ${unit} says why`,
  );
}

const creates = (what: string) => ({ plan: `create ${what}`, done: `created ${what}` });

/** @throws CannotAttach if the file was edited, or is foreign */
function ourFile(
  host: Host,
  made: Made,
  { what, path, text }: { readonly what: string; readonly path: string; readonly text: string },
): Step {
  return {
    plan: `write ${what}`,
    done: `wrote ${what}`,
    isDone: async () => (await host.readText(path)) === text,
    async apply() {
      const there = await host.readText(path);
      if (there !== null && made.record.files[path] !== fingerprint(there)) {
        throw new CannotAttach(
          `${path} exists, and attach did not write it, or it was edited since: move it away first`,
        );
      }
      await made.file(path, text);
      await host.writeText(path, text, 0o644);
    },
  };
}

/** @throws CannotAttach with the service's own message */
async function startService(host: Host): Promise<void> {
  const { exitCode } = await host.run('systemctl', 'restart', serviceUnit);
  if (exitCode === 0) return;
  const said = await host.run('journalctl', '--unit', serviceUnit, '--lines=20', '--output=cat', '--no-pager');
  const refusal = said.output.split('\n').findLast((line) => line.startsWith('proxy-manager: '));
  throw new CannotAttach(`${serviceUnit} does not start: ${refusal ?? `see journalctl -u ${serviceUnit}`}`);
}

/** With its current unit and drop-ins. */
async function isRunning(host: Host): Promise<boolean> {
  const wanted = ['ActiveState=active', 'NeedDaemonReload=no', 'UnitFileState=enabled'];
  const names = wanted.map((property) => `--property=${property.split('=')[0]}`);
  const { output } = await host.run('systemctl', 'show', serviceUnit, ...names);
  const found = output.split('\n').map((line) => line.trim());
  return wanted.every((property) => found.includes(property));
}

export async function succeed(host: Host, program: string, ...words: readonly string[]): Promise<void> {
  const { exitCode, complaints, output } = await host.run(program, ...words);
  if (exitCode === 0) return;
  const said = `${complaints}${output}`.trim();
  throw new CannotAttach(
    `${program} ${words.join(' ')} failed (exit code ${exitCode})${said === '' ? '' : `: ${said}`}`,
  );
}
