// The command line: which verb, with which settings. The composition root of the service is `service/service.ts`.

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { guardLog } from './cli/guard-log.ts';
import { repairMaps } from './cli/map-repair.ts';
import { serve } from './cli/serve.ts';
import { UnknownCrashPoint } from './faults/crash-point.ts';
import { describeSettings, readSettings, type Settings, SettingsError, settingDefinitions } from './settings.ts';
import { causeText, ManagerLog } from './telemetry/log.ts';
import { version } from './version.ts';

const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

function withSettings(command: Command): Command {
  for (const { flag, variable, fallback, kind, help } of settingDefinitions) {
    if (flag === null) continue;
    const shown = fallback === '' ? '' : ` (default ${fallback})`;
    const spelling = kind === 'boolean' ? `--${flag} [true|false]` : `--${flag} <${kind}>`;
    command.option(spelling, `${help}; ${variable}${shown}`);
  }
  return command;
}

function settingsOf(options: Record<string, string | boolean | undefined>): Settings {
  const flags: Record<string, string | boolean | undefined> = {};
  for (const [name, value] of Object.entries(options)) {
    flags[name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)] = value;
  }
  return readSettings(process.env, flags, (path) => readFileSync(path, 'utf8'));
}

const program = new Command('proxy-manager')
  .description('Runs a HAProxy for many sites and keeps its blocked addresses.')
  .version(version)
  // What came with a flag that does not exist is not shown: it may be the key (`--api-key=...`).
  .configureOutput({ outputError: (text, write) => write(text.replace(/(unknown option '[^'=]*)=.*'/s, "$1'")) })
  .exitOverride()
  .showHelpAfterError();

withSettings(program.command('serve').description('run the service; every setting may be a variable or a flag')).action(
  async (options) => {
    const served = await serve(settingsOf(options));
    await served?.ended;
  },
);

withSettings(
  program
    .command('map-repair')
    .description("write the map files from the database, for use before HAProxy's own start; not beside the service"),
).action(async (options) => {
  const settings = settingsOf(options);
  guardLog(settings);
  const { blocked, trusted } = await repairMaps(settings, new ManagerLog(settings.logFile, 2));
  process.stdout.write(`${settings.blockedMap}: ${blocked} entries\n${settings.trustedMap}: ${trusted} entries\n`);
});

const config = program.command('config').description('the settings');
withSettings(config.command('show').description('the effective settings, secrets masked')).action((options) => {
  for (const [name, value] of Object.entries(describeSettings(settingsOf(options)))) {
    process.stdout.write(`${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} = ${value}\n`);
  }
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  } else {
    process.stderr.write(`proxy-manager: ${causeText(error)}\n`);
    const usage = error instanceof SettingsError || error instanceof UnknownCrashPoint;
    process.exitCode = usage ? exitCodes.usage : exitCodes.failed;
  }
}
