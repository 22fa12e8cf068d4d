// The tree of verbs. A run loads only the verb that was typed; help, completion and the manual page load all of them.
import { version } from '../version.ts';
import type { CommandLine } from './command-line.ts';
import { serviceOptions, Verb } from './verb.ts';

type Load = (cli: CommandLine) => Promise<Verb>;

const blocking = 'Blocking:';
const proxy = 'The proxy:';
const service = 'The service:';

/** In the order of the help. */
const verbs: Readonly<Record<string, { readonly group: string; readonly load: Load }>> = {
  block: {
    group: blocking,
    load: async (cli) => {
      const { block, blockVerb } = await import('./verbs/block.ts');
      return cli.asking(blockVerb(), block);
    },
  },
  unblock: {
    group: blocking,
    load: async (cli) => {
      const { unblock, unblockVerb } = await import('./verbs/unblock.ts');
      return cli.asking(unblockVerb(), unblock);
    },
  },
  list: {
    group: blocking,
    load: async (cli) => {
      const { list, listVerb } = await import('./verbs/list.ts');
      return cli.asking(listVerb(), list);
    },
  },
  check: {
    group: blocking,
    load: async (cli) => {
      const { check, checkVerb } = await import('./verbs/check.ts');
      return cli.asking(checkVerb(), check);
    },
  },
  import: {
    group: blocking,
    load: async (cli) => {
      const { importList, importVerb } = await import('./verbs/import.ts');
      return cli.asking(importVerb(), importList);
    },
  },
  export: {
    group: blocking,
    load: async (cli) => {
      const { exportList, exportVerb } = await import('./verbs/export.ts');
      return cli.asking(exportVerb(), exportList);
    },
  },
  trust: {
    group: blocking,
    load: async (cli) => {
      const { trustAdd, trustList, trustRemove, trustVerbs } = await import('./verbs/trust.ts');
      const { group, verbs } = trustVerbs();
      cli.asking(verbs.add, trustAdd);
      cli.asking(verbs.rm, trustRemove);
      cli.asking(verbs.ls, trustList);
      return group;
    },
  },
  status: {
    group: proxy,
    load: async (cli) => {
      const { status, statusVerb } = await import('./verbs/status.ts');
      return cli.asking(statusVerb(), status);
    },
  },
  sync: {
    group: proxy,
    load: async (cli) => {
      const { sync, syncVerb } = await import('./verbs/sync.ts');
      return cli.asking(syncVerb(), sync);
    },
  },
  reload: {
    group: proxy,
    load: async (cli) => {
      const { reload, reloadVerb } = await import('./verbs/reload.ts');
      return cli.asking(reloadVerb(), reload);
    },
  },
  site: {
    group: proxy,
    load: async (cli) => {
      const { siteList, siteRemove, siteSet, siteVerbs } = await import('./verbs/site.ts');
      const { group, verbs } = siteVerbs();
      cli.asking(verbs.set, siteSet);
      cli.asking(verbs.rm, siteRemove);
      cli.asking(verbs.ls, siteList);
      return group;
    },
  },
  config: {
    group: proxy,
    load: async (cli) => {
      const [config, { configShowVerb, configTemplateVerb }] = await Promise.all([
        import('./verbs/config.ts'),
        import('./local/settings-verbs.ts'),
      ]);
      const { group, verbs } = config.configVerbs();
      configShowVerb(cli, verbs.show);
      configTemplateVerb(cli, verbs.template);
      cli.asking(verbs.validate, config.validateConfig);
      cli.asking(verbs.diff, config.diffConfig);
      cli.asking(verbs.backups, config.listBackups);
      cli.asking(verbs.reloads, config.listReloads);
      cli.asking(verbs.restore, config.restoreConfig);
      return group;
    },
  },
  key: {
    group: service,
    load: async (cli) => {
      const { keyCreate, keyList, keyRevoke, keyVerbs } = await import('./verbs/key.ts');
      const { group, verbs } = keyVerbs();
      cli.asking(verbs.create, keyCreate);
      cli.asking(verbs.ls, keyList);
      cli.asking(verbs.revoke, keyRevoke);
      return group;
    },
  },
  webhook: {
    group: service,
    load: async (cli) => {
      const { webhookList, webhookRemove, webhookSet, webhookVerbs } = await import('./verbs/webhook.ts');
      const { group, verbs } = webhookVerbs();
      cli.asking(verbs.set, webhookSet);
      cli.asking(verbs.rm, webhookRemove);
      cli.asking(verbs.ls, webhookList);
      return group;
    },
  },
  audit: {
    group: service,
    load: async (cli) => {
      const { audit, auditVerb } = await import('./verbs/audit.ts');
      return cli.asking(auditVerb(), audit);
    },
  },
  attach: {
    group: service,
    load: async (cli) => (await import('./local/attach.ts')).attachVerb(cli),
  },
  detach: {
    group: service,
    load: async (cli) => (await import('./local/attach.ts')).detachVerb(cli),
  },
  serve: {
    group: service,
    load: async (cli) => (await import('./local/settings-verbs.ts')).serveVerb(cli),
  },
  'map-repair': {
    group: service,
    load: async (cli) => (await import('./local/settings-verbs.ts')).mapRepairVerb(cli),
  },
  completion: {
    group: service,
    load: async (cli) =>
      (await import('./completion/completion.ts')).completionVerb(cli, () => buildProgram(cli, null)),
  },
};

/** @param words what was typed; where its first word is a verb, only that verb is loaded */
export async function buildProgram(cli: CommandLine, words: readonly string[] | null): Promise<Verb> {
  const program = new Verb('proxy-manager', 'Runs a HAProxy for many sites and keeps its blocked addresses.')
    .usage('[options] <verb>')
    .version(version, '-V, --version', 'print the version')
    .enablePositionalOptions() as Verb;
  for (const option of serviceOptions()) program.addOption(option);
  const [typed] = words ?? [];
  const only = typed !== undefined && Object.hasOwn(verbs, typed) ? [typed] : Object.keys(verbs);
  for (const name of only) {
    const { group, load } = verbs[name]!;
    const verb = await load(cli);
    verb.helpGroup(group);
    program.addCommand(verb);
  }
  printTo(cli, program);
  return program;
}

/** Help and usage errors of commander go where everything else goes. */
function printTo(cli: CommandLine, verb: Verb): void {
  const { stdout, stderr } = cli.host;
  verb.configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: () => cli.output.columns,
    getErrHelpWidth: () => cli.output.columns,
  });
  for (const below of verb.commands) if (below instanceof Verb) printTo(cli, below);
}
