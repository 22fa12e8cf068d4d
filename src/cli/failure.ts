// How a verb ends when it cannot do what it was asked: with one clear sentence, and an exit code.

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Some was rejected, or the running proxy was not seen to have all of it. */
  partly: 3,
  /** 128 + SIGINT, as shells count. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface FailureDetails {
  readonly exitCode?: ExitCode;
  /** What `-o json` prints; absent: one is made of the message. */
  readonly document?: unknown;
  readonly cause?: unknown;
}

/** `message` is for people: what is wrong and what to do. It may hold text from outside; the printer makes it harmless. */
export class Failure extends Error {
  readonly exitCode: ExitCode;
  readonly document: unknown;

  constructor(message: string, { exitCode = exitCodes.failed, document, cause }: FailureDetails = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'Failure';
    this.exitCode = exitCode;
    this.document = document ?? { title: message, status: null };
  }
}

/** What was typed cannot be meant. */
export function misused(message: string): Failure {
  return new Failure(message, { exitCode: exitCodes.usage });
}

/** Part of it was done before something failed; `cause` says what. */
export class HalfDone extends Failure {
  readonly done: Readonly<Record<string, unknown>>;

  constructor(message: string, done: Readonly<Record<string, unknown>>, cause: unknown) {
    super(message, { cause, exitCode: exitCodes.partly });
    this.name = 'HalfDone';
    this.done = done;
  }
}
