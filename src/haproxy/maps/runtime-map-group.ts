import type { Command } from '../socket/conversation-command.ts';
import type { MapCommands } from './runtime-map-commands.ts';
import { type Intent, type Lookup, lookupOf } from './runtime-map-lookup.ts';

/** With fewer addresses the command of rule 4. */
const PAYLOAD_FROM = 2;

export interface EntryChange {
  readonly key: string;
  readonly intent: Intent;
  readonly bodies: string[];
  before: Lookup | null;
  after: Lookup | null;
  /** Indexes among the replies of the stage. */
  mutations: number[];
  readBack: number;
  /** The first reply that is not empty, since an addition may go to two versions. */
  mutation: string | null;
  /** The command to report: the lookup, until the change is planned. */
  command: string;
}

export interface Stage {
  readonly commands: Command[];
  readonly changes: EntryChange[];
}

export function entryChanges(add: readonly string[], remove: readonly string[], commands: MapCommands): EntryChange[] {
  const keys = new Set<string>();
  const withIntent =
    (intent: Intent) =>
    (key: string): EntryChange => {
      if (keys.has(key)) throw new RangeError(`${key} is in one group twice`);
      keys.add(key);
      const command = intent === 'add' ? commands.get(key) : commands.del(key);
      return {
        key,
        intent,
        bodies: [],
        before: null,
        after: null,
        mutations: [],
        readBack: -1,
        mutation: null,
        command,
      };
    };
  return [...add.map(withIntent('add')), ...remove.map(withIntent('remove'))];
}

interface Plan {
  readonly pendingVersion: number | undefined;
  /** The additions that the filling of the pending version does not bring; absent: all. */
  readonly fresh: readonly string[] | undefined;
  /** False: one command for each addition, as a line of commands takes no payload in between. */
  readonly payload: boolean;
}

/** The mutations and the read-backs, with the indexes of their replies noted in each change. */
export function planChanges(
  commands: MapCommands,
  all: readonly EntryChange[],
  { pendingVersion, fresh, payload }: Plan,
): Stage {
  // After an unreadable reply an addition could create a duplicate.
  const changes = all.filter(({ before }) => before?.state !== 'unknown');
  const plan: Command[] = [];
  const mutate = (change: EntryChange, command: string): void => {
    change.mutations.push(plan.push(command) - 1);
    change.command = command;
  };
  const additions = changes.filter(({ intent }) => intent === 'add');
  const add = payload ? addByPayload : addEach;
  add(
    plan,
    commands,
    additions.filter(({ before }) => before?.state === 'absent'),
  );
  for (const change of additions) {
    const { before, key } = change;
    if (before?.state === 'exact' && before.value !== commands.valueFor(key)) mutate(change, commands.set(key));
  }
  if (pendingVersion !== undefined) {
    const missing = new Set(fresh ?? additions.map(({ key }) => key));
    add(
      plan,
      commands,
      additions.filter(({ key }) => missing.has(key)),
      pendingVersion,
    );
  }
  for (const change of changes) if (change.intent === 'remove') mutate(change, commands.del(change.key));
  for (const change of changes) change.readBack = plan.push(commands.get(change.key)) - 1;
  return { commands: plan, changes };
}

function addEach(plan: Command[], commands: MapCommands, changes: readonly EntryChange[], version?: number): void {
  for (const change of changes) {
    const command = commands.add(change.key, version);
    noteSent(change, plan.push(command) - 1, command);
  }
}

function addByPayload(plan: Command[], commands: MapCommands, changes: readonly EntryChange[], version?: number): void {
  if (changes.length < PAYLOAD_FROM) {
    addEach(plan, commands, changes, version);
    return;
  }
  const keys = changes.map(({ key }) => key);
  let next = 0;
  for (const chunk of commands.addAll(keys, version)) {
    const index = plan.push(chunk.command) - 1;
    for (const change of changes.slice(next, next + chunk.keys.length))
      noteSent(change, index, commands.add(change.key, version));
    next += chunk.keys.length;
  }
}

function noteSent(change: EntryChange, index: number, command: string): void {
  // Report the command for the live map, if there is one.
  if (change.mutations.length === 0) change.command = command;
  change.mutations.push(index);
}

/** Assigns the replies to the changes. After a failed connection there may be fewer than commands. */
export function readBack(stage: Stage, bodies: readonly string[]): void {
  for (const change of stage.changes) {
    for (const index of change.mutations) {
      const body = bodies[index];
      if (body === undefined) continue;
      change.bodies.push(body);
      if (change.mutation === null || change.mutation === '') change.mutation = body;
    }
    const body = bodies[change.readBack];
    if (body === undefined) continue;
    change.bodies.push(body);
    change.after = lookupOf(change.key, body);
  }
}
