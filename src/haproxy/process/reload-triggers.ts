// The three ways to request a reload: `reload` on the master socket, SIGUSR2, and the systemd unit. None proves that
// one took place; see reloader.ts.
import { execFile } from 'node:child_process';
import { type Deadline, type MasterSocket, MasterSocketError } from '../socket/master-socket.ts';
import { parseReload, type ReloadReply } from '../socket/replies.ts';
import { childEnvironment } from './child-environment.ts';

/**
 * Sends `reload` on its reserved slot. 'silent' (2.6, or a dropped command) proves nothing: check for a new worker's
 * pid. Rejects with MasterSocketError; during a reload that is 'refused' or 'reset', and the request was not queued.
 */
export async function requestReload(socket: MasterSocket, deadline: Deadline): Promise<ReloadReply> {
  try {
    return parseReload(await socket.ask('reload', deadline, { reserved: true }));
  } catch (error) {
    if (error instanceof MasterSocketError && error.reason === 'no-reply') return { kind: 'silent' };
    throw error;
  }
}

/** Null: the signal was sent; otherwise why not. */
export function signalReload(master: number): string | null {
  try {
    process.kill(master, 'SIGUSR2');
    return null;
  } catch (error) {
    return `SIGUSR2 to the master ${master}: ${(error as Error).message}`;
  }
}

/** `denied`: it was not tried. `failed`: the unit's own reload failed, and HAProxy continues unchanged. */
type UnitReload =
  | { readonly kind: 'done' }
  | { readonly kind: 'denied' | 'failed' | 'unknown'; readonly detail: string };

const mostOutput = 64 * 1024;

/**
 * `systemctl reload UNIT`. The unit checks the configuration as root before it signals the master, which covers files
 * that only root may read. Users other than root need a polkit rule (docs/attach.md). Never throws.
 * @param timeLimitMs `unknown` when it did not end within this; it may continue
 */
export function reloadUnit(unit: string, timeLimitMs: number, program = 'systemctl'): Promise<UnitReload> {
  return new Promise((resolve) => {
    const limits = {
      timeout: Math.max(1, Math.ceil(timeLimitMs)),
      killSignal: 'SIGKILL' as const,
      maxBuffer: mostOutput,
      env: childEnvironment(),
      cwd: '/',
    };
    execFile(program, ['--no-ask-password', 'reload', '--', unit], limits, (error, stdout, stderr) => {
      if (error === null) return resolve({ kind: 'done' });
      const output = `${stderr}${stdout}`.trim();
      const command = `systemctl reload ${unit}`;
      if (error.killed === true) {
        resolve({ kind: 'unknown', detail: `${command} did not end within ${Math.ceil(timeLimitMs / 1_000)} s` });
      } else if (typeof error.code === 'string') {
        resolve({ kind: 'denied', detail: `${command} cannot be run: ${error.message}` });
      } else {
        // "Job for haproxy.service failed": only then was there a job.
        const kind = /^Job for /m.test(output) ? 'failed' : 'denied';
        resolve({ kind, detail: `${command}: ${causeOf(output, unit) ?? `exit code ${error.code}`}` });
      }
    });
  });
}

/** The second line only says where to read more. */
function causeOf(output: string, unit: string): string | null {
  const [cause = ''] = output.split('\n');
  if (cause === '') return null;
  return /authentication required|Access denied/i.test(cause)
    ? `${cause.replace(/\.$/, '')}. The user of this service needs the polkit rule that "proxy-manager attach --reload-by systemd:${unit}" prints.`
    : cause;
}
