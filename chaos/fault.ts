// What may go wrong while the stack runs: each fault is one file of `chaos/faults/`, and says what it kills by itself.
import type { RealService } from '../testkit/real-service.ts';
import type { Operator } from './operator.ts';
import type { Random } from './random.ts';

/** The stack under attack: the service in a process of its own, its proxy, and what they were started with. */
export interface Stack {
  readonly service: RealService;
  /** The HAProxy binary. */
  readonly bin: string;
  /** Runs HAProxy and writes its configuration; null: the service does. */
  readonly operator: Operator | null;
  /** What the service was started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts the service again when it has ended; resolves when it is ready. Does nothing when it runs. */
  relaunch(environment?: Readonly<Record<string, string>>): Promise<void>;
}

/** What a fault may break without breaking a promise. Everything that is not named must go on. */
export interface Excuses {
  /** Calls to the API may be cut, refused or time out: the service is dead or cannot accept. */
  readonly api?: boolean;
  /** Add and remove may answer 503: the database or the file is unusable (promise 3 names no other reason). */
  readonly storage?: boolean;
  /** Requests through the proxy may fail: the proxy itself was killed. */
  readonly traffic?: boolean;
  /** Visits may be answered otherwise than acknowledged, until the service has repaired a foreign change. */
  readonly enforcement?: boolean;
  /** The service's clock is wrong: when entries expire is not looked at. */
  readonly clock?: boolean;
}

export interface Struck {
  /** What exactly was done, for the report of a failing round: a pid, a path, the n-th write. */
  readonly detail: string;
  /** Takes the fault away, where it does not end by itself; the stack must be in sync by itself after it. */
  heal(): Promise<void>;
  /**
   * For what the stack mends by itself after the heal: resolves when that is done, and with it what the fault excuses.
   * May wait for ever; how long it takes is judged by the engine.
   */
  over?(): Promise<void>;
  /** Asked before the heal: what it excused beside, by what became of it. */
  alsoExcuses?(): Promise<Excuses>;
}

export interface Fault {
  /** As in the replay line: `kill-service`, `disk-full`. */
  readonly name: string;
  readonly excuses: Excuses;
  /** Strikes only in rounds without another fault. */
  readonly alone?: boolean;
  /** Of those that name the same thing only one strikes in a round; default: its own name. */
  readonly holds?: string | readonly string[];
  /** Strikes once, at the moment of the call. Every choice comes from `random`, so that a seed repeats it. */
  strike(stack: Stack, random: Random): Promise<Struck>;
}
