// The configuration as the API knows it: what is live, what a reload would make of it, its history and its backups.
import { access, unlink } from 'node:fs/promises';
import type { Caller } from '../blocking/answers.ts';
import { sha256 } from '../configuration/backup-set.ts';
import type { BackupStore } from '../configuration/backup-store.ts';
import type { LiveFile } from '../configuration/live-file.ts';
import type { ReloadCoordinator } from '../configuration/reload-coordinator.ts';
import type { RenderedConfiguration } from '../configuration/render.ts';
import { ensureFiles } from '../configuration/sites-map.ts';
import { asConfigurationTrouble } from '../configuration/trouble.ts';
import { unifiedDiff } from '../configuration/unified-diff.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isMissing } from '../files/atomic-file.ts';
import { checkConfiguration } from '../haproxy/binary.ts';
import type { BackupRecord, ConfigurationService, PageQuery, ReloadAnswer, ReloadRecord } from '../http/services.ts';
import type { ReloadsStore } from '../store/reloads-store.ts';
import type { Log } from '../telemetry/log.ts';

export class Configuration implements ConfigurationService {
  readonly #live: LiveFile;
  readonly #backups: BackupStore;
  readonly #reloads: ReloadCoordinator;
  readonly #history: ReloadsStore;
  readonly #render: () => Promise<RenderedConfiguration>;
  readonly #proxyBin: string;
  readonly #log: Log;

  constructor(options: {
    readonly live: LiveFile;
    readonly backups: BackupStore;
    readonly reloads: ReloadCoordinator;
    readonly history: ReloadsStore;
    readonly render: () => Promise<RenderedConfiguration>;
    readonly proxyBin: string;
    readonly log: Log;
  }) {
    this.#live = options.live;
    this.#backups = options.backups;
    this.#reloads = options.reloads;
    this.#history = options.history;
    this.#render = options.render;
    this.#proxyBin = options.proxyBin;
    this.#log = options.log;
  }

  async reload(caller: Caller): Promise<ReloadAnswer> {
    const answer = await this.#reloads.reload(`requested by ${caller.keyName}`);
    this.#log.info('Operation done', {
      operation: 'reload',
      key: caller.keyName,
      request_id: caller.requestId,
      reload: answer.id,
    });
    return answer;
  }

  async current(): Promise<{ text: string; sha256: string; path: string }> {
    const text = await this.#live.read();
    if (text === null) {
      throw new ServiceError(
        codes.NotFound,
        'get configuration',
        `there is no configuration at ${this.#live.path} yet`,
      );
    }
    return { text, sha256: sha256(text), path: this.#live.path };
  }

  /** A dry run: nothing that is live is touched, and no reload runs beside it. */
  async validate(): Promise<{ valid: boolean; output: string; sha256: string }> {
    try {
      return await this.#reloads.exclusively(() => this.#dryRun());
    } catch (error) {
      throw asConfigurationTrouble(error, 'validate configuration');
    }
  }

  async #dryRun(): Promise<{ valid: boolean; output: string; sha256: string }> {
    let rendered: RenderedConfiguration;
    try {
      rendered = await this.#render();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 422) throw error;
      return { valid: false, output: String(error.members['output'] ?? error.message), sha256: '' };
    }
    // One that was there stays, also when it had to be mended: the live configuration may name it.
    const absent = await missingOf(rendered.files.map(({ path }) => path));
    const written = (await ensureFiles(rendered.files)).filter((path) => absent.has(path));
    try {
      const candidate = await this.#live.stage(rendered.text);
      try {
        const { valid, output } = await checkConfiguration(this.#proxyBin, candidate.path);
        return { valid, output: output.replaceAll(candidate.path, this.#live.path), sha256: rendered.sha256 };
      } finally {
        await candidate.discard();
      }
    } finally {
      for (const path of written) await unlink(path);
    }
  }

  async diff(): Promise<{ changed: boolean; diff: string }> {
    const [live, rendered] = [(await this.#live.read()) ?? '', await this.#render()];
    return { changed: live !== rendered.text, diff: unifiedDiff(live, rendered.text, this.#live.path) };
  }

  async reloads(query: PageQuery): Promise<{ items: readonly ReloadRecord[]; next_cursor: string | null }> {
    const { items, nextCursor } = await this.#history.list(query);
    return { items: items.map((record) => ({ ...record })), next_cursor: nextCursor };
  }

  async reloadRecord(id: string): Promise<ReloadRecord> {
    const record = await this.#history.get(id);
    if (record === null) throw new ServiceError(codes.NotFound, 'get reload', `there is no reload ${id}`);
    return { ...record };
  }

  async backups(): Promise<readonly BackupRecord[]> {
    const { sets } = await this.#backups.list();
    return sets.map((set) => ({ ...set }));
  }

  async restore(id: string, caller: Caller): Promise<ReloadAnswer> {
    const answer = await this.#reloads.change(async () => {
      const { configText, files } = await this.#backups.read(id);
      return { reasons: [`backup ${id} restored by ${caller.keyName}`], restore: { configText, files } };
    });
    this.#log.info('Operation done', {
      operation: 'restore backup',
      backup: id,
      key: caller.keyName,
      request_id: caller.requestId,
      reload: answer.id,
    });
    return answer;
  }
}

async function missingOf(paths: readonly string[]): Promise<Set<string>> {
  const missing = new Set<string>();
  for (const path of paths) {
    try {
      await access(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      missing.add(path);
    }
  }
  return missing;
}
