// One call on a conversation: what it sends, and what has come of its replies.
import { type Command, wireText } from './conversation-command.ts';

/** Written at once before looking whether the other side reads. */
const WRITE_BLOCK = 64 * 1024;

export type LinesSink = (lines: string[]) => void | Promise<void>;

/** One call of send, finish, streamLines or readToEnd. */
export interface Turn {
  readonly commands: readonly Command[];
  readonly bodies: string[];
  /** Lines of the reply under way. */
  lines: string[];
  size: number;
  received: boolean;
  /** `performance.now()` at which it was sent, or the last reply had come. */
  since: number;
  readonly sink: LinesSink | null;
  /** What the sink still has to do; the socket is paused meanwhile. */
  sinkWork: Promise<void> | null;
  readonly untilEnd: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The sink is called at once; a synchronous failure is a rejection like any other. */
export function attempt(call: () => void | Promise<void>): Promise<void> | undefined {
  try {
    return call() ?? undefined;
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The commands as they go over the wire, in blocks. Throws UnsafeCommandError. */
export function blocksOf(commands: readonly Command[]): string[] {
  const blocks: string[] = [];
  let block = '';
  for (const command of commands) {
    block += wireText(command);
    if (block.length < WRITE_BLOCK) continue;
    blocks.push(block);
    block = '';
  }
  if (block !== '') blocks.push(block);
  return blocks;
}
