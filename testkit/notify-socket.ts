// systemd's NOTIFY_SOCKET, in Perl, because Node has no datagram sockets.
import { spawn, spawnSync } from 'node:child_process';
import { eventually } from './conditions.ts';

const program = `
use Socket; $| = 1;
socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die; bind($s, sockaddr_un($ARGV[0])) or die "$!"; print "bound\\n";
while (defined recv($s, my $m, 4096, 0)) { print "$m\\n" }`;

export interface NotifySocket {
  readonly path: string;
  /** Everything sent so far. */
  lines(): string[];
  close(): Promise<void>;
}

/** What this machine lacks; null: nothing. */
export function missingForNotifySocket(): string | null {
  for (const [word, ...words] of [
    ['systemd-notify', '--version'],
    ['perl', '-MSocket', '-e', '1'],
  ] as const) {
    if (spawnSync(word, words).status !== 0) return `needs ${word}`;
  }
  return null;
}

export async function openNotifySocket(path: string): Promise<NotifySocket> {
  const child = spawn('perl', ['-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  await eventually('the socket is bound', () => text.startsWith('bound\n'));
  return {
    path,
    lines: () => text.split('\n').slice(1, -1),
    close: async () => {
      child.kill('SIGKILL');
      await eventually('it is gone', () => child.exitCode !== null || child.signalCode !== null);
    },
  };
}
