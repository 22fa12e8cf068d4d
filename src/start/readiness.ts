// Notifies systemd that the service is ready (`Type=notify`), so that units ordered after it, and `systemctl start`,
// wait for the API. By systemd-notify: Node has no Unix datagram sockets.
import { spawn } from 'node:child_process';
import { causeText, type Log } from '../telemetry/log.ts';

const longestMs = 10_000;

/**
 * Does nothing without NOTIFY_SOCKET. A failure is logged: the service works, and systemd waits until its own time-out.
 * @param url where the API listens; `systemctl status` shows it
 */
export async function notifyReady(
  url: string,
  log: Log,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  const { NOTIFY_SOCKET: socket, PATH } = environment;
  if (socket === undefined || socket === '') return;
  try {
    await run({ NOTIFY_SOCKET: socket, PATH }, ['--ready', `--status=The API listens on ${url}`]);
  } catch (error) {
    log.error('systemd could not be notified that the service is ready', { cause: causeText(error) });
  }
}

function run(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('systemd-notify', words, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: longestMs });
    let output = '';
    child.once('error', (cause) => reject(new Error(`systemd-notify cannot be run: ${cause.message}`, { cause })));
    // Without a free file descriptor there are no pipes, whatever the types say; the error follows.
    (child.stderr as typeof child.stderr | undefined)?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(0, 1_000);
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`systemd-notify ended with ${signal ?? code}: ${output.trim()}`));
    });
  });
}
