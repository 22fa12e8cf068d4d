// Every way in which a conversation with the master socket ends badly, by its literal reason.

/** A moment in milliseconds of `performance.now()`. */
export type Deadline = number;

/** What is left until then, in the range that a timer takes. */
export function millisecondsUntil(deadline: Deadline): number {
  return Math.min(Math.max(0, deadline - performance.now()), 2 ** 31 - 1);
}

export type SocketFailureReason =
  /** Nothing at the path. */
  | 'missing'
  /** Nobody listens, or nobody accepts. During a reload that is normal (docs/haproxy-notes.md). */
  | 'refused'
  /** The file system does not let us connect. */
  | 'not-permitted'
  /** We cannot open a connection: no file descriptor is left. Says nothing about the proxy. */
  | 'exhausted'
  /** Owner or mode of the socket would let others answer in the proxy's place. */
  | 'unsafe'
  /** The connection was reset. */
  | 'reset'
  /** End of file with zero bytes: the command was dropped, or a reload closed the connection. Never a success. */
  | 'no-reply'
  /** End of file before every reply had ended. */
  | 'cut-short'
  /** The time was up. The outcome of what was sent is unknown. */
  | 'deadline'
  /** Bytes that no proxy sends: more than was asked for, or an endless line or reply. */
  | 'garbled';

const explanations: Record<SocketFailureReason, string> = {
  missing: 'there is no socket at this path',
  refused: 'nobody accepts connections (a reload under way, or no proxy)',
  'not-permitted':
    'the user of this service may not write to it (HAProxy lets a group in with -S PATH,mode,660,group,GROUP)',
  exhausted: 'this service can open no connection more (no file descriptor is left)',
  unsafe: 'its owner or mode would let others answer in the proxy’s place',
  reset: 'the connection was reset; the outcome is unknown',
  'no-reply': 'the connection was closed without a single byte of reply; the outcome is unknown',
  'cut-short': 'the connection was closed before every reply had ended',
  deadline: 'no whole reply before the deadline; the outcome is unknown',
  garbled: 'the answer is not one that a proxy gives',
};

export interface MasterSocketFailure {
  readonly path: string;
  /** The first command without a whole reply; empty when none was sent. */
  readonly command: string;
  /** The bodies of the replies that were whole, in the order of the commands. */
  readonly responses?: readonly string[];
  /** What had come of the reply that was not whole. */
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
  /** The message for one who has named the socket: its path, the command, and what happened. */
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
  // The accept queue is full: ten connections are taken and nobody accepts more.
  EAGAIN: 'refused',
  // A file or a datagram socket in its place.
  ENOTSOCK: 'refused',
  EPROTOTYPE: 'refused',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
};

/** The reason behind an error of `node:net`; an unlisted one before the connection is a refusal, after it a reset. */
export function socketFailureReason(error: NodeJS.ErrnoException, connected: boolean): SocketFailureReason {
  return reasonOfCode[error.code ?? ''] ?? (connected ? 'reset' : 'refused');
}
