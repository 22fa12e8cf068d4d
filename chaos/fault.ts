// What may go wrong while the stack runs: one file per fault in `chaos/faults/`.
import type { RealService } from '../testkit/real-service.ts';
import type { Authority } from './authority.ts';
import type { Operator } from './operator.ts';
import type { Random } from './random.ts';

/** The service, its proxy, and what they were started with. */
export interface Stack {
  readonly service: RealService;
  readonly bin: string;
  /** Runs HAProxy and writes its configuration; null: the service does. */
  readonly operator: Operator | null;
  readonly environment: Readonly<Record<string, string>>;
  /** Of the service's certificates; null: it orders none, and has none. */
  readonly authority: Authority | null;
  /** Starts the service if it has ended; resolves when it is ready. */
  relaunch(environment?: Readonly<Record<string, string>>): Promise<void>;
}

/** What a fault may break. Everything that is not named must go on. */
export interface Excuses {
  /** API calls may be cut, refused or time out: the service is dead or cannot accept. */
  readonly api?: boolean;
  /** Changes may answer 503: database or file is unusable (promise 3 allows no other reason). */
  readonly storage?: boolean;
  /** Requests through HAProxy may fail: it was killed. */
  readonly traffic?: boolean;
  /** Visits may contradict acknowledgements until a foreign change is repaired. */
  readonly enforcement?: boolean;
  /** The service's clock is wrong: expiry is not checked. */
  readonly clock?: boolean;
}

export interface Struck {
  /** For the report of a failed round: a pid, a path, the n-th write. */
  readonly detail: string;
  /** Ends the fault, if it does not end by itself; the stack must recover without help. */
  heal(): Promise<void>;
  /** Resolves when the stack has recovered, and ends the excuses. May never resolve: the engine limits it. */
  over?(): Promise<void>;
  /** Called before the heal, for excuses that depend on the effect. */
  alsoExcuses?(): Promise<Excuses>;
}

export interface Fault {
  /** As in the command that repeats a round: `kill-service`. */
  readonly name: string;
  readonly excuses: Excuses;
  /** Only in rounds without another fault. */
  readonly alone?: boolean;
  /** Of faults with the same value only one strikes in a round; default: its name. */
  readonly holds?: string | readonly string[];
  /** Every choice uses `random`, so that a seed repeats it. Null: the stack has nothing that it could strike. */
  strike(stack: Stack, random: Random): Promise<Struck | null>;
}
