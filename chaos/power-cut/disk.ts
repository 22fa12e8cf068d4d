// A file system at a power failure. Synced data is there; each unsynced sector holds any content since the sync, the
// size is any since then, and each change of a folder is kept or lost by itself. POSIX promises neither an order nor
// that the sync of a file keeps its name.
import type { Random } from '../random.ts';

const sector = 512;
const page = 4_096;

interface Write {
  readonly number: number;
  readonly offset: number;
  /** Null: the file ends at `offset`. */
  readonly bytes: Buffer | null;
}

interface Renaming {
  readonly number: number;
  readonly set: readonly (readonly [name: string, node: Node | null])[];
}

export type Node = FileNode | FolderNode | LinkNode;

/** How much unsynced data survives. */
export type Loss = 'all' | 'nothing' | 'in order' | 'anything';

interface LinkNode {
  readonly kind: 'link';
  readonly target: string;
}

/** Numbers the changes of one disk. */
export class Changes {
  last = 0;
}

export class FileNode {
  readonly kind = 'file';
  readonly #changes: Changes;
  readonly #durable: Content;
  #pending: Write[] = [];
  readonly #current: Content;

  constructor(changes: Changes, content: Buffer = Buffer.alloc(0)) {
    this.#changes = changes;
    this.#durable = new Content(content);
    this.#current = new Content(content);
  }

  get current(): Buffer {
    return this.#current.bytes;
  }

  write(offset: number, bytes: Buffer): void {
    this.#change({ number: ++this.#changes.last, offset, bytes });
  }

  truncate(size: number): void {
    this.#change({ number: ++this.#changes.last, offset: size, bytes: null });
  }

  #change(write: Write): void {
    this.#pending.push(write);
    this.#current.apply(write);
  }

  /** Changes up to `number` are durable. */
  synced(number: number): void {
    for (const write of this.#pending) if (write.number <= number) this.#durable.apply(write);
    this.#pending = this.#pending.filter((write) => write.number > number);
  }

  after(loss: Loss, random: Random, last: number): Buffer {
    if (loss === 'all' || this.#pending.length === 0) return this.#durable.bytes;
    if (loss === 'nothing') return this.#current.bytes;
    if (loss === 'in order') {
      const content = new Content(this.#durable.bytes);
      for (const write of this.#pending) if (write.number <= last) content.apply(write);
      return content.bytes;
    }
    const sizes = [this.#durable.length];
    for (const { offset, bytes } of this.#pending) {
      sizes.push(bytes === null ? offset : Math.max(sizes.at(-1) ?? 0, offset + bytes.length));
    }
    const left = Buffer.alloc(Math.max(...sizes));
    this.#durable.bytes.copy(left);
    for (let at = 0; at < left.length; at += page) {
      // A page is usually written at once; a torn one has sectors of different moments.
      const torn = random.next() < 0.5;
      let moment = random.integer(0, this.#pending.length);
      for (let from = at; from < Math.min(at + page, left.length); from += sector) {
        if (torn) moment = random.integer(0, this.#pending.length);
        const to = Math.min(from + sector, left.length);
        for (const write of this.#pending.slice(0, moment)) applyTo(left, from, to, write);
      }
    }
    return left.subarray(0, random.pick(sizes));
  }
}

export class FolderNode {
  readonly kind = 'folder';
  readonly #changes: Changes;
  #durable: ReadonlyMap<string, Node>;
  #pending: Renaming[] = [];
  #current: Map<string, Node>;

  constructor(changes: Changes, entries: ReadonlyMap<string, Node> = new Map()) {
    this.#changes = changes;
    this.#durable = entries;
    this.#current = new Map(entries);
  }

  get(name: string): Node | undefined {
    return this.#current.get(name);
  }

  get current(): ReadonlyMap<string, Node> {
    return this.#current;
  }

  /** One change, kept or lost completely. Null: the name is removed. */
  set(...names: (readonly [name: string, node: Node | null])[]): void {
    const renaming = { number: ++this.#changes.last, set: names };
    this.#pending.push(renaming);
    rename(this.#current, renaming);
  }

  synced(number: number): void {
    const durable = new Map(this.#durable);
    for (const renaming of this.#pending) if (renaming.number <= number) rename(durable, renaming);
    this.#durable = durable;
    this.#pending = this.#pending.filter((renaming) => renaming.number > number);
  }

  after(loss: Loss, random: Random, last: number): ReadonlyMap<string, Node> {
    if (loss === 'all') return this.#durable;
    const left = new Map(this.#durable);
    for (const renaming of this.#pending) {
      const kept = loss === 'nothing' || (loss === 'in order' ? renaming.number <= last : random.next() < 0.5);
      if (kept) rename(left, renaming);
    }
    return left;
  }
}

/** Grows by small writes more often than it is read. */
class Content {
  #bytes: Buffer;
  #length: number;

  constructor(bytes: Buffer) {
    this.#bytes = Buffer.from(bytes);
    this.#length = bytes.length;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  apply({ offset, bytes }: Write): void {
    const end = bytes === null ? offset : Math.max(this.#length, offset + bytes.length);
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, 2 * this.#bytes.length));
      this.bytes.copy(larger);
      this.#bytes = larger;
    }
    // A file that grows again reads zeros beyond its earlier end.
    if (end < this.#length) this.#bytes.fill(0, end, this.#length);
    bytes?.copy(this.#bytes, offset);
    this.#length = end;
  }
}

function applyTo(content: Buffer, from: number, to: number, { offset, bytes }: Write): void {
  if (bytes === null) {
    if (offset < to) content.fill(0, Math.max(from, offset), to);
    return;
  }
  const [begin, end] = [Math.max(from, offset), Math.min(to, offset + bytes.length)];
  if (begin < end) bytes.copy(content, begin, begin - offset, end - offset);
}

function rename(entries: Map<string, Node>, { set }: Renaming): void {
  for (const [name, node] of set) {
    if (node === null) entries.delete(name);
    else entries.set(name, node);
  }
}
