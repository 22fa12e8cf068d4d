import type { CommandLine } from '../command-line.ts';
import { treeOf } from '../tree.ts';
import { Verb } from '../verb.ts';
import { bashScript } from './bash.ts';
import { zshScript } from './zsh.ts';

export function completionVerb(cli: CommandLine, program: () => Promise<Verb>): Verb {
  const group = new Verb('completion', 'print a shell completion script');
  const shells = {
    bash: new Verb('bash', 'for bash')
      .example('completion bash > /etc/bash_completion.d/proxy-manager', 'for all users')
      .example('completion bash', 'for the current shell: eval "$(proxy-manager completion bash)"'),
    zsh: new Verb('zsh', 'for zsh').example('completion zsh > "$fpath[1]/_proxy-manager"', 'for new shells'),
  };
  for (const [shell, verb] of Object.entries(shells)) {
    const script = shell === 'bash' ? bashScript : zshScript;
    verb.action(async () => {
      await cli.output.write(script(treeOf(await program())));
    });
    group.addCommand(verb);
  }
  return group;
}
