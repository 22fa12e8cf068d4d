// One map of the proxy, by its path, in any worker. Functions have the names of the rules (docs/promises.md).

import { pause, withTimeout } from '../../concurrency/pause.ts';
import type { Conversation } from '../socket/conversation.ts';
import { type Command, shownText, WorkerLine } from '../socket/conversation-command.ts';
import type { ConverseOptions, Deadline, MasterSocket } from '../socket/master-socket.ts';
import { millisecondsUntil } from '../socket/master-socket-error.ts';
import {
  ELEMENT_NOT_FOUND,
  KEY_NOT_FOUND,
  type MapEntry,
  parseGetMap,
  parsePrepare,
  parseShowMapListing,
  parseUses,
} from '../socket/replies.ts';
import { type GroupApplication, type GroupOutcome, type GroupRequest, WorkerGroup } from './runtime-map-changes.ts';
import {
  alwaysOne,
  CURRENT,
  checkMapPath,
  MapCommands,
  type MapKeys,
  type ValueFor,
  type WorkerRef,
} from './runtime-map-commands.ts';
import { dump, type ElementChange, type EntriesSink, elementsOf } from './runtime-map-dump.ts';
import type { EntryFailure } from './runtime-map-lookup.ts';
import { RuntimeMapRejection } from './runtime-map-rejection.ts';

/** Commands in flight; after a rejection the rest is not sent. */
const WINDOW = 64;

interface Expectation {
  /** Any non-empty body is a rejection, known text or not (rule 6). Default true: for mutating commands. */
  readonly expectEmpty?: boolean;
  /** Non-empty good bodies, such as `Key not found.` after `del map`. */
  readonly alsoGood?: readonly string[];
}

/** Returns the bodies. A rejection carries those of its window up to and including the bad one. */
async function runMapCommands(
  conversation: Conversation,
  commands: readonly Command[],
  { expectEmpty = true, alsoGood = [] }: Expectation = {},
): Promise<string[]> {
  const all: string[] = [];
  for (let from = 0; from < commands.length; from += WINDOW) {
    const window = commands.slice(from, from + WINDOW);
    const bodies = await conversation.send(window);
    refuseBad(window, bodies, { expectEmpty, alsoGood });
    for (const body of bodies) all.push(body);
  }
  return all;
}

function refuseBad(
  commands: readonly Command[],
  bodies: readonly string[],
  { expectEmpty = true, alsoGood = [] }: Expectation,
): void {
  const bad = expectEmpty ? bodies.findIndex((body) => body !== '' && !alsoGood.includes(body)) : -1;
  if (bad === -1) return;
  throw new RuntimeMapRejection(shownText(commands[bad] ?? ''), bodies.slice(0, bad + 1));
}

export type { GroupApplication, GroupOutcome, GroupRequest, WorkerGroup } from './runtime-map-changes.ts';
export type { WorkerRef } from './runtime-map-commands.ts';
export type { EntryFailure } from './runtime-map-lookup.ts';
export { RuntimeMapRejection } from './runtime-map-rejection.ts';

/** The switch itself takes some 5 ms at a million entries. */
const SWITCH_POLL_MS = 1;
/** Rule 5: an absent key is the requested state. */
const ABSENT_IS_GOOD: Expectation = { alsoGood: [KEY_NOT_FOUND] };
/** Another process removed the duplicate. */
const ABSENT_ELEMENT_IS_GOOD: Expectation = { alsoGood: [KEY_NOT_FOUND, ELEMENT_NOT_FOUND] };

interface RuntimeMapDeps {
  readonly socket: MasterSocket;
  readonly path: string;
  /** Of keys that the map is to hold; called whenever a command is written or a reply is judged. */
  readonly valueFor?: ValueFor;
  /** Absent: addresses. */
  readonly keys?: MapKeys;
  readonly onFailure?: (failure: EntryFailure) => void;
}

export interface EntryCount {
  /** Entries of the live version and of pending ones together (the proxy has no other count, 2.6.12, 3.0.11). */
  readonly entries: number;
  readonly currentVersion: number;
  /** Above `currentVersion`: a version is in preparation, or was abandoned. */
  readonly nextVersion: number;
}

/**
 * All methods reject with MasterSocketError when the connection fails, with RuntimeMapRejection when the proxy does not
 * report success, and with UnsafeArgumentError before anything is sent.
 */
export class RuntimeMap {
  readonly path: string;
  readonly valueFor: ValueFor;
  readonly keys: MapKeys;
  readonly #deps: RuntimeMapDeps;

  constructor(deps: RuntimeMapDeps) {
    this.#deps = deps;
    this.path = checkMapPath(deps.path);
    this.valueFor = deps.valueFor ?? alwaysOne;
    this.keys = deps.keys ?? 'addresses';
  }

  /** Rule 4: true only when `get map` then finds exactly this entry with its value in the current worker. */
  async addIpToRuntimeMap(ip: string, deadline: Deadline): Promise<boolean> {
    return this.#changeOne([ip], [], deadline);
  }

  /** Rule 5: true when the entry is absent afterwards. */
  async removeIpFromRuntimeMap(ip: string, deadline: Deadline): Promise<boolean> {
    return this.#changeOne([], [ip], deadline);
  }

  /** Rule 7. The entry that the proxy finds, perhaps a network that contains the address; null when none. */
  async runtimeMapLookup(
    ip: string,
    deadline: Deadline,
    worker: WorkerRef = CURRENT,
    options: ConverseOptions = {},
  ): Promise<MapEntry | null> {
    const command = this.#commands(worker).get(ip);
    const [body = ''] = await this.#once([command], deadline, options);
    const reply = parseGetMap(body);
    if (reply.found === 'unknown') throw new RuntimeMapRejection(command, [body], 'cannot be read');
    return reply.found ? { key: reply.key, value: reply.value } : null;
  }

  /** Rule 7. Streams `show map`; reading pauses while the promise of a batch is pending. A truncated dump rejects. */
  async runtimeMapKeys(
    deadline: Deadline,
    onEntries: EntriesSink,
    worker: WorkerRef = CURRENT,
    version?: number,
    options: ConverseOptions = {},
  ): Promise<{ count: number }> {
    const command = this.#commands(worker).show(version);
    const read = async (conversation: Conversation) => ({ count: await dump(conversation, command, onEntries) });
    return this.#with(deadline, read, options);
  }

  /** The cheap check: 0.2 ms at any size. */
  async entryCount(deadline: Deadline, worker: WorkerRef = CURRENT): Promise<EntryCount> {
    const commands = this.#commands(worker);
    // HAProxy counts an entry once per type in which the configuration uses the map; a lookup has a line for each.
    const [listing = '', lookup = ''] = await this.#once([commands.list(), commands.getSample()], deadline);
    const maps = parseShowMapListing(listing);
    const map = maps?.find((listed) => listed.file === this.path);
    if (maps !== null && map === undefined) {
      throw new RuntimeMapRejection(commands.list(), [listing], '', this.path);
    }
    if (map === undefined || map.entryCount === null) {
      throw new RuntimeMapRejection(commands.list(), [listing], `has no entry count for ${this.path}`);
    }
    const uses = parseUses(lookup);
    if (uses === null) throw new RuntimeMapRejection(commands.getSample(), [listing, lookup], 'cannot be read');
    return { entries: map.entryCount / uses, currentVersion: map.currentVersion, nextVersion: map.nextVersion };
  }

  /** As `entryCount`, for a worker that may have missed a deadline: first waits for its unanswered commands. */
  async firstAnswer(deadline: Deadline, worker: WorkerRef): Promise<EntryCount> {
    await this.#deps.socket.settled(this.#commands(worker).target, deadline);
    return await this.entryCount(deadline, worker);
  }

  /** The first phase of a group of the writer, in one worker: starts the lookups and changes nothing. */
  lookUpGroup(request: GroupRequest): WorkerGroup {
    return new WorkerGroup({ socket: this.#deps.socket, map: this, request });
  }

  /** Both phases at once, for changes that are durable. Failures are in the outcome. */
  async changeGroup(request: GroupRequest & GroupApplication): Promise<GroupOutcome> {
    return await this.lookUpGroup(request).apply(request);
  }

  /** Adds without a lookup: an existing entry is duplicated. Payloads of at most 15,000 bytes. */
  async addMany(worker: WorkerRef, ips: readonly string[], deadline: Deadline, version?: number): Promise<void> {
    const chunks = this.#commands(worker).addAll(ips, version);
    await this.#mutate(
      chunks.map((chunk) => chunk.command),
      deadline,
    );
  }

  /**
   * By the keys as stored. An absent key is not a failure. In lines, a worker that hung may still carry out the last one
   * after its deadline, as a whole.
   */
  async deleteMany(worker: WorkerRef, ips: readonly string[], deadline: Deadline): Promise<void> {
    const commands = this.#commands(worker);
    await this.#mutateEach(
      worker,
      ips.map((ip) => commands.del(ip)),
      deadline,
      ABSENT_IS_GOOD,
    );
  }

  /** Sets the value of each key. An absent key rejects (`entry not found.`). */
  async setMany(worker: WorkerRef, ips: readonly string[], deadline: Deadline): Promise<void> {
    const commands = this.#commands(worker);
    await this.#mutateEach(
      worker,
      ips.map((ip) => commands.set(ip)),
      deadline,
    );
  }

  /**
   * Lists the map, and returns the changes that leave each key once, with its value. All duplicates get this value
   * before any is removed, and one of each key stays, so that every key blocks all the time. Entries are addressed by
   * element, because `set map` and `del map` by key act on all duplicates or, from 3.4 on, on some of them.
   */
  async duplicateChanges(worker: WorkerRef, ips: readonly string[], deadline: Deadline): Promise<ElementChange[]> {
    const command = this.#commands(worker).show();
    const elements = await this.#with(deadline, (conversation) => elementsOf(conversation, command, ips));
    const set: ElementChange[] = [];
    const remove: ElementChange[] = [];
    for (const [key, entries] of elements) {
      for (const { element, value } of entries) {
        if (value !== this.valueFor(key)) set.push({ key, element, change: 'set' });
      }
      for (const { element } of entries.slice(1)) remove.push({ key, element, change: 'remove' });
    }
    // A scan ends at its entry, so commands for the map's end are the slowest: measuring them first gives the upper
    // bound.
    return [...set.reverse(), ...remove.reverse()];
  }

  /**
   * Applies changes of `duplicateChanges`, in its order. A missing element is not a failure. HAProxy reuses the element
   * of a removed entry without comparing the key, so leave out keys that changed since the listing.
   */
  async changeElements(worker: WorkerRef, changes: readonly ElementChange[], deadline: Deadline): Promise<void> {
    if (changes.length === 0) return;
    const commands = this.#commands(worker);
    const set = changes.filter(({ change }) => change === 'set');
    const remove = changes.filter(({ change }) => change === 'remove');
    await this.#with(
      deadline,
      async (conversation) => {
        await runMapCommands(
          conversation,
          set.map(({ element, key }) => commands.setElement(element, key)),
          ABSENT_ELEMENT_IS_GOOD,
        );
        await runMapCommands(
          conversation,
          remove.map(({ element }) => commands.delElement(element)),
          ABSENT_ELEMENT_IS_GOOD,
        );
      },
      { change: true },
    );
  }

  /** Begins a new version, not live until its commit. Each worker counts versions itself: address it by its pid. */
  async prepare(worker: WorkerRef, deadline: Deadline): Promise<number> {
    const command = this.#commands(worker).prepare();
    const [body = ''] = await this.#once([command], deadline);
    const version = parsePrepare(body);
    if (version === null) throw new RuntimeMapRejection(command, [body]);
    return version;
  }

  /**
   * Resolves as soon as the switch was seen: the worker replies only when the old entries are freed (0.4 to 0.65 s at a
   * million), and answers other commands meanwhile (2.6.12, 3.0.11). `cleared` is that reply. Committing an empty
   * version empties the live map: count it first.
   * @param deadline for the switch to be seen; after it (`seen` false) the switch may still happen until `cleared` is
   * settled
   * @param clearedBy for the reply
   */
  async commit(
    worker: WorkerRef,
    version: number,
    deadline: Deadline,
    clearedBy: Deadline = deadline,
  ): Promise<{ readonly seen: boolean; readonly cleared: Promise<void> }> {
    // The worker refuses one that is live already; that must not count as switched now.
    let answered = (await this.entryCount(deadline, worker)).currentVersion === version;
    const cleared = this.#mutate([this.#commands(worker).commit(version)], clearedBy).finally(() => {
      answered = true;
    });
    // Prevents an unhandled rejection before the caller awaits it.
    cleared.catch(() => undefined);
    while (!answered) {
      const live = await this.entryCount(deadline, worker).then(
        ({ currentVersion }) => currentVersion,
        (error: unknown) => error,
      );
      if (live === version) return { seen: true, cleared };
      // The reply proves the switch as well; without either, report the failure of the command.
      if (typeof live !== 'number') break;
      await pause(SWITCH_POLL_MS);
    }
    const seen = await withTimeout(
      cleared.then(() => true),
      millisecondsUntil(deadline),
    );
    return { seen: seen ?? false, cleared };
  }

  async #changeOne(add: string[], remove: string[], deadline: Deadline): Promise<boolean> {
    const { failures } = await this.changeGroup({
      worker: CURRENT,
      add,
      remove,
      processes: false,
      deadline,
    });
    for (const failure of failures) this.#deps.onFailure?.(failure);
    return failures.length === 0;
  }

  async #mutate(commands: readonly Command[], deadline: Deadline, expectation: Expectation = {}): Promise<void> {
    if (commands.length === 0) return;
    await this.#with(deadline, (conversation) => runMapCommands(conversation, commands, expectation), { change: true });
  }

  /** In lines: each on a connection of its own, one after the other; after a rejection no further line is sent. */
  async #mutateEach(
    worker: WorkerRef,
    commands: readonly string[],
    deadline: Deadline,
    expectation: Expectation = {},
  ): Promise<void> {
    if (worker.kind !== 'line') {
      await this.#mutate(commands, deadline, expectation);
      return;
    }
    for (const line of WorkerLine.of(worker.pid, commands)) {
      const conversation = await this.#deps.socket.converse(deadline, { change: true });
      try {
        refuseBad(line.commands, await conversation.finish([], line), expectation);
      } finally {
        conversation.close();
      }
    }
  }

  async #once(commands: readonly Command[], deadline: Deadline, options: ConverseOptions = {}): Promise<string[]> {
    const conversation = await this.#deps.socket.converse(deadline, options);
    return conversation.finish(commands);
  }

  async #with<T>(
    deadline: Deadline,
    work: (conversation: Conversation) => Promise<T>,
    options: ConverseOptions = {},
  ): Promise<T> {
    const conversation = await this.#deps.socket.converse(deadline, options);
    try {
      const result = await work(conversation);
      await conversation.finish([]);
      return result;
    } finally {
      conversation.close();
    }
  }

  #commands(worker: WorkerRef): MapCommands {
    return new MapCommands(this, worker);
  }
}
