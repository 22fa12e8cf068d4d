// The operations and faults of a round, decided only by the seed, the round's number and the list of faults.
import { ownAddress, type Pool, poolOf, visitorsOf } from './addresses.ts';
import type { Fault } from './fault.ts';
import { Random } from './random.ts';
import { type Edge, edges, type Naming, naming } from './upstreams.ts';

type SingleChange =
  | {
      readonly op: 'block';
      readonly ip: string;
      readonly seconds: number | null;
      readonly force: boolean;
      readonly source: 'manual' | 'agent';
    }
  /** Null: without a source. */
  | { readonly op: 'unblock'; readonly ip: string; readonly source: 'agent' | null };

export type Operation =
  | SingleChange
  | { readonly op: 'batch'; readonly add: readonly string[]; readonly remove: readonly string[] }
  | {
      readonly op: 'put';
      readonly source: 'manual' | 'list';
      readonly ips: readonly string[];
      /** Includes the base, which no other step changes. */
      readonly base: boolean;
      /** The body breaks off: nothing may change. */
      readonly aborted: boolean;
      readonly allowShrink: boolean;
    }
  | { readonly op: 'sync' }
  | { readonly op: 'reload' }
  | { readonly op: 'set-site'; readonly domain: string }
  | { readonly op: 'remove-site'; readonly domain: string }
  | { readonly op: 'trust'; readonly ip: string }
  | { readonly op: 'distrust'; readonly ip: string }
  /** Of the agent. 600: later than the round. */
  | { readonly op: 'release'; readonly seconds: 0 | 600 }
  | { readonly op: 'keep' }
  /** As an agent does: releases its claims, and keeps them after `forMs`. */
  | { readonly op: 'restart'; readonly forMs: number }
  /** Drops all claims of the agent, after counting them. */
  | { readonly op: 'unblock-all' }
  /** Makes the change, and undoes it. */
  | { readonly op: 'undo'; readonly change: SingleChange }
  /** A key that is not bound blocks `ip`, and is bound to the agent. */
  | { readonly op: 'bind'; readonly ip: string; readonly key: string }
  /** An unblock that trusts the address for an hour. */
  | { readonly op: 'trust-for'; readonly ip: string }
  | { readonly op: 'set-upstream'; readonly upstream: Edge }
  | { readonly op: 'remove-upstream'; readonly upstream: Edge }
  /** The upstream, if it is one, names the client `ip`. */
  | { readonly op: 'visit-through'; readonly upstream: Naming; readonly ip: string }
  /** `ip` is no upstream, and names another client. */
  | { readonly op: 'spoof'; readonly ip: string }
  | { readonly op: 'visit'; readonly ip: string }
  /** Requests again on a connection after `forMs`: its worker may be draining by then. */
  | { readonly op: 'hold'; readonly ip: string; readonly forMs: number };

export interface OperationStep {
  readonly kind: 'operation';
  /** Milliseconds since the start of the round. */
  readonly at: number;
  /** A client sends its operations one after the other. */
  readonly client: number;
  readonly operation: Operation;
}

export interface FaultStep {
  readonly kind: 'fault';
  readonly at: number;
  readonly fault: string;
  /** For the fault's own choices. */
  readonly seed: number;
  /** Milliseconds. */
  readonly lasts: number;
}

export type Step = OperationStep | FaultStep;

export interface Program {
  readonly round: number;
  readonly steps: readonly Step[];
  /** Never blocked; visited at the end of the round. */
  readonly bystanders: readonly string[];
}

interface ProgramOptions {
  /** False: syncs replace changes of sites and upstreams, and visits through upstreams. */
  readonly sites?: boolean;
}

export const domains = ['one.chaos.test', 'two.chaos.test'] as const;

const clients = 8;
const lengthMs = 1_400;
/** Moments with many operations at once. */
const crowds = 5;

/** `single changes`: nothing rewrites the file, so that lost lines stay lost. */
type Style = 'anything' | 'single changes';

export function programOf(
  seed: number,
  round: number,
  faults: readonly Pick<Fault, 'name' | 'alone' | 'holds'>[],
  { sites = true }: ProgramOptions = {},
): Program {
  const random = new Random(Math.imul(seed, 0x9e37_79b1) ^ Math.imul(round, 0x85eb_ca6b));
  const pool = poolOf(random);
  const steps: Step[] = [];
  const style: Style = random.pick(['anything', 'single changes']);
  const moments = Array.from({ length: crowds }, () => random.integer(50, lengthMs - 300));
  const count = random.integer(25, 70);
  for (let n = 0; n < count; n += 1) {
    const at = random.integer(1, 3) === 1 ? random.pick(moments) : random.integer(0, lengthMs);
    const drawnOperation = operationOf(random, pool, style, { round, n });
    const operation = sites || !isOfManaged(drawnOperation) ? drawnOperation : ({ op: 'sync' } as const);
    steps.push({ kind: 'operation', at, client: random.integer(1, clients), operation });
  }
  // One round in eight has no fault: its failures are the product's.
  const strikes = faults.length === 0 ? 0 : random.pick([0, 1, 1, 1, 1, 2, 2, 3]);
  const drawn = distinct(Array.from({ length: strikes }, () => random.pick(faults)));
  const lonely = drawn.find(({ alone }) => alone === true);
  for (const { name } of lonely === undefined ? drawn : [lonely]) {
    steps.push({
      kind: 'fault',
      at: random.integer(1, 2) === 1 ? random.pick(moments) + random.integer(0, 20) : random.integer(0, lengthMs - 300),
      fault: name,
      seed: random.integer(0, 0x7fff_ffff),
      lasts: random.pick([30, 100, 250, 400, 700, 2_200]),
    });
  }
  return { round, steps: steps.sort((a, b) => a.at - b.at), bystanders: pool.bystanders };
}

/** Not of an attached service: it writes no configuration. */
export function isOfManaged(operation: Operation): boolean {
  return 'domain' in operation || 'upstream' in operation;
}

/** Two faults that replace the same socket would only undo each other. */
function distinct<F extends Pick<Fault, 'name' | 'holds'>>(drawn: readonly F[]): readonly F[] {
  const held = (fault: F): readonly string[] => [fault.holds ?? fault.name].flat();
  return drawn.filter(
    (fault, index) =>
      drawn.findIndex((other) => other === fault || held(other).some((one) => held(fault).includes(one))) === index,
  );
}

function operationOf(
  random: Random,
  pool: Pool,
  style: Style,
  { round, n }: { readonly round: number; readonly n: number },
): Operation {
  const ip = (): string => random.pick(pool.entries);
  const dice = random.integer(1, 130);
  const unblock = () => unblockOf(random, pool);
  if (style === 'single changes' && ((dice > 64 && dice <= 77) || (dice > 100 && dice <= 113))) return unblock();
  if (dice <= 34) return blockOf(random, pool);
  if (dice <= 56) return unblock();
  if (dice <= 64) {
    const add = some(random, pool, random.integer(0, 8));
    const remove = some(random, pool, random.integer(add.length === 0 ? 1 : 0, 6)).filter((one) => !add.includes(one));
    return { op: 'batch', add, remove };
  }
  if (dice <= 70) {
    const aborted = random.integer(1, 3) === 1;
    const source = random.pick(['manual', 'list'] as const);
    return {
      op: 'put',
      source,
      ips: some(random, pool, random.integer(1, 16)),
      base: source === 'manual' && random.integer(1, 3) > 1,
      aborted,
      allowShrink: random.integer(1, 3) > 1,
    };
  }
  if (dice <= 72) return { op: 'sync' };
  if (dice <= 74) return { op: 'reload' };
  if (dice <= 76) return { op: 'set-site', domain: random.pick(domains) };
  if (dice <= 77) return { op: 'remove-site', domain: random.pick(domains) };
  if (dice <= 82) return { op: 'trust', ip: random.pick(pool.trusted) };
  if (dice <= 86) return { op: 'distrust', ip: random.pick(pool.trusted) };
  if (dice > 118) return upstreamOperationOf(dice, random, pool);
  if (dice > 100) return claimOperationOf(dice, random, pool, { round, n });
  const visitors = visitorsOf(ip());
  const from = visitors[0] ?? random.pick(pool.bystanders);
  if (dice <= 95) return { op: 'visit', ip: from };
  return { op: 'hold', ip: from, forMs: random.integer(50, 900) };
}

function blockOf(random: Random, pool: Pool): SingleChange {
  const seconds = random.pick([null, null, null, 1, 2, 600]);
  const source = random.integer(1, 3) === 1 ? 'agent' : 'manual';
  return { op: 'block', ip: random.pick(pool.entries), seconds, force: random.integer(1, 4) === 1, source };
}

function unblockOf(random: Random, pool: Pool): SingleChange {
  return { op: 'unblock', ip: random.pick(pool.entries), source: random.integer(1, 3) === 1 ? 'agent' : null };
}

function claimOperationOf(
  dice: number,
  random: Random,
  pool: Pool,
  { round, n }: { readonly round: number; readonly n: number },
): Operation {
  if (dice <= 103) return { op: 'release', seconds: random.pick([0, 0, 600] as const) };
  if (dice <= 104) return { op: 'keep' };
  if (dice <= 107) return { op: 'restart', forMs: random.integer(0, 300) };
  if (dice <= 109) return { op: 'unblock-all' };
  if (dice <= 113) return { op: 'undo', change: (random.integer(1, 2) === 1 ? blockOf : unblockOf)(random, pool) };
  if (dice <= 115) return { op: 'bind', ip: ownAddress(round, n), key: `chaos-${round}-${n}` };
  return { op: 'trust-for', ip: random.pick(pool.trusted) };
}

function upstreamOperationOf(dice: number, random: Random, pool: Pool): Operation {
  if (dice <= 120) return { op: 'set-upstream', upstream: random.pick(edges) };
  if (dice <= 122) return { op: 'remove-upstream', upstream: random.pick(edges) };
  const entry = random.pick(pool.entries);
  const [visitor] = visitorsOf(entry);
  if (dice <= 128) return { op: 'visit-through', upstream: random.pick(naming), ip: visitor ?? entry };
  return { op: 'spoof', ip: visitor ?? random.pick(pool.bystanders) };
}

function some(random: Random, pool: Pool, count: number): string[] {
  return [...new Set(Array.from({ length: count }, () => random.pick(pool.entries)))];
}

export function describeOperation(operation: Operation): string {
  switch (operation.op) {
    case 'block': {
      const time = operation.seconds === null ? '' : ` for ${operation.seconds} s`;
      return `block ${operation.ip}${time}${operation.force ? ' with force' : ''} as ${operation.source}`;
    }
    case 'unblock':
      return `unblock ${operation.ip}${operation.source === null ? '' : ` as ${operation.source}`}`;
    case 'batch':
      return `batch +[${operation.add.join(' ')}] -[${operation.remove.join(' ')}]`;
    case 'put': {
      const how = `${operation.base ? ' and the base' : ''}${operation.aborted ? ', cut off' : ''}${operation.allowShrink ? ', shrinking' : ''}`;
      return `put [${operation.ips.join(' ')}]${how} as ${operation.source}`;
    }
    case 'release':
      return operation.seconds === 0 ? 'release' : `release in ${operation.seconds} s`;
    case 'restart':
      return `restart of the agent for ${operation.forMs} ms`;
    case 'undo':
      return `undo of: ${describeOperation(operation.change)}`;
    case 'bind':
      return `bind ${operation.key}, which blocks ${operation.ip}`;
    case 'sync':
    case 'reload':
    case 'keep':
    case 'unblock-all':
      return operation.op;
    case 'set-site':
    case 'remove-site':
      return `${operation.op} ${operation.domain}`;
    case 'set-upstream':
    case 'remove-upstream':
      return `${operation.op} ${operation.upstream}`;
    case 'visit-through':
      return `visit of ${operation.ip} through ${operation.upstream}`;
    case 'hold':
      return `hold ${operation.ip} for ${operation.forMs} ms`;
    default:
      return `${operation.op} ${operation.ip}`;
  }
}

export function entriesOf(steps: readonly Step[]): string[] {
  const entries = new Set<string>();
  for (const step of steps) {
    if (step.kind !== 'operation') continue;
    const operation = step.operation.op === 'undo' ? step.operation.change : step.operation;
    if (operation.op === 'batch') for (const ip of [...operation.add, ...operation.remove]) entries.add(ip);
    else if (operation.op === 'put') for (const ip of operation.ips) entries.add(ip);
    else if ('ip' in operation) entries.add(operation.ip);
  }
  return [...entries];
}
