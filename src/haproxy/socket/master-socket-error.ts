/** In ms of `performance.now()`. */
export type Deadline = number;

/** The time left, in the range of a timer. */
export function millisecondsUntil(deadline: Deadline): number {
  return Math.min(Math.max(0, deadline - performance.now()), 2 ** 31 - 1);
}

export type SocketFailureReason =
  /** Nothing at the path. */
  | 'missing'
  /** No process listens, or none accepts. Normal during a reload (docs/haproxy-notes.md). */
  | 'refused'
  | 'not-permitted'
  /** This process cannot open a connection: no file descriptor is left. Says nothing about HAProxy. */
  | 'exhausted'
  /** Owner or mode of the socket would let another process answer instead of HAProxy. */
  | 'unsafe'
  | 'reset'
  /** End of file with zero bytes: the command was dropped, or a reload closed the connection. Never a success. */
  | 'no-reply'
  /** End of file before every reply was complete. */
  | 'cut-short'
  /** Deadline exceeded. The outcome of what was sent is unknown. */
  | 'deadline'
  /** Bytes that no proxy sends: more than was requested, or an endless line or reply. */
  | 'garbled';

/** How the socket fails during a reload (for 0.05 s, 0.5 s at a million entries). */
const reloadSigns: ReadonlySet<SocketFailureReason> = new Set(['refused', 'reset', 'no-reply', 'cut-short']);

export function mayBeReload(reason: SocketFailureReason): boolean {
  return reloadSigns.has(reason);
}

const explanations: Record<SocketFailureReason, string> = {
  missing: 'there is no socket at this path',
  refused: 'connection refused (a reload under way, or HAProxy is not running)',
  'not-permitted':
    'the user of this service may not write to it (to allow a group, start HAProxy with -S PATH,mode,660,group,GROUP)',
  exhausted: 'this service cannot open another connection (no file descriptor is left)',
  unsafe: 'its owner or mode would let another process answer instead of HAProxy',
  reset: 'the connection was reset; the outcome is unknown',
  'no-reply': 'the connection was closed without a single byte of reply; the outcome is unknown',
  'cut-short': 'the connection was closed before every reply was complete',
  deadline: 'no complete reply before the deadline; the outcome is unknown',
  garbled: 'the reply is not one that HAProxy sends',
};

interface MasterSocketFailure {
  readonly path: string;
  /** The first command without a complete reply; empty when none was sent. */
  readonly command: string;
  /** The bodies of the complete replies, in the order of the commands. */
  readonly responses?: readonly string[];
  /** Received of the incomplete reply. */
  readonly partial?: string;
  readonly detail?: string;
  readonly cause?: unknown;
}

const SHOWN_COMMAND = 200;

export class MasterSocketError extends Error {
  override readonly name = 'MasterSocketError';
  readonly reason: SocketFailureReason;
  readonly path: string;
  readonly command: string;
  readonly responses: readonly string[];
  readonly partial: string;
  /** The message without the words "master socket": path, command, and what happened. */
  readonly detail: string;

  constructor(reason: SocketFailureReason, failure: MasterSocketFailure) {
    const command = failure.command.slice(0, SHOWN_COMMAND).trimEnd();
    const about = command === '' ? '' : ` (${command})`;
    const detail = `${failure.path}${about}: ${failure.detail ?? explanations[reason]}`;
    super(`master socket ${detail}`, { cause: failure.cause });
    this.detail = detail;
    this.reason = reason;
    this.path = failure.path;
    this.command = command;
    this.responses = failure.responses ?? [];
    this.partial = failure.partial ?? '';
  }
}

const reasonOfCode: Readonly<Record<string, SocketFailureReason>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ECONNREFUSED: 'refused',
  // The accept queue is full: ten connections are taken, and the master accepts no more.
  EAGAIN: 'refused',
  // A file or a datagram socket at the path.
  ENOTSOCK: 'refused',
  EPROTOTYPE: 'refused',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
};

/** The reason for an error of `node:net`; an unlisted one is a refusal before the connection, a reset after it. */
export function socketFailureReason(error: NodeJS.ErrnoException, connected: boolean): SocketFailureReason {
  return reasonOfCode[error.code ?? ''] ?? (connected ? 'reset' : 'refused');
}
