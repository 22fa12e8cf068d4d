import { appendFile, readFile } from 'node:fs/promises';
import { eventually } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';

/** Another process edits the live configuration: harmlessly, or so that HAProxy would reject it. */
export const foreignConfigEdit: Fault = {
  name: 'foreign-config-edit',
  excuses: {},
  async strike(stack, random) {
    const { paths } = stack.service;
    const broken = random.integer(0, 1) === 0;
    const line = broken ? '\nfrontend broken\n  bind no-such-thing\n' : '\n# checked by an operator\n';
    await appendFile(paths.config, line);
    return {
      detail: broken ? 'a broken line' : 'a comment',
      async heal() {
        if (!broken) return;
        // As an operator would: a reload writes the configuration again.
        await eventually('a reload puts the configuration right', async () => {
          await stack.relaunch();
          await stack.service.call('POST', '/api/config/reload?replace_configuration=true');
          return !(await readFile(paths.config, 'utf8')).includes('no-such-thing');
        });
      },
    };
  },
};
