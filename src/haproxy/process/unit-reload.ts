// `systemctl reload UNIT`. The unit checks the configuration as root before it signals the master, so that also files
// that only root may read are checked. A user that is not root needs a rule of polkit for it (docs/attach.md).
import { execFile } from 'node:child_process';
import { childEnvironment } from './child-environment.ts';

/** `denied`: it was not tried. `failed`: the unit's own reload failed, and HAProxy goes on as it was. */
export type UnitReload =
  | { readonly kind: 'done' }
  | { readonly kind: 'denied' | 'failed' | 'unknown'; readonly detail: string };

const mostOutput = 64 * 1024;

/**
 * Returns when the unit's reload has ended, or could not be asked for. Never throws.
 * @param patienceMs `unknown` when it did not end within this; it may go on
 */
export function reloadUnit(unit: string, patienceMs: number, program = 'systemctl'): Promise<UnitReload> {
  return new Promise((resolve) => {
    const limits = {
      timeout: Math.max(1, Math.ceil(patienceMs)),
      killSignal: 'SIGKILL' as const,
      maxBuffer: mostOutput,
      env: childEnvironment(),
      cwd: '/',
    };
    execFile(program, ['--no-ask-password', 'reload', '--', unit], limits, (error, stdout, stderr) => {
      if (error === null) return resolve({ kind: 'done' });
      const said = `${stderr}${stdout}`.trim();
      const command = `systemctl reload ${unit}`;
      if (error.killed === true) {
        resolve({ kind: 'unknown', detail: `${command} did not end within ${Math.ceil(patienceMs / 1_000)} s` });
      } else if (typeof error.code === 'string') {
        resolve({ kind: 'denied', detail: `${command} cannot be run: ${error.message}` });
      } else {
        // Of a job that ran systemctl says "Job for haproxy.service failed"; of all else, that there was none.
        const kind = /^Job for /m.test(said) ? 'failed' : 'denied';
        resolve({ kind, detail: `${command}: ${said === '' ? `exit code ${error.code}` : said}` });
      }
    });
  });
}
