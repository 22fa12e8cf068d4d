// What a rewrite of the map file asks first: whether the file is of this database, and of this state of it, and whether
// it would drop more than half. A database that is empty, foreign or old must not unblock the world.
import { link, lstat, rm } from 'node:fs/promises';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { resolveTarget } from '../../files/atomic-file.ts';
import type { MapFile } from '../../haproxy/map-file/map-file.ts';
import { readMapFile, readMapFileHeader } from '../../haproxy/map-file/map-file.ts';
import type { BlockedIpsStore } from '../../store/blocked-ips-store.ts';
import type { InstanceStore } from '../../store/instance-store.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { lastChangeOf, newerBy, newerMapFile, waysOut } from './newer-map-file.ts';

/** From here up a rewrite that drops more than half of the file's entries needs a confirmation. */
const shrinkGuardFrom = 100;

export class ForeignFileGuard {
  readonly #file: MapFile;
  readonly #path: string;
  readonly #store: BlockedIpsStore;
  readonly #instance: InstanceStore;
  readonly #log: Log;

  constructor(options: {
    readonly file: MapFile;
    readonly path: string;
    readonly store: BlockedIpsStore;
    readonly instance: InstanceStore;
    readonly log: Log;
  }) {
    this.#file = options.file;
    this.#path = options.path;
    this.#store = options.store;
    this.#instance = options.instance;
    this.#log = options.log;
  }

  /** @throws ServiceError 409 with what to confirm; nothing was changed */
  async refuseForeignFile(acceptShrink: boolean): Promise<void> {
    if (this.#file.state === 'current' && (await this.#file.unchanged())) return;
    const identity = await readMapFileHeader(this.#path);
    const { exists, header } = identity;
    if (!exists) return;
    const own = this.#instance.databaseId;
    if (header !== null && header.database !== own) {
      throw new ServiceError(
        codes.ForeignMapFile,
        'update map file',
        `the map file ${this.#path} belongs to database ${header.database}, this one is ${own}; ${waysOut}`,
      );
    }
    const generation = await this.#instance.generation();
    if (newerBy(identity, generation) === 'more') throw newerMapFile(this.#path, identity, generation);
    if (acceptShrink) return;
    const [held, wanted] = [await countEntries(this.#path), await this.#store.count()];
    if (held >= shrinkGuardFrom && wanted < held / 2) {
      throw new ServiceError(
        codes.ShrinkRefused,
        'update map file',
        `the map file ${this.#path} holds ${held} entries and the database ${wanted}: a rewrite would drop more than half; ${waysOut}`,
      );
    }
    if (held > wanted) await this.#keepLargerFile(held, wanted);
  }

  /**
   * An operator confirmed that the file is overwritten. One that holds what the database lacks is kept under another
   * name. No change from now on has the number of one of the file's, so that the database that made those is
   * known to be the older one, should it come back.
   * @throws ServiceError 503 when it could not be kept; nothing was changed
   */
  async keepCopy(): Promise<void> {
    const identity = await readMapFileHeader(this.#path);
    if (!identity.exists) return;
    const own = identity.header?.database === this.#instance.databaseId;
    const newer = own && newerBy(identity, await this.#instance.generation()) !== 'none';
    const [held, wanted] = [await countEntries(this.#path), await this.#store.count()];
    // A newer file may hold fewer: what was unblocked since is not in it, and what was blocked since is nowhere else.
    if (newer || held > wanted || (!own && (await this.#holdsAnother()))) {
      await this.#keepAside(lastChangeOf(identity), { entries: held, database: wanted });
    }
    if (own) await this.#instance.raiseGeneration(lastChangeOf(identity));
  }

  /** Whether the file has an entry that the database lacks. */
  async #holdsAnother(): Promise<boolean> {
    for await (const lines of readMapFile(this.#path)) {
      const texts = lines.flatMap((line) => (line.kind === 'entry' ? [line.key] : []));
      const present = await this.#store.presentOf(texts);
      if (texts.some((text) => !present.has(text))) return true;
    }
    return false;
  }

  /** No copy that was made before is replaced: each may hold blocks that are nowhere else. */
  async #keepAside(change: number, about: { readonly entries: number; readonly database: number }): Promise<void> {
    const source = await resolveTarget(this.#path);
    const name = `${source}.kept-${change}`;
    let kept = name;
    try {
      for (let number = 2; !(await linked(source, kept)); number += 1) kept = `${name}-${number}`;
    } catch (error) {
      throw new ServiceError(
        codes.MapFileUnusable,
        'update map file',
        `the map file ${this.#path} holds what the database lacks, and could not be kept as ${kept}: ${causeText(error)}; nothing was changed. Copy it elsewhere and move it away before you accept its loss`,
        { cause: error },
      );
    }
    this.#log.warn('Map file is overwritten; a copy is kept under another name', { path: this.#path, ...about, kept });
  }

  /**
   * A crash leaves a few lines too many; a database that lost its last changes (its write-ahead log was cut) leaves as
   * many as those were, and they were acknowledged. Only a reader of both can tell which it is.
   */
  async #keepLargerFile(held: number, wanted: number): Promise<void> {
    const kept = `${this.#path}.kept`;
    const about = { path: this.#path, entries: held, database: wanted, kept };
    try {
      // The copy of a worse loss is worth more than that of the few lines that a later crash left.
      const before = (await readMapFileHeader(kept)).exists ? await countEntries(kept) : 0;
      if (before > held) {
        this.#log.warn('Map file held more than the database; an earlier copy holds still more and stays', about);
        return;
      }
      await rm(kept, { force: true });
      await link(await resolveTarget(this.#path), kept);
      this.#log.warn('Map file held more than the database; a copy is kept under another name', about);
    } catch (error) {
      this.#log.warn('Map file held more than the database; keeping a copy failed', {
        ...about,
        cause: causeText(error),
      });
    }
  }
}

/** False: another file has that name. */
async function linked(source: string, name: string): Promise<boolean> {
  try {
    await link(source, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // An attempt before this one may have kept this very file.
    const [ours, its] = [await lstat(source), await lstat(name)];
    return ours.ino === its.ino && ours.dev === its.dev;
  }
}

async function countEntries(path: string): Promise<number> {
  let count = 0;
  for await (const lines of readMapFile(path)) {
    for (const line of lines) if (line.kind === 'entry') count += 1;
  }
  return count;
}

/** Against what the service's own changes made of the set: rows deleted by another process, by the thousand. */
export function refuseLostRows(found: number, known: number): void {
  if (known < shrinkGuardFrom || found >= known / 2) return;
  throw new ServiceError(
    codes.ShrinkRefused,
    'update map file',
    `the database holds ${found} entries where the service knew ${known}: another process deleted more than half; ${waysOut}`,
  );
}
