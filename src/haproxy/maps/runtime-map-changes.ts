// The group of the writer: many additions and removals in one worker, proven one by one.
//
// On one connection: `get` of what is to be added (an exact entry must not be added again, HAProxy would store it
// twice); then, only after the database has committed, the changes, a read-back of every address, and `show proc`. All
// replies of one connection come from one master.

import { type Processes, processesFrom, readShowProc } from '../process/workers.ts';
import type { Conversation } from '../socket/conversation.ts';
import { type Deadline, type MasterSocket, MasterSocketError } from '../socket/master-socket.ts';
import { isGoodDelete, isWorkerGone } from '../socket/replies.ts';
import { BLOCKING_VALUE, MapCommands, type WorkerRef } from './runtime-map-commands.ts';
import { valuesOf } from './runtime-map-dump.ts';
import { planChanges, readBack, type Subject, subjectsOf } from './runtime-map-group.ts';
import { type EntryFailure, type Sight, shortcomingOf, sightInDump, sightOf } from './runtime-map-judgement.ts';
import { RuntimeMapRejection } from './runtime-map-rejection.ts';

export interface GroupRequest {
  readonly worker: WorkerRef;
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** Nothing is changed before it resolves, nor when it rejects (then `changeGroup` rejects with the same error). */
  readonly committed: Promise<void>;
  /** Ask for `show proc` last. */
  readonly processes: boolean;
  readonly deadline: Deadline;
  /**
   * A version under preparation: new additions go to it too, always (nothing can be looked up in it, so whoever commits
   * it compares afterwards), and removals reach it by themselves (up to 3.1).
   */
  readonly pendingVersion?: number;
  /** Those of `add` that are new; the others get into a pending version by its filling. Asked once it is committed. */
  readonly fresh?: () => readonly string[];
}

export interface GroupOutcome {
  /** Empty: every address of the group was read back right. */
  readonly failures: EntryFailure[];
  /** How the connection failed; what it left unread is among the failures, with its reason. */
  readonly ended: MasterSocketError | null;
  /** The worker that was addressed by its pid does not exist any more. */
  readonly workerGone: boolean;
  readonly processes: Processes | null;
  /** Additions that were there, exactly, before. */
  readonly alreadyThere: number;
  /** Addresses that the worker held until this group took them out. */
  readonly removed: readonly string[];
}

/** Of one entry, in all. More duplicates than that are left to the comparison of the whole map. */
const REMOVALS = 4;

/** Never rejects for what the socket or the proxy does: that is in the outcome. */
export async function changeGroup(socket: MasterSocket, path: string, request: GroupRequest): Promise<GroupOutcome> {
  const committed = settled(request.committed);
  const commands = new MapCommands(path, request.worker);
  const subjects = subjectsOf(request.add, request.remove, commands);
  let conversation: Conversation | null = null;
  try {
    let ended: MasterSocketError | null = null;
    try {
      conversation = await socket.converse(request.deadline, { change: true });
      await lookFirst(conversation, commands, subjects);
    } catch (error) {
      ended = failureOf(error, socket.path);
    }
    const commit = await committed;
    if (!commit.done) throw commit.error;
    if (ended === null && performance.now() >= request.deadline) ended = nothingSent(socket.path);
    if (ended !== null || conversation === null) return outcomeOf(request, subjects, ended, null);
    return await changeAndProve(socket, conversation, commands, subjects, request);
  } finally {
    conversation?.close();
  }
}

async function changeAndProve(
  socket: MasterSocket,
  conversation: Conversation,
  commands: MapCommands,
  subjects: readonly Subject[],
  request: GroupRequest,
): Promise<GroupOutcome> {
  const stage = planChanges(commands, subjects, request.pendingVersion, request.fresh?.());
  let ended: MasterSocketError | null = null;
  let processes: Processes | null = null;
  try {
    // `show proc` in its place, the last, proves as well as the end of the connection that no reply slipped: its text is
    // like no other's. So nobody waits for that end; without it the end is the proof.
    const bodies = request.processes
      ? await conversation.send([...stage.commands, 'show proc'])
      : await conversation.finish(stage.commands);
    readBack(stage, bodies);
    // What follows takes a connection of its own, and this one must not hold the place that it needs.
    conversation.close();
    let listing = request.processes ? bodies.at(-1) : undefined;
    // In its place, it proves that no reply slipped; what is asked later on another connection proves nothing of this one.
    if (listing !== undefined) readShowProc(socket.path, listing);
    const hidden = stage.subjects.filter((subject) => subject.sight?.state === 'hidden');
    if (hidden.length > 0) listing = await lookInDump(socket, commands, hidden, request);
    listing = (await removeAgain(socket, commands, stage.subjects, request)) ?? listing;
    if (listing !== undefined) processes = await processesFrom(socket, listing, request.deadline, { change: true });
  } catch (error) {
    ended = failureOf(error, socket.path);
    if (stage.subjects.every((subject) => subject.sight === null)) readBack(stage, ended.responses);
  }
  return outcomeOf(request, subjects, ended, processes);
}

async function lookFirst(conversation: Conversation, commands: MapCommands, subjects: Subject[]): Promise<void> {
  const additions = subjects.filter((subject) => subject.wish === 'add');
  const bodies = await conversation.send(additions.map((subject) => subject.command));
  const hidden: Subject[] = [];
  for (const [index, subject] of additions.entries()) {
    const body = bodies[index] ?? '';
    subject.bodies.push(body);
    subject.before = sightOf(subject.key, body);
    if (subject.before.state === 'hidden') hidden.push(subject);
  }
  if (hidden.length > 0)
    await judgeByDump(conversation, commands, hidden, (subject, sight) => (subject.before = sight));
}

async function judgeByDump(
  conversation: Conversation,
  commands: MapCommands,
  subjects: readonly Subject[],
  judge: (subject: Subject, sight: Sight) => unknown,
): Promise<void> {
  const keys = subjects.map((subject) => subject.key);
  const values = await valuesOf(conversation, commands.show(), keys);
  for (const subject of subjects) judge(subject, sightInDump(values.get(subject.key) ?? []));
}

/**
 * From 3.4 on `del map` removes one of several entries with the same key. Each is read back, and removed again while it
 * is there. Returns the last `show proc`, when one was asked for.
 */
async function removeAgain(
  socket: MasterSocket,
  commands: MapCommands,
  subjects: readonly Subject[],
  request: GroupRequest,
): Promise<string | undefined> {
  let listing: string | undefined;
  for (let removals = 1; removals < REMOVALS; removals += 1) {
    const present = subjects.filter(isStillPresent);
    if (present.length === 0) break;
    const conversation = await socket.converse(request.deadline, { change: true });
    try {
      const bodies = await conversation.send(present.flatMap(({ key }) => [commands.del(key), commands.get(key)]));
      for (const [index, subject] of present.entries()) {
        const [removal = '', lookup = ''] = bodies.slice(2 * index);
        subject.bodies.push(removal, lookup);
        subject.sight = sightOf(subject.key, lookup);
      }
      const hidden = present.filter((subject) => subject.sight?.state === 'hidden');
      if (hidden.length > 0)
        await judgeByDump(conversation, commands, hidden, (subject, sight) => (subject.sight = sight));
      listing = (await conversation.finish(request.processes ? ['show proc'] : []))[0];
    } finally {
      conversation.close();
    }
  }
  return listing;
}

/** Removed with a good reply, and there all the same. */
function isStillPresent({ wish, mutation, sight }: Subject): boolean {
  return wish === 'remove' && mutation !== null && isGoodDelete(mutation) && sight?.state === 'exact';
}

/** A second look for addresses behind a more specific entry. Returns the new `show proc`, when one was asked for. */
async function lookInDump(
  socket: MasterSocket,
  commands: MapCommands,
  hidden: readonly Subject[],
  request: GroupRequest,
): Promise<string | undefined> {
  const conversation = await socket.converse(request.deadline, { change: true });
  try {
    await judgeByDump(conversation, commands, hidden, (subject, sight) => (subject.sight = sight));
    return (await conversation.finish(request.processes ? ['show proc'] : []))[0];
  } finally {
    conversation.close();
  }
}

function outcomeOf(
  request: GroupRequest,
  subjects: readonly Subject[],
  ended: MasterSocketError | null,
  processes: Processes | null,
): GroupOutcome {
  const workerGone = ended !== null && isWorkerGone(ended.partial);
  const only = processes?.current.length === 1 ? (processes.current[0]?.pid ?? null) : null;
  const worker = request.worker.kind === 'pid' ? request.worker.pid : only;
  const failures: EntryFailure[] = [];
  const partial = ended?.partial ?? '';
  const unread = workerGone ? 'worker gone' : (ended?.reason ?? 'unknown reply');
  for (const { key, wish, bodies, mutation, sight, command } of subjects) {
    const seen = sight !== null && sight.state !== 'hidden';
    const reason = seen ? shortcomingOf(wish, mutation, sight) : unread;
    if (reason === null) continue;
    const said = !seen && bodies.length === 0 && partial !== '' ? [partial] : bodies;
    failures.push({ ip_address: key, worker, command, responses: said, reason });
  }
  const alreadyThere = subjects.filter(
    ({ before }) => before?.state === 'exact' && before.value === BLOCKING_VALUE,
  ).length;
  // "Key not found." means that it was not there; the empty reply, that it was.
  const removed = subjects.filter(({ wish, mutation }) => wish === 'remove' && mutation === '').map(({ key }) => key);
  return { failures, ended, workerGone, processes, alreadyThere, removed };
}

/** The commit took all the time there was; that says nothing about the proxy. */
function nothingSent(path: string): MasterSocketError {
  const detail = 'database and file took the time that there was; nothing was sent';
  return new MasterSocketError('deadline', { path, command: '', detail });
}

type Settled = { readonly done: true } | { readonly done: false; readonly error: unknown };

/** Listens from the start, so that a commit that fails early is no unhandled rejection. */
function settled(promise: Promise<void>): Promise<Settled> {
  return promise.then(
    () => ({ done: true }),
    (error: unknown) => ({ done: false, error }),
  );
}

/** What is neither the socket's nor the proxy's failure is ours, and thrown. */
function failureOf(error: unknown, path: string): MasterSocketError {
  if (error instanceof MasterSocketError) return error;
  if (!(error instanceof RuntimeMapRejection)) throw error;
  const { command, responses, message } = error;
  return new MasterSocketError('garbled', { path, command, responses, detail: message, cause: error });
}
