// A run loads only the verb that was typed; help, completion and the manual page load all of them.
import { version } from '../version.ts';
import type { CommandLine } from './command-line.ts';
import { serviceOptions, Verb } from './verb.ts';

type MakeVerb = (cli: CommandLine) => Verb;

const blocking = 'Blocking:';
const proxy = 'HAProxy:';
const service = 'The service:';

/** In the order of the help. */
const verbs: Readonly<Record<string, { readonly group: string; readonly load: () => Promise<MakeVerb> }>> = {
  block: { group: blocking, load: async () => (await import('./verbs/block.ts')).blockVerb },
  unblock: { group: blocking, load: async () => (await import('./verbs/unblock.ts')).unblockVerb },
  undo: { group: blocking, load: async () => (await import('./verbs/undo.ts')).undoVerb },
  list: { group: blocking, load: async () => (await import('./verbs/list.ts')).listVerb },
  check: { group: blocking, load: async () => (await import('./verbs/check.ts')).checkVerb },
  import: { group: blocking, load: async () => (await import('./verbs/import.ts')).importVerb },
  export: { group: blocking, load: async () => (await import('./verbs/export.ts')).exportVerb },
  source: { group: blocking, load: async () => (await import('./verbs/source.ts')).sourceVerb },
  top: { group: blocking, load: async () => (await import('./verbs/top.ts')).topVerb },
  stats: { group: blocking, load: async () => (await import('./verbs/stats.ts')).statsVerb },
  candidates: { group: blocking, load: async () => (await import('./verbs/candidates.ts')).candidatesVerb },
  trust: { group: blocking, load: async () => (await import('./verbs/trust.ts')).trustVerb },
  status: { group: proxy, load: async () => (await import('./verbs/status.ts')).statusVerb },
  sync: { group: proxy, load: async () => (await import('./verbs/sync.ts')).syncVerb },
  reload: { group: proxy, load: async () => (await import('./verbs/reload.ts')).reloadVerb },
  upstream: { group: proxy, load: async () => (await import('./verbs/upstream.ts')).upstreamVerb },
  site: { group: proxy, load: async () => (await import('./verbs/site.ts')).siteVerb },
  certificate: { group: proxy, load: async () => (await import('./verbs/certificate.ts')).certificateVerb },
  config: {
    group: proxy,
    load: async () => {
      const [{ configVerb }, { configShowVerb, configTemplateVerb }] = await Promise.all([
        import('./verbs/config.ts'),
        import('./local/settings-verbs.ts'),
      ]);
      return (cli) => configVerb(cli, [configShowVerb(cli), configTemplateVerb(cli)]);
    },
  },
  key: { group: service, load: async () => (await import('./verbs/key.ts')).keyVerb },
  webhook: { group: service, load: async () => (await import('./verbs/webhook.ts')).webhookVerb },
  audit: { group: service, load: async () => (await import('./verbs/audit.ts')).auditVerb },
  attach: { group: service, load: async () => (await import('./local/attach.ts')).attachVerb },
  detach: { group: service, load: async () => (await import('./local/attach.ts')).detachVerb },
  serve: { group: service, load: async () => (await import('./local/settings-verbs.ts')).serveVerb },
  'map-repair': { group: service, load: async () => (await import('./local/settings-verbs.ts')).mapRepairVerb },
  completion: {
    group: service,
    load: async () => {
      const { completionVerb } = await import('./completion/completion.ts');
      return (cli) => completionVerb(cli, () => buildProgram(cli, null));
    },
  },
};

export async function buildProgram(cli: CommandLine, words: readonly string[] | null): Promise<Verb> {
  const program = new Verb('proxy-manager', 'Runs HAProxy for many sites and maintains its list of blocked addresses.')
    .usage('[options] <verb>')
    .version(version, '-V, --version', 'print the version')
    .enablePositionalOptions();
  for (const option of serviceOptions()) program.addOption(option);
  const [typed] = words ?? [];
  const names = typed !== undefined && Object.hasOwn(verbs, typed) ? [typed] : Object.keys(verbs);
  for (const name of names) {
    const { group, load } = verbs[name]!;
    program.addCommand((await load())(cli).helpGroup(group));
  }
  printTo(cli, program);
  return program;
}

/** Sends commander's help and usage errors to the host's streams. */
function printTo(cli: CommandLine, verb: Verb): void {
  const { stdout, stderr } = cli.host;
  verb.configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: () => cli.output.columns,
    getErrHelpWidth: () => cli.output.columns,
  });
  for (const child of verb.commands) if (child instanceof Verb) printTo(cli, child);
}
