// `completion`: a script for the shell, made from the tree of verbs.
import type { CommandLine } from '../command-line.ts';
import { treeOf } from '../tree.ts';
import { Verb } from '../verb.ts';
import { bashScript } from './bash.ts';
import { zshScript } from './zsh.ts';

/** @param program the whole tree of verbs */
export function completionVerb(cli: CommandLine, program: () => Promise<Verb>): Verb {
  const group = new Verb('completion', 'print a script that completes verbs and options in a shell');
  const shells = {
    bash: new Verb('bash', 'for bash')
      .example('completion bash > /etc/bash_completion.d/proxy-manager', 'for everybody')
      .example('completion bash', 'for this shell: eval "$(proxy-manager completion bash)"'),
    zsh: new Verb('zsh', 'for zsh').example('completion zsh > "$fpath[1]/_proxy-manager"', 'for the next shell'),
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
