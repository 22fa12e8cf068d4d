export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Some lines were rejected, or the change was not verified in every worker. */
  partly: 3,
  /** 128 + SIGINT, as shells count. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface FailureDetails {
  readonly exitCode?: ExitCode;
  /** Printed by `-o json`; default: a document with the message. */
  readonly document?: unknown;
  readonly cause?: unknown;
}

/** The message says what is wrong and what to do. The printer escapes it. */
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

export function usageError(message: string): Failure {
  return new Failure(message, { exitCode: exitCodes.usage });
}

/** A part was applied before `cause` stopped the rest. */
export class PartialFailure extends Failure {
  readonly done: Readonly<Record<string, unknown>>;

  constructor(message: string, done: Readonly<Record<string, unknown>>, cause: unknown) {
    super(message, { cause, exitCode: exitCodes.partly });
    this.name = 'PartialFailure';
    this.done = done;
  }
}
