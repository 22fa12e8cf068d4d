// A database that is empty, foreign or old must not unblock everything by a rewrite of the map file.
import { link, lstat, rm } from 'node:fs/promises';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { resolveTarget } from '../../files/atomic-file.ts';
import type { MapFile } from '../../haproxy/map-file/map-file.ts';
import { countMapFileLines, readMapFile, readMapFileHeader } from '../../haproxy/map-file/map-file.ts';
import type { BlockedIpsStore } from '../../store/blocked-ips-store.ts';
import type { InstanceStore } from '../../store/instance-store.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { lastChangeOf, newerBy, newerMapFile, recoveryOptions } from './newer-map-file.ts';

/** From this size, dropping more than half of the file's entries needs a confirmation. */
const shrinkGuardFrom = 100;

interface ForeignFileGuardDeps {
  readonly file: MapFile;
  readonly path: string;
  readonly store: BlockedIpsStore;
  readonly instance: InstanceStore;
  readonly log: Log;
}

export class ForeignFileGuard {
  readonly #deps: ForeignFileGuardDeps;

  constructor(deps: ForeignFileGuardDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError 409 with what to confirm; nothing was changed */
  async refuseForeignFile(acceptShrink: boolean): Promise<void> {
    if (this.#deps.file.state === 'current' && (await this.#deps.file.unchanged())) return;
    const identity = await readMapFileHeader(this.#deps.path);
    const { exists, header } = identity;
    if (!exists) return;
    const own = this.#deps.instance.databaseId;
    if (header !== null && header.database !== own) {
      throw new ServiceError(
        codes.ForeignMapFile,
        'update map file',
        `the map file ${this.#deps.path} belongs to database ${header.database}, but this service uses database ${own}; ${recoveryOptions}`,
      );
    }
    const generation = await this.#deps.instance.generation();
    if (newerBy(identity, generation) === 'more') throw newerMapFile(this.#deps.path, identity, generation);
    if (acceptShrink) return;
    const wanted = await this.#deps.store.count();
    // The rule at each start: parsing a million lines to count them would take a seventh of it.
    if ((await countMapFileLines(this.#deps.path)) <= wanted) return;
    const held = await countEntries(this.#deps.path);
    if (held >= shrinkGuardFrom && wanted < held / 2) {
      throw new ServiceError(
        codes.ShrinkRefused,
        'update map file',
        `the map file ${this.#deps.path} has ${held} entries, the database only ${wanted}: a rewrite would drop more than half; ${recoveryOptions}`,
      );
    }
    if (held > wanted) await this.#keepLargerFile(held, wanted);
  }

  /**
   * Call when an operator confirmed the overwrite: a file with entries that the database lacks is kept. Generations
   * continue above the file's, so that the database that wrote it counts as the older one if it returns.
   * @throws ServiceError 503 when it could not be kept; nothing was changed
   */
  async keepCopy(): Promise<void> {
    const identity = await readMapFileHeader(this.#deps.path);
    if (!identity.exists) return;
    const own = identity.header?.database === this.#deps.instance.databaseId;
    const newer = own && newerBy(identity, await this.#deps.instance.generation()) !== 'none';
    const [held, wanted] = [await countEntries(this.#deps.path), await this.#deps.store.count()];
    // A newer file may hold fewer: entries blocked since exist only there.
    if (newer || held > wanted || (!own && (await this.#holdsAnother()))) {
      await this.#keepAside(lastChangeOf(identity), { entries: held, database: wanted });
    }
    if (own) await this.#deps.instance.raiseGeneration(lastChangeOf(identity));
  }

  async #holdsAnother(): Promise<boolean> {
    for await (const lines of readMapFile(this.#deps.path)) {
      const texts = lines.flatMap((line) => (line.kind === 'entry' ? [line.key] : []));
      const present = await this.#deps.store.presentOf(texts);
      if (texts.some((text) => !present.has(text))) return true;
    }
    return false;
  }

  /** Copies are never replaced: each may hold blocks that exist nowhere else. */
  async #keepAside(change: number, about: { readonly entries: number; readonly database: number }): Promise<void> {
    const source = await resolveTarget(this.#deps.path);
    const name = `${source}.kept-${change}`;
    let kept = name;
    try {
      for (let number = 2; !(await linked(source, kept)); number += 1) kept = `${name}-${number}`;
    } catch (error) {
      throw new ServiceError(
        codes.MapFileUnusable,
        'update map file',
        `the map file ${this.#deps.path} has entries that the database lacks, and a copy could not be kept as ${kept}: ${causeText(error)}; nothing was changed. Move the file to another folder, then retry`,
        { cause: error },
      );
    }
    this.#deps.log.warn('Map file is overwritten; a copy is kept under another name', {
      path: this.#deps.path,
      ...about,
      kept,
    });
  }

  /**
   * A crash leaves a few lines too many, and so does a database that lost its last, acknowledged changes. Only an
   * operator who reads both can decide.
   */
  async #keepLargerFile(held: number, wanted: number): Promise<void> {
    const kept = `${this.#deps.path}.kept`;
    const about = { path: this.#deps.path, entries: held, database: wanted, kept };
    try {
      // The copy of a large loss is worth more than that of a later crash.
      const before = (await readMapFileHeader(kept)).exists ? await countEntries(kept) : 0;
      if (before > held) {
        this.#deps.log.warn('Map file held more than the database; an earlier copy holds still more and stays', about);
        return;
      }
      await rm(kept, { force: true });
      await link(await resolveTarget(this.#deps.path), kept);
      this.#deps.log.warn('Map file held more than the database; a copy is kept under another name', about);
    } catch (error) {
      this.#deps.log.warn('Map file held more than the database; keeping a copy failed', {
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
    // An earlier attempt may have kept this very file.
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

/** Compares with the service's own changes: another process may delete thousands of rows. */
export function refuseLostRows(found: number, known: number): void {
  if (known < shrinkGuardFrom || found >= known / 2) return;
  throw new ServiceError(
    codes.ShrinkRefused,
    'update map file',
    `the database holds ${found} entries, but the service expected ${known}: another process deleted more than half; ${recoveryOptions}`,
  );
}
