// The commands of a group, and which reply speaks for which address. Pure.
import type { Command } from '../socket/conversation-command.ts';
import { BLOCKING_VALUE, type MapCommands } from './runtime-map-commands.ts';
import { type Sight, sightOf, type Wish } from './runtime-map-judgement.ts';

/** Addresses from this many on are added by payload; fewer by the command of rule 4. */
const PAYLOAD_FROM = 2;

/** What became of one address. */
export interface Subject {
  readonly key: string;
  readonly wish: Wish;
  readonly bodies: string[];
  before: Sight | null;
  /** Where its replies are in stage 2. */
  mutations: number[];
  readBack: number;
  sight: Sight | null;
  mutation: string | null;
  /** Stands for it in what is reported: its first one, until its change is planned. */
  command: string;
}

export interface Stage {
  readonly commands: Command[];
  readonly subjects: Subject[];
}

export function subjectsOf(add: readonly string[], remove: readonly string[], commands: MapCommands): Subject[] {
  const keys = new Set<string>();
  const subject =
    (wish: Wish) =>
    (key: string): Subject => {
      if (keys.has(key)) throw new RangeError(`${key} is twice in one group`);
      keys.add(key);
      const command = wish === 'add' ? commands.get(key) : commands.del(key);
      return { key, wish, bodies: [], before: null, mutations: [], readBack: -1, sight: null, mutation: null, command };
    };
  return [...add.map(subject('add')), ...remove.map(subject('remove'))];
}

/**
 * The changes of stage 2 and the read-backs, with each address told where its replies will be.
 * @param fresh the additions that a pending version does not get from whoever fills it
 */
export function planChanges(
  commands: MapCommands,
  all: readonly Subject[],
  pendingVersion: number | undefined,
  fresh?: readonly string[],
): Stage {
  // An answer that could not be read says nothing about the map: adding on top of it might store the entry twice.
  const subjects = all.filter((subject) => subject.before?.state !== 'unknown');
  const plan: Command[] = [];
  const change = (subject: Subject, command: string): void => {
    subject.mutations.push(plan.push(command) - 1);
    subject.command = command;
  };
  const additions = subjects.filter((subject) => subject.wish === 'add');
  addTo(
    plan,
    commands,
    additions.filter((subject) => subject.before?.state === 'absent'),
  );
  for (const subject of additions) {
    const before = subject.before;
    if (before?.state === 'exact' && before.value !== BLOCKING_VALUE) change(subject, commands.set(subject.key));
  }
  if (pendingVersion !== undefined) {
    const lacking = new Set(fresh ?? additions.map((subject) => subject.key));
    const own = additions.filter((subject) => lacking.has(subject.key));
    addTo(plan, commands, own, pendingVersion);
  }
  for (const subject of subjects) if (subject.wish === 'remove') change(subject, commands.del(subject.key));
  for (const subject of subjects) subject.readBack = plan.push(commands.get(subject.key)) - 1;
  return { commands: plan, subjects };
}

function addTo(plan: Command[], commands: MapCommands, subjects: readonly Subject[], version?: number): void {
  // One command stands for the address in what is reported: the live map's, where there is one.
  const show = (subject: Subject): void => {
    if (subject.mutations.length === 0) subject.command = commands.add(subject.key, version);
  };
  if (subjects.length < PAYLOAD_FROM) {
    for (const subject of subjects) {
      show(subject);
      subject.mutations.push(plan.push(commands.add(subject.key, version)) - 1);
    }
    return;
  }
  let next = 0;
  for (const chunk of commands.addAll(
    subjects.map((subject) => subject.key),
    version,
  )) {
    const index = plan.push(chunk.command) - 1;
    for (const subject of subjects.slice(next, next + chunk.keys.length)) {
      show(subject);
      subject.mutations.push(index);
    }
    next += chunk.keys.length;
  }
}

/** Takes over what came; with a connection that failed that may be less than was asked. */
export function readBack(stage: Stage, bodies: readonly string[]): void {
  for (const subject of stage.subjects) {
    for (const index of subject.mutations) {
      const body = bodies[index];
      if (body === undefined) continue;
      subject.bodies.push(body);
      // The one that is no success, if any: an addition may have gone to two versions.
      if (subject.mutation === null || subject.mutation === '') subject.mutation = body;
    }
    const body = bodies[subject.readBack];
    if (body === undefined) continue;
    subject.bodies.push(body);
    subject.sight = sightOf(subject.key, body);
  }
}
