// The certificates of one worker: put into it, read back, compared, removed.
//
// A worker has one transaction for all clients, and it outlives its connection. While one is open for A, 2.6 puts what
// is set for B into A's. So an open transaction is waited for, then aborted, and every reply is compared with its name.
import { pause } from '../../concurrency/pause.ts';
import type { Conversation } from '../socket/conversation.ts';
import { type Command, MAX_COMMAND_BYTES } from '../socket/conversation-command.ts';
import { type Deadline, type MasterSocket, MasterSocketError } from '../socket/master-socket.ts';
import { isWorkerGone } from '../socket/replies.ts';
import { SslCommands } from './ssl-commands.ts';
import {
  type HeldCertificate,
  isGoodAbort,
  isGoodListing,
  isGoodNew,
  isGoodRemoval,
  isGoodUnlisting,
  isUnknownList,
  type ListEntry,
  parseCertificate,
  parseCommit,
  parseList,
  parseNames,
  parseOngoing,
  parseSet,
} from './ssl-replies.ts';

/** An open transaction that is still there after this time was left by a process that is gone. */
const TRANSACTION_WAIT_MS = 1_000;
const TRANSACTION_POLL_MS = 50;
const SHOWN_REPLY = 300;

/** A certificate as a worker has to hold it. */
export interface CertificateForWorker {
  /** Absolute path. */
  readonly file: string;
  /** Leaf, chain and key, without empty lines. */
  readonly pem: { reveal(): string };
  /** Of the leaf: 40 hex digits, upper case. */
  readonly sha1: string;
  /** As HAProxy prints them. Empty: no chain, or HAProxy adds one of its own. */
  readonly chainSubjects: readonly string[];
}

export type NotHeld =
  /** The worker has exited, or does not take commands yet. */
  | 'gone'
  /** No answer, or none in time. */
  | 'unreachable'
  /** HAProxy does not accept the certificate. */
  | 'refused'
  /** No `bind` line of the worker's configuration names the list: no certificate of it is served. */
  | 'list-unused'
  /** Longer than a command may be: only a file, read by a reload, brings it in. */
  | 'too-long'
  /** Another process interferes, or the reply is unknown. */
  | 'failed';

/** A timer may fire a moment early: a try at the deadline would say that an earlier command waits, not that this one did. */
const leastTryMs = 10;

/** Whether another try may succeed. */
export function mayPass(fault: NotHeld): boolean {
  return fault === 'unreachable' || fault === 'failed';
}

/**
 * Whether a worker was read back to hold a certificate. `reason`: in plain words. `notAfter`: when the one expires that
 * it holds for this file, ISO 8601; null: none, or not known.
 */
export type Holding = { readonly notAfter: string | null } & (
  | { readonly holds: true }
  | { readonly holds: false; readonly fault: NotHeld; readonly reason: string }
);

/** What a worker has, of a list. */
export interface WorkerCertificates {
  /** The file of the open transaction; null: none. */
  readonly transaction: string | null;
  readonly files: ReadonlySet<string>;
  /** Null: the worker's configuration does not name the list. */
  readonly entries: readonly ListEntry[] | null;
}

interface RuntimeCertificatesDeps {
  readonly socket: MasterSocket;
  /** The path of the list, as in the configuration. */
  readonly list: string;
  /** A transaction that another process left was aborted. */
  readonly onLeftOver?: (pid: number, file: string) => void;
}

export class CertificateRejection extends Error {
  override readonly name = 'CertificateRejection';
  readonly fault: NotHeld;
  /** The transaction that is in the way, or that has to be aborted. */
  readonly transaction: string | null;

  constructor(fault: NotHeld, message: string, transaction: string | null = null) {
    super(message);
    this.fault = fault;
    this.transaction = transaction;
  }
}

export class RuntimeCertificates {
  readonly #deps: RuntimeCertificatesDeps;

  constructor(deps: RuntimeCertificatesDeps) {
    this.#deps = deps;
  }

  /** Sets the certificate, lists it if it is not listed, and reads it back. Tries twice, and leaves no transaction. */
  async put(pid: number, certificate: CertificateForWorker, deadline: Deadline): Promise<Holding> {
    const commands = new SslCommands(pid);
    const tooLong = lengthProblem(commands, certificate);
    // A reload may have brought it in.
    if (tooLong !== null) return await this.#compareOne(pid, certificate, deadline, tooLong);
    let holding = await this.#try(pid, certificate, deadline, false);
    if (!holding.holds && mayPass(holding.fault) && deadline - performance.now() > leastTryMs)
      holding = await this.#try(pid, certificate, deadline, true);
    return holding;
  }

  /** Rejects with MasterSocketError or CertificateRejection. */
  async contents(pid: number, deadline: Deadline): Promise<WorkerCertificates> {
    const conversation = await this.#deps.socket.converse(deadline);
    try {
      const contents = await this.#contentsOn(conversation, pid);
      await conversation.finish([]);
      return contents;
    } finally {
      conversation.close();
    }
  }

  /** Reads certificates back, on one connection. Rejects as `contents`. */
  async read(
    pid: number,
    files: readonly string[],
    deadline: Deadline,
  ): Promise<ReadonlyMap<string, HeldCertificate | 'absent'>> {
    const commands = files.map((file) => new SslCommands(pid).show(file));
    const conversation = await this.#deps.socket.converse(deadline);
    try {
      const bodies = await conversation.finish(commands);
      return new Map(
        files.map((file, at) => [file, readable(commands[at]!, bodies[at] ?? '', parseCertificate(bodies[at] ?? ''))]),
      );
    } finally {
      conversation.close();
    }
  }

  /** Takes every entry of the file out of the list, then the certificate. Rejects as `contents`. */
  async remove(pid: number, file: string, deadline: Deadline): Promise<void> {
    const { socket, list } = this.#deps;
    const commands = new SslCommands(pid);
    const { entries, files } = await this.contents(pid, deadline);
    for (const { line } of (entries ?? []).filter((entry) => entry.file === file)) {
      const command = commands.unlist(list, file, line);
      const body = await this.#askLast(command, deadline);
      if (!isGoodUnlisting(body, list, file)) throw unknownReply(command, body);
    }
    if (!files.has(file)) return;
    const command = commands.remove(file);
    const body = await this.#askLast(command, deadline);
    if (!isGoodRemoval(body, file)) throw unknownReply(command, body);
    const left = await this.contents(pid, deadline);
    if (!left.files.has(file) && left.entries?.some((entry) => entry.file === file) !== true) return;
    throw new CertificateRejection('failed', `${socket.path}: worker ${pid} still has ${file} after its removal`);
  }

  async #askLast(command: Command, deadline: Deadline): Promise<string> {
    return (await this.#deps.socket.ask(command, deadline)).trimEnd();
  }

  async #compareOne(pid: number, certificate: CertificateForWorker, deadline: Deadline, why: string): Promise<Holding> {
    try {
      const { entries } = await this.contents(pid, deadline);
      if (entries === null) throw listUnused(this.#deps.list);
      const held = (await this.read(pid, [certificate.file], deadline)).get(certificate.file) ?? 'absent';
      const isListed = entries.some(({ file }) => file === certificate.file);
      const notAfter = endOf(held);
      if (isListed && difference(held, certificate) === null) return { holds: true, notAfter };
      return { holds: false, fault: 'too-long', reason: why, notAfter };
    } catch (error) {
      return notHeld(error, { notAfter: null });
    }
  }

  /** @param hasTried a transaction that is open for this file is the one that the first try left */
  async #try(pid: number, certificate: CertificateForWorker, deadline: Deadline, hasTried: boolean): Promise<Holding> {
    let conversation: Conversation | null = null;
    const seen: Seen = { notAfter: null };
    try {
      conversation = await this.#deps.socket.converse(deadline);
      await this.#putOnce(conversation, pid, certificate, { hasTried, seen });
      await conversation.finish([]);
      return { holds: true, ...seen };
    } catch (error) {
      if (error instanceof CertificateRejection && error.transaction !== null && conversation !== null) {
        const aborted = await this.#abort(conversation, pid, error.transaction);
        if (aborted !== null)
          return notHeld(new CertificateRejection(error.fault, `${error.message}; ${aborted}`), seen);
      }
      return notHeld(error, seen);
    } finally {
      conversation?.close();
    }
  }

  async #putOnce(
    conversation: Conversation,
    pid: number,
    certificate: CertificateForWorker,
    { hasTried, seen }: { readonly hasTried: boolean; readonly seen: Seen },
  ): Promise<void> {
    const { list } = this.#deps;
    const { file, pem } = certificate;
    const commands = new SslCommands(pid);
    const { files, entries } = await this.#withoutTransaction(conversation, pid, hasTried ? file : null);
    if (entries === null) throw listUnused(list);
    if (!files.has(file)) {
      const [created = ''] = await conversation.send([commands.create(file)]);
      if (!isGoodNew(created, file)) throw unknownReply(commands.create(file), created);
    }
    const set = commands.set(file, pem);
    const [body = '', commit = '', shown = ''] = await conversation.send([
      set,
      commands.commit(file),
      commands.show(file),
    ]);
    seen.notAfter = endOf(parseCertificate(shown));
    const setIn = parseSet(body);
    if (setIn === null) throw refused(set.command, body);
    if (setIn !== file)
      throw new CertificateRejection('failed', `worker ${pid} put it into the transaction of ${setIn}`, setIn);
    if (parseCommit(commit, file) === null) throw refused(commands.commit(file), commit, file);
    let after = shown;
    if (!entries.some((entry) => entry.file === file)) {
      const add = commands.list(list, file);
      const [added = '', again = ''] = await conversation.send([add, commands.show(file)]);
      if (!isGoodListing(added, list, file)) throw refused(add, added);
      after = again;
    }
    const held = readable(commands.show(file), after, parseCertificate(after));
    seen.notAfter = endOf(held);
    const why = difference(held, certificate);
    if (why !== null) throw new CertificateRejection('failed', `worker ${pid} was read back: ${why}`);
  }

  async #contentsOn(conversation: Conversation, pid: number): Promise<WorkerCertificates> {
    const { list } = this.#deps;
    const commands = new SslCommands(pid);
    const [names = '', entries = ''] = await conversation.send([commands.names(), commands.showList(list)]);
    const { transaction, files } = readable(commands.names(), names, parseNames(names));
    return {
      transaction,
      files: new Set(files),
      entries: isUnknownList(entries) ? null : readable(commands.showList(list), entries, parseList(entries, list)),
    };
  }

  /**
   * Waits until no transaction is open, or aborts it.
   * @param own aborted at once
   */
  async #withoutTransaction(conversation: Conversation, pid: number, own: string | null): Promise<WorkerCertificates> {
    let waitedFor: string | null = null;
    let since = performance.now();
    for (;;) {
      const contents = await this.#contentsOn(conversation, pid);
      const { transaction } = contents;
      if (transaction === null) return contents;
      if (transaction !== waitedFor) since = performance.now();
      waitedFor = transaction;
      if (transaction === own || performance.now() - since >= TRANSACTION_WAIT_MS) {
        const problem = await this.#abort(conversation, pid, transaction);
        if (problem !== null) throw new CertificateRejection('failed', problem);
        if (transaction !== own) this.#deps.onLeftOver?.(pid, transaction);
        waitedFor = null;
        continue;
      }
      await pause(TRANSACTION_POLL_MS);
    }
  }

  /** Null: nothing is left of it. */
  async #abort(conversation: Conversation, pid: number, file: string): Promise<string | null> {
    const command = new SslCommands(pid).abort(file);
    try {
      const [body = ''] = await conversation.send([command]);
      // Meanwhile committed, and another one begun: nothing of ours.
      if (isGoodAbort(body, file) || parseOngoing(body) !== null) return null;
      return unknownReply(command, body).message;
    } catch (error) {
      if (error instanceof MasterSocketError) return `its transaction could not be aborted: ${error.message}`;
      throw error;
    }
  }
}

/** When the certificate expires that was last read back. */
interface Seen {
  notAfter: string | null;
}

export function endOf(held: HeldCertificate | 'absent' | null): string | null {
  return held === null || held === 'absent' ? null : held.notAfter;
}

/** Why a worker's certificate is not the wanted one; null: it is. */
export function difference(
  held: HeldCertificate | 'absent',
  { sha1, chainSubjects }: Pick<CertificateForWorker, 'sha1' | 'chainSubjects'>,
): string | null {
  if (held === 'absent') return 'it is not loaded';
  if (held.sha1 !== sha1) return `it has another certificate (SHA-1 ${held.sha1 ?? 'of none'})`;
  if (chainSubjects.length > 0 && held.chainSubjects.join('\n') !== chainSubjects.join('\n'))
    return 'it has another chain';
  return held.status === 'Used' ? null : 'no list uses it';
}

function lengthProblem(commands: SslCommands, { file, pem }: CertificateForWorker): string | null {
  const length = Buffer.byteLength(pem.reveal()) + commands.commit(file).length;
  if (length + 10 <= MAX_COMMAND_BYTES) return null;
  return `too long for a command (${length} bytes of at most ${MAX_COMMAND_BYTES}): only a reload brings it in`;
}

function listUnused(list: string): CertificateRejection {
  return new CertificateRejection(
    'list-unused',
    `its configuration does not use the list ${list}: reload HAProxy if a setting was changed; in a configuration of your own add "crt-list ${list}" to the bind line for HTTPS`,
  );
}

/** @param transaction stays open after the refusal */
function refused(command: string, body: string, transaction: string | null = null): CertificateRejection {
  const isLocked = body.includes('Operations on certificates are currently locked!');
  const isOngoing = parseOngoing(body) !== null;
  const fault = isLocked || isOngoing ? 'failed' : 'refused';
  return new CertificateRejection(fault, `${command}: ${shownReply(body)}`, transaction);
}

function unknownReply(command: string, body: string): CertificateRejection {
  return new CertificateRejection('failed', `${command}: ${shownReply(body)}`);
}

function readable<T>(command: string, body: string, parsed: T | null): T {
  if (parsed === null) throw unknownReply(command, body);
  return parsed;
}

function shownReply(body: string): string {
  return JSON.stringify(body.slice(0, SHOWN_REPLY));
}

function notHeld(error: unknown, { notAfter }: Seen): Holding {
  if (error instanceof CertificateRejection)
    return { holds: false, fault: error.fault, reason: error.message, notAfter };
  if (!(error instanceof MasterSocketError)) throw error;
  const fault = isWorkerGone(error.partial) ? 'gone' : 'unreachable';
  return { holds: false, fault, reason: fault === 'gone' ? 'the worker has exited' : error.message, notAfter };
}
