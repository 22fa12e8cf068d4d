// The verbs that are the service, or work where it does: `serve`, `map-repair`, `config show`, `config template`. What
// they run is loaded when they run: it is most of the program, and the other verbs need none of it.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describeSettings, readSettings, type Settings, SettingsError, settingDefinitions } from '../../settings.ts';
import { decidesProxy, readSettingsForProxy } from '../../settings-for-proxy.ts';
import type { CommandLine } from '../command-line.ts';
import { Failure, misused } from '../failure.ts';
import { harmless } from '../output/harmless.ts';
import { optionsOf, outputFormat, outputOption, Verb } from '../verb.ts';

export function serveVerb(cli: CommandLine): Verb {
  const verb = withSettings(
    new Verb('serve', 'run the service; every setting may be a variable or a flag').example(
      'serve --supervise',
      'in the foreground; starts the proxy and keeps it running',
    ),
  );
  return verb.action(async () => {
    const settings = await settingsToServe(cli, verb);
    const { serve } = await import('./serve.ts');
    const served = await serve(settings);
    await served?.ended;
  }) as Verb;
}

/** @throws SettingsError, or StartFailed where the proxy does not need the wrong setting and was started */
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
      "write the map files from the database, for use before HAProxy's own start; not beside the service",
    ).example('map-repair', 'where a damaged map file keeps HAProxy from starting'),
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
  }) as Verb;
}

export function configShowVerb(cli: CommandLine, verb: Verb): Verb {
  verb.addOption(outputOption());
  return withSettings(verb).action(async () => {
    const shown = describeSettings(settingsOf(cli, verb));
    const settings = Object.entries(shown).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]);
    if (outputFormat(optionsOf(verb)) === 'json') await cli.output.json(Object.fromEntries(settings));
    else await cli.output.lines(settings.map(([name, value]) => harmless(`${name} = ${value}`)));
  }) as Verb;
}

/** To standard output, or to a file that must not be there yet: a template that was worked on is nobody's to lose. */
export function configTemplateVerb(cli: CommandLine, verb: Verb): Verb {
  verb.addOption(outputOption());
  return verb.action(async () => {
    const { url, ...options } = optionsOf(verb);
    if (url !== undefined) throw misused(`${verb.path} asks no service and takes no --url`);
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
    else cli.output.remark(harmless(`${file}: edit it, and name it in PROXY_MANAGER_TEMPLATE`));
  }) as Verb;
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', flush: true });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it is there already, and was left as it is' : message;
    throw new Failure(`${file} was not written: ${why}`, { cause });
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
  if (url !== undefined) throw misused(`${verb.path} asks no service and takes no --url`);
  if (output === 'json' && verb.name() !== 'show') throw misused(`${verb.path} takes no --output`);
  const flags: Record<string, string | boolean | undefined> = {};
  for (const [name, value] of Object.entries(options)) {
    flags[name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)] = value as string | boolean;
  }
  return read(host.environment, flags, (path) => readFileSync(path, 'utf8'));
}
