// `attach`: lets this service maintain the maps of a HAProxy that its operator configures. It reads, reports, creates
// what is missing, waits for the lines that only the operator can paste, and proves the result.
import { setTimeout as sleep } from 'node:timers/promises';
import { checkConfiguration } from '../haproxy/process/binary.ts';
import { UnreadableConfiguration, workFolderOfProxy } from '../haproxy/process/configuration-files.ts';
import type { ReloadBy, Settings } from '../settings.ts';
import { processAlive } from '../system/processes.ts';
import { CannotAttach, type Facts, readFacts } from './facts.ts';
import type { Host } from './host.ts';
import { ownSettings } from './own-settings.ts';
import { type Finding, prove } from './prove.ts';
import { readRecord, recordFile } from './record.ts';
import {
  certificateLines,
  challengeLines,
  countingLines,
  laterPasteLines,
  pasteLines,
  report,
  upstreamPasteLines,
  withoutRule,
} from './report.ts';
import { refuseUnusable } from './requirements.ts';
import { ServiceCommand } from './service-command.ts';
import {
  Made,
  packagedUnit,
  paths,
  restartWithSocket,
  type Step,
  settingsOfService,
  stepsOf,
  succeed,
} from './steps.ts';
import { haproxySocket, noTlsOfItsOwn, polkitRule } from './texts.ts';
import { WaitingReport } from './waiting-report.ts';

export interface AttachOptions {
  /** Only reports. */
  readonly dryRun: boolean;
  /** Which HAProxy is meant, if several run. */
  readonly configFile: string | null;
  /** Null: as it was attached before. */
  readonly reloadBy: ReloadBy | null;
  readonly openFrontEnds: readonly string[] | null;
  /** Import lists, and restart or reload HAProxy, without asking. */
  readonly yes: boolean;
  /** Prints the lines for upstreams in any case. */
  readonly upstreams: boolean;
  /** The folder of the program. */
  readonly root: string;
}

export interface Operator {
  print(...lines: readonly string[]): Promise<void>;
  /** Whether there is a terminal for questions. */
  readonly canAsk: boolean;
  ask(question: string): Promise<boolean>;
}

/** `open`: the printed steps are left to the operator. */
type AttachOutcome = 'proved' | 'open';

const pollMs = 1_000;

/**
 * @throws CannotAttach, UnreadableConfiguration, SettingsError, with what to do; a second run continues where this one
 * ended
 */
export async function attach(host: Host, operator: Operator, options: AttachOptions): Promise<AttachOutcome> {
  return await new Attaching({ host, operator, options }).run();
}

interface AttachingDeps {
  readonly host: Host;
  readonly operator: Operator;
  readonly options: AttachOptions;
}

class Attaching {
  readonly #deps: AttachingDeps;

  constructor(deps: AttachingDeps) {
    this.#deps = deps;
  }

  async run(): Promise<AttachOutcome> {
    const host = this.#deps.host;
    const { root, configFile } = this.#deps.options;
    const packaged = await packagedUnit(host, root);
    await refuseUnusable(host, root, packaged);
    const present = (await host.readText(paths.serviceDropIn)) ?? 'Environment=PROXY_MANAGER_ATTACHED=true';
    // The drop-in of an earlier version does not have the second.
    const before = await ownSettings(host, [packaged, noTlsOfItsOwn, present]);
    const facts = await readFacts(host, configFile, before);
    const reloadBy = this.#deps.options.reloadBy ?? before.reloadBy;
    const openFrontEnds = this.#deps.options.openFrontEnds ?? before.openFrontEnds;
    refuseUnknownNames(facts, this.#deps.options.openFrontEnds ?? []);
    const dropIn = settingsOfService(facts, { root, reloadBy, openFrontEnds });
    const settings = await ownSettings(host, [packaged, dropIn]);
    await this.#deps.operator.print(...report(facts, settings.openFrontEnds));
    await this.#refuseManaged();
    refuseWithoutSocket(facts, packaged);
    const made = new Made(host, await readRecord(host));
    const steps = stepsOf({
      host,
      facts,
      root,
      packaged,
      dropIn,
      lists: [settings.blockedMap, settings.trustedMap],
      made,
    });
    if (this.#deps.options.dryRun) return await this.#dryRun(facts, settings, steps, made);
    await made.configuration(facts.configuration);
    await this.#make(steps, settings.reloadBy);
    const service = new ServiceCommand({ host, root, settings });
    await this.#importLists(facts, made, service);
    await this.#deps.operator.print(
      ...upstreamPasteLines(facts, this.#deps.options.upstreams, settings),
      ...certificateLines(facts.texts, settings.tlsDir),
      ...challengeLines(facts.texts, settings.acmeChallengesMap),
      ...countingLines(facts, settings.insight),
    );
    const pasted = await this.#rulesPasted(facts, settings);
    if (!(await this.#inForce(pasted, service, made))) return 'open';
    return await this.#proveAll(pasted, { settings, service, made });
  }

  async #dryRun(facts: Facts, settings: Settings, steps: readonly Step[], made: Made): Promise<AttachOutcome> {
    const would: string[] = [];
    for (const step of steps) if (!(await step.isDone())) would.push(`  ${step.plan}`);
    for (const { file } of listsToImport(facts, made)) would.push(`  import ${file}, after asking`);
    if (!facts.socket.usable) would.push(`  restart ${facts.proxy.unit} once, to open its master socket, after asking`);
    const { reloadBy } = settings;
    const lacking = withoutRule(facts.frontEnds, settings.openFrontEnds);
    await this.#deps.operator.print(
      '',
      ...(would.length === 0 ? ['Nothing is left to do.'] : ['attach would', ...would]),
      ...facts.missingLists.map(
        (list) =>
          `The configuration names ${list}, which does not exist, so HAProxy cannot reload or restart. Run attach now, which creates it, or remove the lines that name it.`,
      ),
      ...laterPasteLines(lacking, settings),
      ...upstreamPasteLines(facts, this.#deps.options.upstreams, settings),
      ...certificateLines(facts.texts, settings.tlsDir),
      ...challengeLines(facts.texts, settings.acmeChallengesMap),
      ...countingLines(facts, settings.insight),
      ...(reloadBy.kind === 'systemd' ? polkitLines(reloadBy.unit) : []),
      '',
      'This was a dry run: nothing was changed.',
    );
    return would.length === 0 && lacking.length === 0 ? 'proved' : 'open';
  }

  /** A service that runs its own HAProxy would lose it. */
  async #refuseManaged(): Promise<void> {
    if ((await this.#deps.host.readText(paths.serviceDropIn)) !== null) return;
    const { files } = await readRecord(this.#deps.host);
    if (!(await this.#deps.host.exists(paths.unit)) || paths.unit in files) return;
    throw new CannotAttach(
      `${paths.unit} already exists and belongs to a service that runs its own HAProxy; see docs/attach.md, “From sites and templates”`,
    );
  }

  async #make(steps: readonly Step[], reloadBy: ReloadBy): Promise<void> {
    for (const step of steps) {
      if (await step.isDone()) continue;
      await step.apply();
      await this.#deps.operator.print(step.done);
    }
    if (reloadBy.kind === 'systemd') await this.#deps.operator.print(...polkitLines(reloadBy.unit));
  }

  async #importLists(facts: Facts, made: Made, service: ServiceCommand): Promise<void> {
    for (const { file, place } of facts.oldRules.filter((rule) => !rule.file.startsWith('/'))) {
      await this.#deps.operator.print(
        `not imported: ${file}, denied at ${place}: attach imports only lists with a full path`,
      );
    }
    for (const { file, place, denies } of facts.oldRules) {
      if (denies === 'some' || !made.record.imported.includes(file)) continue;
      await this.#deps.operator.print(
        `not imported again: ${file}, denied at ${place}: it was imported before. To import it again, remove it from ${recordFile} and run attach again`,
      );
    }
    for (const { file, place, denies } of listsToImport(facts, made)) {
      const text = await this.#deps.host.readText(file);
      if (text === null) {
        await this.#deps.operator.print(`not imported: ${file}, denied at ${place}: there is no such file`);
        continue;
      }
      const question = `${place} denies the addresses in ${file}. Import them, so that every front end denies them?`;
      if (!this.#deps.options.yes && !(this.#deps.operator.canAsk && (await this.#deps.operator.ask(question)))) {
        await this.#deps.operator.print(
          `not imported: ${file}, denied at ${place}; proxy-manager attach --yes imports it`,
        );
        continue;
      }
      const { output, isComplete } = await service.importList(deniedKeys(text, denies), `imported from ${file}`);
      // Rejected lines are not blocked; another run retries them.
      if (isComplete) await made.imported(file);
      // The last check covers what the workers loaded.
      const shown = isComplete ? output.split('\n').slice(0, 1) : output.split('\n');
      await this.#deps.operator.print(
        `imported ${file}, denied at ${place}:`,
        ...shown.map((line) => `  ${line}`),
        ...(isComplete ? [stillDenies(file, place)] : []),
      );
    }
    for (const { file, place } of facts.oldRules.filter(
      (rule) => rule.denies === 'some' && rule.file.startsWith('/'),
    )) {
      await this.#deps.operator.print(
        `not imported: ${file}, denied at ${place}, but only under further conditions. To deny its addresses in every front end: proxy-manager import ${file}. To exempt some of them first: proxy-manager trust add ADDRESS...`,
      );
    }
  }

  /** On a terminal, waits until each front end has the rule; otherwise lists those without it. */
  async #rulesPasted(facts: Facts, settings: Settings): Promise<Facts> {
    const { openFrontEnds } = settings;
    let now = facts;
    let lacking = withoutRule(now.frontEnds, openFrontEnds);
    if (lacking.length === 0) return now;
    await this.#deps.operator.print(...pasteLines(lacking, settings), '');
    if (!this.#deps.operator.canAsk) return now;
    const waiting = new WaitingReport(settings, openFrontEnds);
    await this.#deps.operator.print(
      ...waiting.next(now),
      'Waiting for the lines. Ctrl-C stops attach; run it again to continue.',
    );
    let lastError: string | null = null;
    while (lacking.length > 0) {
      await sleep(pollMs);
      try {
        now = await readFacts(this.#deps.host, this.#deps.options.configFile, settings);
        lastError = null;
      } catch (error) {
        // A file being saved, or a HAProxy being restarted, is read again the next time.
        if (!(error instanceof UnreadableConfiguration || error instanceof CannotAttach)) throw error;
        if (error.message !== lastError) await this.#deps.operator.print(`still waiting: ${error.message}`);
        lastError = error.message;
        continue;
      }
      await this.#deps.operator.print(...waiting.next(now));
      lacking = withoutRule(now.frontEnds, openFrontEnds);
    }
    return now;
  }

  /** @returns whether HAProxy runs the configuration that was read, as far as the operator allowed */
  async #inForce(facts: Facts, service: ServiceCommand, made: Made): Promise<boolean> {
    const { proxy, files, socket } = facts;
    const health = await service.health();
    const isLoaded =
      health.attached !== null && health.attached.changed_since_load === false && health.workers.current?.whole;
    if (socket.usable && isLoaded === true) return true;
    const { valid, output } = await checkConfiguration(proxy.exe, files, {
      folder: await workFolderOfProxy({ ...proxy.arguments, pid: proxy.pid }),
    });
    if (!valid) {
      await this.#deps.operator.print(
        'HAProxy rejects the current configuration, so it was not loaded:',
        output.trim(),
      );
      return false;
    }
    if (!facts.frontEnds.some(({ hasRule }) => hasRule)) {
      await this.#deps.operator.print('No front end has the rule yet: paste the lines, and run this again.');
      return false;
    }
    const verb = socket.usable ? 'reload' : 'restart';
    const why = socket.usable
      ? 'HAProxy has not loaded the current configuration'
      : 'HAProxy must be restarted once to open its master socket; this closes its connections';
    const command = proxy.unit === null ? `kill -USR2 ${proxy.pid}` : `systemctl ${verb} ${proxy.unit}`;
    const { yes } = this.#deps.options;
    if (!yes && !(this.#deps.operator.canAsk && (await this.#deps.operator.ask(`${why}: ${command}. Do it now?`)))) {
      await this.#deps.operator.print(`${why}: ${command}. Then run this again.`);
      return false;
    }
    if (proxy.unit === null) {
      // The answer to the question may have taken a day.
      if (!(await processAlive(proxy.pid, proxy.startTime)))
        throw new CannotAttach(`HAProxy ${proxy.pid} has ended: run this again`);
      process.kill(proxy.pid, 'SIGUSR2');
    } else {
      await succeed(this.#deps.host, 'systemctl', 'daemon-reload');
      if (verb === 'restart') await restartWithSocket(this.#deps.host, proxy.unit, made);
      else await succeed(this.#deps.host, 'systemctl', verb, proxy.unit);
    }
    await this.#deps.operator.print(`${socket.usable ? 'asked HAProxy to reload' : 'restarted HAProxy'} (${command})`);
    return true;
  }

  async #proveAll(
    facts: Facts,
    {
      settings: { openFrontEnds },
      service,
      made,
    }: { readonly settings: Settings; readonly service: ServiceCommand; readonly made: Made },
  ): Promise<AttachOutcome> {
    const health = await service.healthOnce(
      ({ status, attached }) => status === 'ok' && attached?.changed_since_load === false,
    );
    const findings: Finding[] = [];
    for (const frontEnd of facts.frontEnds.filter(({ hasRule }) => hasRule)) {
      const { finding, says } = await prove(frontEnd, service);
      findings.push(finding);
      await this.#deps.operator.print(says);
    }
    // A front end that cannot be reached from here proves nothing, but is not a failure either; it was reported.
    const isProved = findings.includes('proved') && !findings.includes('disproved');
    const outcome: AttachOutcome =
      isProved && withoutRule(facts.frontEnds, openFrontEnds).length === 0 ? 'proved' : 'open';
    const reasons = health.reasons.map((reason) => `  - ${reason}`);
    await this.#deps.operator.print(
      ...(health.status === 'ok'
        ? ['Attached: proxy-manager status is ok.']
        : [`proxy-manager status is ${health.status}:`, ...reasons]),
      ...facts.oldRules
        .filter(({ file }) => made.record.imported.includes(file))
        .map(({ file, place }) => stillDenies(file, place)),
    );
    return health.status === 'ok' ? outcome : 'open';
  }
}

/** An imported list has two rules: `check`, `unblock` and `trust` concern only the service's own. */
function stillDenies(file: string, place: string): string {
  return `${place} still denies the addresses in ${file} by itself, also after unblock or trust add. Remove that rule when attach is done.`;
}

/** @throws CannotAttach */
function refuseUnknownNames({ frontEnds }: Facts, open: readonly string[]): void {
  const unknown = open.filter((name) => !frontEnds.some((one) => one.name === name));
  if (unknown.length === 0) return;
  const names = frontEnds.map(({ name }) => name).join(', ');
  throw new CannotAttach(`--open ${unknown.join(',')}: there is no such front end; there are ${names}`);
}

/** If the service cannot see the socket, or it does not exist and no drop-in can create it. */
function refuseWithoutSocket({ proxy: { unit }, socket }: Facts, packaged: string): void {
  if (/^PrivateTmp=yes$/m.test(packaged) && /^\/(tmp|var\/tmp)\//.test(socket.path)) {
    throw new CannotAttach(
      `the master socket of HAProxy is ${socket.path}, which the service cannot see, because its unit has a private /tmp: start HAProxy with -S /run/haproxy-master.sock`,
    );
  }
  if (socket.usable || (unit !== null && socket.extraOptions !== null)) return;
  const option = `-S ${haproxySocket(socket.path)}`;
  throw new CannotAttach(
    unit === null
      ? `HAProxy was not started by systemd: start it with ${option}, and run this again`
      : `${unit} starts HAProxy without $EXTRAOPTS, or with quotes or variables in it, so the socket cannot be added by a drop-in: add ${option} to what it starts (systemctl edit ${unit}), restart it, and run this again`,
  );
}

/** Lists that a rule denies, except those imported before: what was unblocked since stays unblocked. */
function listsToImport({ oldRules }: Facts, made: Made): Facts['oldRules'] {
  const { imported } = made.record;
  const whole = oldRules.filter(({ file, denies }) => denies !== 'some' && file.startsWith('/'));
  return whole.filter(({ file }, index) => {
    return whole.findIndex((rule) => rule.file === file) === index && !imported.includes(file);
  });
}

/**
 * The first word of each line that the rule denies; the others are left empty, so that a message names the right line.
 */
function deniedKeys(text: string, denies: 'keys' | 'values' | 'some'): string {
  const keys = text.split('\n').map((line) => {
    const [key = '', value = ''] = line.trim().split(/[ \t]+/);
    const isDenied = denies === 'keys' || Number.parseInt(value, 10) > 0;
    return line.startsWith('#') || !isDenied ? '' : key;
  });
  return keys.join('\n');
}

function polkitLines(unit: string): string[] {
  return [
    '',
    `So that the service may ask systemd for a reload of ${unit}, /etc/polkit-1/rules.d/50-proxy-manager.rules:`,
    '',
    ...polkitRule(unit).map((line) => `    ${line}`),
  ];
}
