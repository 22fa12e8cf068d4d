// One group of the writer: many additions and removals in one worker, each of them verified.
//
// On one connection: `get` of the additions (an exact entry must not be added again, HAProxy would store it twice),
// except for those that the worker is known not to hold; then the changes, a read-back of every address, and
// `show proc`. All replies on one connection come from one master.

import { type Processes, processesFrom, readShowProc } from '../process/workers.ts';
import type { Conversation } from '../socket/conversation.ts';
import { WorkerLine } from '../socket/conversation-command.ts';
import { type Deadline, type MasterSocket, MasterSocketError } from '../socket/master-socket.ts';
import { isGoodDelete, isWorkerGone } from '../socket/replies.ts';
import { onlyWorker } from '../socket/show-proc.ts';
import { MapCommands, type MapOnCommandLine, type WorkerRef } from './runtime-map-commands.ts';
import { valuesOf } from './runtime-map-dump.ts';
import { type EntryChange, entryChanges, planChanges, readBack, type Stage } from './runtime-map-group.ts';
import { type EntryFailure, failureReason, lookupInDump, lookupOf } from './runtime-map-lookup.ts';
import { RuntimeMapRejection } from './runtime-map-rejection.ts';

export interface GroupRequest {
  readonly worker: WorkerRef;
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly deadline: Deadline;
  /** Additions that the worker with this pid does not hold: in it, they are not looked up. */
  readonly absent?: AbsentAdditions | undefined;
}

interface AbsentAdditions {
  readonly pid: number;
  readonly texts: ReadonlySet<string>;
}

export interface GroupApplication {
  /** Send `show proc` last. */
  readonly processes: boolean;
  /**
   * A version under preparation: new additions always go to it too (it has no lookup, so the caller compares it after
   * the commit). Removals reach it without a command of their own (up to 3.1).
   */
  readonly pendingVersion?: number | undefined;
  /** The additions that are new; the filling of a pending version brings the others. Absent: all. */
  readonly fresh?: readonly string[] | undefined;
}

export interface GroupOutcome {
  /** Empty: every address was read back as intended. */
  readonly failures: EntryFailure[];
  /** How the connection failed. Every address left unverified is among the failures. */
  readonly ended: MasterSocketError | null;
  readonly workerGone: boolean;
  readonly processes: Processes | null;
  readonly alreadyThere: number;
  readonly removed: readonly string[];
}

/** In total for one entry. Further duplicates are left to the comparison of the complete map. */
const REMOVALS = 4;

interface WorkerGroupDeps {
  readonly socket: MasterSocket;
  readonly map: Required<MapOnCommandLine>;
  readonly request: GroupRequest;
}

/**
 * One group in one worker, in two phases, so that its additions are looked up while the caller makes them durable:
 * nothing is changed before `apply`. Must be ended by `apply` or `abandon`.
 */
export class WorkerGroup {
  readonly #deps: WorkerGroupDeps;
  readonly #commands: MapCommands;
  readonly #changes: readonly EntryChange[];
  readonly #lookups: Promise<{ readonly conversation: Conversation | null; readonly ended: MasterSocketError | null }>;

  /** Starts the lookups. */
  constructor(deps: WorkerGroupDeps) {
    this.#deps = deps;
    this.#commands = new MapCommands(deps.map, deps.request.worker);
    this.#changes = entryChanges(deps.request.add, deps.request.remove, this.#commands);
    this.#lookups = this.#lookUp();
    // `apply` and `abandon` report it.
    this.#lookups.catch(() => undefined);
  }

  get worker(): WorkerRef {
    return this.#deps.request.worker;
  }

  /** Makes the changes and reads them back. Never rejects for a failure of the socket or the proxy: see the outcome. */
  async apply(application: GroupApplication): Promise<GroupOutcome> {
    const { conversation, ended } = await this.#lookups;
    try {
      const missed =
        ended ?? (performance.now() < this.#deps.request.deadline ? null : nothingSent(this.#deps.socket.path));
      if (missed !== null) return outcomeOf(this.#deps, this.#changes, missed, null);
      return await this.#changeAndVerify(conversation, application);
    } finally {
      conversation?.close();
    }
  }

  /** Ends a group that was not stored. Lookups under way are waited for: unanswered ones would keep their slot. */
  async abandon(): Promise<void> {
    // Why the group was not stored is what the caller reports, not that a lookup failed too.
    const [lookups] = await Promise.allSettled([this.#lookups]);
    if (lookups.status === 'fulfilled') lookups.value.conversation?.close();
  }

  async #lookUp(): Promise<{ conversation: Conversation | null; ended: MasterSocketError | null }> {
    const { worker } = this.#deps.request;
    let conversation: Conversation | null = null;
    try {
      if (worker.kind === 'line') {
        await this.#lookUpInLines(worker.pid);
        return { conversation: null, ended: null };
      }
      conversation = await this.#deps.socket.converse(this.#deps.request.deadline, { change: true });
      await this.#skipAbsent(conversation);
      await lookUpAdditions(conversation, this.#commands, this.#changes);
      return { conversation, ended: null };
    } catch (error) {
      conversation?.close();
      return { conversation: null, ended: failureOf(error, this.#deps.socket.path) };
    }
  }

  /**
   * `@1` reaches the worker that `absent` is about if this master lists it as the only one: a reload would end the
   * connection before another worker is behind `@1`.
   */
  async #skipAbsent(conversation: Conversation): Promise<void> {
    const { absent, worker } = this.#deps.request;
    if (absent === undefined || absent.texts.size === 0) return;
    if (worker.kind === 'current') {
      const [listing = ''] = await conversation.send(['show proc']);
      if (onlyWorker(listing) !== absent.pid) return;
    }
    assumeAbsent(this.#changes, absent.texts, this.#commands);
  }

  async #lookUpInLines(pid: number): Promise<void> {
    const { absent } = this.#deps.request;
    if (absent !== undefined) assumeAbsent(this.#changes, absent.texts, this.#commands);
    const additions = this.#changes.filter(needsLookup);
    if (additions.length === 0) return;
    const { bodies, failure } = await this.#inLines(
      pid,
      additions.map(({ command }) => command),
    );
    takeLookups(additions, bodies);
    if (failure !== null) throw failure;
    if (additions.every(({ before }) => before?.state !== 'hidden')) return;
    await this.#onNewConnection(false, (conversation) =>
      resolveHidden(conversation, this.#commands, additions, 'before'),
    );
  }

  /** @param conversation null: the worker takes its commands in lines */
  async #changeAndVerify(
    conversation: Conversation | null,
    { pendingVersion, fresh, processes: listed }: GroupApplication,
  ): Promise<GroupOutcome> {
    const commands = this.#commands;
    const payload = conversation !== null;
    const stage = planChanges(commands, this.#changes, { pendingVersion, fresh, payload });
    let ended: MasterSocketError | null = null;
    let processes: Processes | null = null;
    try {
      let listing =
        conversation === null ? await this.#sendLines(stage, listed) : await this.#sendOn(conversation, stage, listed);
      if (stage.changes.some(({ after }) => after?.state === 'hidden')) {
        listing = await this.#onNewConnection(listed, (another) =>
          resolveHidden(another, commands, stage.changes, 'after'),
        );
      }
      listing = (await this.#removeAgain(stage.changes, listed)) ?? listing;
      if (listing !== undefined) {
        processes = await processesFrom(this.#deps.socket, listing, this.#deps.request.deadline, { change: true });
      }
    } catch (error) {
      ended = failureOf(error, this.#deps.socket.path);
    }
    return outcomeOf(this.#deps, this.#changes, ended, processes);
  }

  /** Returns the reply to `show proc`, if requested: the last on the connection, so that all replies have one master. */
  async #sendOn(conversation: Conversation, stage: Stage, listed: boolean): Promise<string | undefined> {
    // `show proc` as the last reply proves as well as the end of the connection that no reply slipped, since its text
    // is unlike any other. So that end is only waited for without it.
    const sent = listed ? conversation.send([...stage.commands, 'show proc']) : conversation.finish(stage.commands);
    const bodies = await sent.catch((error: unknown) => {
      const failure = failureOf(error, this.#deps.socket.path);
      readBack(stage, failure.responses);
      throw failure;
    });
    readBack(stage, bodies);
    // Gives its slot back: later commands take a connection of their own.
    conversation.close();
    const listing = listed ? bodies.at(-1) : undefined;
    // Of this connection: one listed on a later connection proves nothing about this one.
    if (listing !== undefined) readShowProc(this.#deps.socket.path, listing);
    return listing;
  }

  /** `show proc` is then sent on a connection of its own, after the last reply. */
  async #sendLines(stage: Stage, listed: boolean): Promise<string | undefined> {
    const { worker } = this.#deps.request;
    if (worker.kind !== 'line') throw new Error('lines need the pid of their worker');
    const { bodies, failure } = await this.#inLines(worker.pid, stage.commands as string[]);
    readBack(stage, bodies);
    if (failure !== null) throw failure;
    return listed ? await this.#onNewConnection(true, async () => undefined) : undefined;
  }

  /** The replies up to the first failure. */
  async #inLines(
    pid: number,
    commands: readonly string[],
  ): Promise<{ bodies: readonly string[]; failure: MasterSocketError | null }> {
    const bodies: string[] = [];
    const { socket, request } = this.#deps;
    for (const line of WorkerLine.of(pid, commands)) {
      let conversation: Conversation | null = null;
      try {
        conversation = await socket.converse(request.deadline, { change: true });
        // Before the line: whatever is sent behind it is lost.
        const [, ...replies] = await conversation.finish(['show proc'], line);
        bodies.push(...replies);
      } catch (error) {
        const failure = failureOf(error, socket.path);
        bodies.push(...failure.responses.slice(1));
        return { bodies, failure };
      } finally {
        conversation?.close();
      }
    }
    return { bodies, failure: null };
  }

  /**
   * From 3.4 on `del map` removes one of several entries with the same key. Each is read back, and removed again while
   * it is present. Returns the last `show proc`, if requested.
   */
  async #removeAgain(changes: readonly EntryChange[], listed: boolean): Promise<string | undefined> {
    const commands = this.#commands;
    let listing: string | undefined;
    for (let removals = 1; removals < REMOVALS; removals += 1) {
      const present = changes.filter(isStillPresent);
      if (present.length === 0) break;
      listing = await this.#onNewConnection(listed, async (conversation) => {
        const bodies = await conversation.send(present.flatMap(({ key }) => [commands.del(key), commands.get(key)]));
        for (const [index, change] of present.entries()) {
          const [removal = '', lookup = ''] = bodies.slice(2 * index);
          change.bodies.push(removal, lookup);
          change.after = lookupOf(change.key, lookup);
        }
        await resolveHidden(conversation, commands, present, 'after');
      });
    }
    return listing;
  }

  /** Returns a new `show proc`, if requested. */
  async #onNewConnection(
    listed: boolean,
    work: (conversation: Conversation) => Promise<void>,
  ): Promise<string | undefined> {
    const conversation = await this.#deps.socket.converse(this.#deps.request.deadline, { change: true });
    try {
      await work(conversation);
      return (await conversation.finish(listed ? ['show proc'] : []))[0];
    } finally {
      conversation.close();
    }
  }
}

async function lookUpAdditions(
  conversation: Conversation,
  commands: MapCommands,
  changes: readonly EntryChange[],
): Promise<void> {
  const additions = changes.filter(needsLookup);
  takeLookups(additions, await conversation.send(additions.map(({ command }) => command)));
  await resolveHidden(conversation, commands, additions, 'before');
}

function needsLookup({ intent, before }: EntryChange): boolean {
  return intent === 'add' && before === null;
}

function assumeAbsent(changes: readonly EntryChange[], texts: ReadonlySet<string>, commands: MapCommands): void {
  for (const change of changes) {
    if (!texts.has(change.key)) continue;
    change.before = { state: 'absent' };
    // Reported if the group ends before its changes are planned.
    change.command = commands.add(change.key);
  }
}

function takeLookups(additions: readonly EntryChange[], bodies: readonly string[]): void {
  for (const [index, body] of bodies.entries()) {
    const change = additions[index];
    if (change === undefined) throw new RangeError(`${bodies.length} replies to ${additions.length} lookups`);
    change.bodies.push(body);
    change.before = lookupOf(change.key, body);
  }
}

/** Finds in a dump the entries that a more specific one hides from `get map`. */
async function resolveHidden(
  conversation: Conversation,
  commands: MapCommands,
  changes: readonly EntryChange[],
  when: 'before' | 'after',
): Promise<void> {
  const hidden = changes.filter((change) => change[when]?.state === 'hidden');
  if (hidden.length === 0) return;
  const keys = hidden.map(({ key }) => key);
  const values = await valuesOf(conversation, commands.show(), keys);
  for (const change of hidden) change[when] = lookupInDump(values.get(change.key) ?? [], commands.valueFor(change.key));
}

/** Removed with a good reply, but still present. */
function isStillPresent({ intent, mutation, after }: EntryChange): boolean {
  return intent === 'remove' && mutation !== null && isGoodDelete(mutation) && after?.state === 'exact';
}

function outcomeOf(
  { request, map: { valueFor } }: Pick<WorkerGroupDeps, 'request' | 'map'>,
  changes: readonly EntryChange[],
  ended: MasterSocketError | null,
  processes: Processes | null,
): GroupOutcome {
  const workerGone = ended !== null && isWorkerGone(ended.partial);
  const only = processes?.current.length === 1 ? (processes.current[0]?.pid ?? null) : null;
  const worker = request.worker.kind === 'current' ? only : request.worker.pid;
  const failures: EntryFailure[] = [];
  const partial = ended?.partial ?? '';
  const unread = workerGone ? 'worker gone' : (ended?.reason ?? 'unknown reply');
  for (const { key, intent, bodies, mutation, after, command } of changes) {
    const verified = after !== null && after.state !== 'hidden';
    const reason = verified ? failureReason(intent, valueFor(key), mutation, after) : unread;
    if (reason === null) continue;
    const responses = !verified && bodies.length === 0 && partial !== '' ? [partial] : bodies;
    failures.push({ ip_address: key, worker, command, responses, reason });
  }
  const alreadyThere = changes.filter(
    ({ before, key }) => before?.state === 'exact' && before.value === valueFor(key),
  ).length;
  // "Key not found." means that it was absent; the empty reply, that it was present.
  const removed = changes
    .filter(({ intent, mutation }) => intent === 'remove' && mutation === '')
    .map(({ key }) => key);
  return { failures, ended, workerGone, processes, alreadyThere, removed };
}

/** The commit used up the time, which says nothing about the proxy. */
function nothingSent(path: string): MasterSocketError {
  const detail = 'nothing was sent: writing the database and the map file took until the deadline';
  return new MasterSocketError('deadline', { path, command: '', detail });
}

/** Rethrows anything that is not a failure of the socket or the proxy: a fault of this program. */
function failureOf(error: unknown, path: string): MasterSocketError {
  if (error instanceof MasterSocketError) return error;
  if (!(error instanceof RuntimeMapRejection)) throw error;
  const { command, responses, message } = error;
  return new MasterSocketError('garbled', { path, command, responses, detail: message, cause: error });
}
