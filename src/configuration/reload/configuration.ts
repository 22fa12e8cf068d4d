import { access, readFile, unlink } from 'node:fs/promises';
import type { Caller } from '../../api/caller.ts';
import type { Backup, ConfigDiff, ReloadAnswer, ValidationAnswer } from '../../api/configuration.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { isMissing } from '../../files/atomic-file.ts';
import { checkConfiguration } from '../../haproxy/process/binary.ts';
import { sha256 } from '../backups/backup-files.ts';
import type { BackupStore } from '../backups/backup-store.ts';
import type { RenderedConfiguration } from '../template/render.ts';
import { ensureFiles } from '../template/sites-map.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { toConfigurationError } from './configuration-error.ts';
import type { ConfigurationService } from './configuration-service.ts';
import type { LiveFile } from './live-file.ts';
import type { LiveOrigin } from './live-origin.ts';
import { proxyWarnings } from './proxy-warnings.ts';
import { ReloadOperations, type ReloadOperationsDeps } from './reload-operations.ts';

interface ConfigurationDeps extends ReloadOperationsDeps {
  readonly live: LiveFile;
  readonly origin: LiveOrigin;
  readonly backups: BackupStore;
  readonly render: () => Promise<RenderedConfiguration>;
  readonly proxyBin: string;
}

export class Configuration extends ReloadOperations<ConfigurationDeps> implements ConfigurationService {
  async current(): Promise<{ text: string; sha256: string; path: string }> {
    const text = await this.deps.live.read();
    if (text === null) {
      throw new ServiceError(
        codes.NotFound,
        'get configuration',
        `there is no configuration at ${this.deps.live.path} yet`,
      );
    }
    return { text, sha256: sha256(text), path: this.deps.live.path };
  }

  /** A dry run: nothing live changes, and no reload runs meanwhile. */
  async validate(): Promise<ValidationAnswer> {
    try {
      return await this.deps.reloads.exclusively(() => this.#dryRun());
    } catch (error) {
      throw toConfigurationError(error, 'validate configuration');
    }
  }

  async #dryRun(): Promise<ValidationAnswer> {
    let rendered: RenderedConfiguration;
    try {
      rendered = await this.deps.render();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 422) throw error;
      const output = String(error.members['output'] ?? error.message);
      const { needsConsent } = await this.#originAndConsent(null);
      return { valid: false, output, sha256: '', warnings: [], needs_replace_configuration: needsConsent };
    }
    const { needsConsent } = await this.#originAndConsent(rendered.text);
    // Keeps an existing file, even if repaired: the live configuration may name it.
    const absent = await missingOf(rendered.files.map(({ path }) => path));
    const written = (await ensureFiles(rendered.files)).filter((path) => absent.has(path));
    try {
      const candidate = await this.deps.live.stage(rendered.text);
      try {
        const check = await checkConfiguration(this.deps.proxyBin, candidate.path);
        const output = check.output.replaceAll(candidate.path, this.deps.live.path);
        return {
          valid: check.valid,
          output,
          sha256: rendered.sha256,
          warnings: [...rendered.warnings, ...proxyWarnings(output)],
          needs_replace_configuration: needsConsent,
        };
      } finally {
        await candidate.discard();
      }
    } finally {
      for (const path of written) await unlink(path);
    }
  }

  async diff(backup: string | null): Promise<ConfigDiff> {
    if (backup !== null) return await this.#diffToBackup(backup);
    const [live, rendered] = [(await this.deps.live.read()) ?? '', await this.deps.render()];
    const { origin, needsConsent } = await this.#originAndConsent(rendered.text);
    return {
      changed: live !== rendered.text,
      diff: unifiedDiff(live, rendered.text, this.deps.live.path),
      live: origin,
      needs_replace_configuration: needsConsent,
    };
  }

  /** Of its configuration and of each file that is restored with it. */
  async #diffToBackup(id: string): Promise<ConfigDiff> {
    const { configText, files } = await this.deps.backups.read(id);
    const live = (await this.deps.live.read()) ?? '';
    let diff = unifiedDiff(live, configText, this.deps.live.path, 'backup');
    for (const { path, content } of files) diff += unifiedDiff(await textOr(path, ''), content, path, 'backup');
    const { origin } = await this.#originAndConsent(null);
    // A restore needs no further consent: it names what replaces the live configuration.
    return { changed: diff !== '', diff, live: origin, needs_replace_configuration: false };
  }

  /** Whether a reload with `rendered` needs consent; null: it could not be rendered. */
  async #originAndConsent(rendered: string | null): Promise<{ origin: ConfigDiff['live']; needsConsent: boolean }> {
    const live = await this.deps.live.read();
    if (live === null) return { origin: null, needsConsent: false };
    const { live: origin } = await this.deps.origin.of(live);
    return { origin, needsConsent: origin !== 'rendered' && live !== rendered };
  }

  async backups(): Promise<readonly Backup[]> {
    const { sets } = await this.deps.backups.list();
    return sets.map((set) => ({ ...set, written_by: set.written_by ?? null }));
  }

  async restore(id: string, caller: Caller): Promise<ReloadAnswer> {
    const answer = await this.deps.reloads.change(async () => {
      const { configText, files } = await this.deps.backups.read(id);
      return { reasons: [`backup ${id} restored by ${caller.keyName}`], restore: { configText, files, backup: id } };
    });
    const subject = { backup: id };
    this.deps.emit('operation.done', { operation: 'restore_backup', caller, subject, reload: answer.id });
    return answer;
  }
}

async function textOr(path: string, absent: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return absent;
    throw error;
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
