// What these verbs run is loaded on use: it is most of the program, and help and completion need none of it.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describeSettings, readSettings, type Settings, SettingsError, settingDefinitions } from '../../settings.ts';
import { decidesProxy, readSettingsForProxy } from '../../settings-for-proxy.ts';
import type { CommandLine } from '../command-line.ts';
import { Failure, usageError } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { optionsOf, outputFormat, outputOption, Verb } from '../verb.ts';

export function serveVerb(cli: CommandLine): Verb {
  const verb = withSettings(
    new Verb('serve', 'run the service; each setting is an environment variable or a flag').example(
      'serve --supervise',
      'in the foreground; starts HAProxy and keeps it running',
    ),
  );
  return verb.action(async () => {
    const settings = await settingsToServe(cli, verb);
    const { serve } = await import('./serve.ts');
    const served = await serve(settings);
    await served?.ended;
  });
}

/** @throws SettingsError, or StartFailed after starting HAProxy if it does not depend on the wrong setting */
async function settingsToServe(cli: CommandLine, verb: Verb): Promise<Settings> {
  try {
    return settingsOf(cli, verb);
  } catch (error) {
    if (!(error instanceof SettingsError) || decidesProxy(error.variable)) throw error;
    const settings = settingsOf(cli, verb, readSettingsForProxy);
    const { refusedBySettings } = await import('./serve.ts');
    throw await refusedBySettings(error, settings);
  }
}

export function mapRepairVerb(cli: CommandLine): Verb {
  const verb = withSettings(
    new Verb(
      'map-repair',
      'write the map files from the database while the service is stopped, so that HAProxy can start',
    ).example('map-repair', 'if a damaged map file keeps HAProxy from starting'),
  );
  return verb.action(async () => {
    const settings = settingsOf(cli, verb);
    const [{ guardLog }, { repairMaps }, { ManagerLog }] = await Promise.all([
      import('./guard-log.ts'),
      import('./map-repair.ts'),
      import('../../telemetry/log.ts'),
    ]);
    guardLog(settings);
    const { blocked, trusted } = await repairMaps(settings, new ManagerLog(settings.logFile, 2));
    await cli.output.lines([
      `${settings.blockedMap}: ${blocked} entries`,
      `${settings.trustedMap}: ${trusted} entries`,
    ]);
  });
}

export function configShowVerb(cli: CommandLine): Verb {
  const verb = new Verb('show', 'show the settings that a service started here would use, with secrets masked')
    .example('config show', 'the effective settings')
    .example('config show --supervise true', 'with a flag of serve')
    .addOption(outputOption());
  return withSettings(verb).action(async () => {
    const shown = describeSettings(settingsOf(cli, verb));
    const settings = Object.entries(shown).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]);
    if (outputFormat(optionsOf(verb)) === 'json') await cli.output.json(Object.fromEntries(settings));
    else await cli.output.lines(settings.map(([name, value]) => harmless(`${name} = ${value}`)));
  });
}

/** Never replaces a file: it may be a template with the operator's changes. */
export function configTemplateVerb(cli: CommandLine): Verb {
  const verb = new Verb('template', 'write the built-in template, to start your own from; works without the service')
    .argument('[file]', 'a new file; default standard output')
    .example('config template /etc/proxy-manager/proxy.cfg.liquid', 'then edit it and set PROXY_MANAGER_TEMPLATE')
    .example('config template', 'print it')
    .addOption(outputOption());
  return verb.action(async () => {
    const { url, ...options } = optionsOf(verb);
    if (url !== undefined) throw usageError(`${verb.path} calls no service and has no --url`);
    const { startingTemplate } = await import('../../configuration/template/starting-template.ts');
    const template = startingTemplate();
    const [file] = verb.processedArgs as (string | undefined)[];
    const inJson = outputFormat(options) === 'json';
    if (file === undefined || file === '-') {
      if (inJson) await cli.output.json({ template });
      else await cli.output.write(template);
      return;
    }
    await writeNew(file, template);
    if (inJson) await cli.output.json({ file });
    else cli.output.remark(harmless(`wrote ${file}: edit it, then set PROXY_MANAGER_TEMPLATE to its path`));
  });
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', flush: true });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists already; nothing was changed' : message;
    throw new Failure(`cannot write ${file}: ${why}`, { cause });
  }
}

function withSettings(verb: Verb): Verb {
  for (const { flag, variable, fallback, kind, help } of settingDefinitions) {
    if (flag === null) continue;
    const shown = fallback === '' ? '' : ` (default ${fallback})`;
    const spelling = kind === 'boolean' ? `--${flag} [true|false]` : `--${flag} <${kind}>`;
    verb.option(spelling, `${help}; ${variable}${shown}`);
  }
  return verb;
}

function settingsOf({ host }: CommandLine, verb: Verb, read = readSettings): Settings {
  const { url, output, ...options } = optionsOf(verb);
  if (url !== undefined) throw usageError(`${verb.path} calls no service and has no --url`);
  if (output === 'json' && verb.name() !== 'show') throw usageError(`${verb.path} has no --output`);
  const flags: Record<string, string | boolean | undefined> = {};
  for (const [name, value] of Object.entries(options)) {
    flags[name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)] = value as string | boolean;
  }
  return read(host.environment, flags, (path) => readFileSync(path, 'utf8'));
}
