// Ensures a configuration that HAProxy accepts before its start. An existing one is kept; an invalid one is replaced
// by the last known good. The template replaces a missing file, or one that proxy-manager rendered itself.
import { ServiceError } from '../../errors/service-error.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { BackupStore } from '../backups/backup-store.ts';
import { lastKnownGood } from '../backups/last-known-good.ts';
import type { RenderedConfiguration } from '../template/render.ts';
import { ensureFiles, type NamedFile } from '../template/sites-map.ts';
import { checkGuarded, type SubstituteCertificates } from './guarded-check.ts';
import type { LiveFile } from './live-file.ts';
import type { LiveOrigin } from './live-origin.ts';

type StartConfiguration =
  | { readonly usable: true; readonly source: 'live' | 'known-good' | 'template' }
  | { readonly usable: false; readonly output: string };

interface StartDeps {
  readonly live: LiveFile;
  readonly origin: LiveOrigin;
  readonly backups: BackupStore;
  readonly proxyBin: string;
  readonly mapFiles: readonly string[];
  readonly render: () => Promise<RenderedConfiguration>;
  /** Absent: HAProxy serves no certificates of this service. */
  readonly substitute?: SubstituteCertificates | undefined;
  readonly log: Log;
}

/** Call once the map files exist: any configuration fails without them. */
export async function ensureStartConfiguration(deps: StartDeps): Promise<StartConfiguration> {
  const { live, origin, backups, log } = deps;
  const text = await live.read();
  const known = await lastKnownGood(backups, log);
  let output = '';
  const isForeign = text !== null && (await origin.of(text)).live === 'other';
  if (text !== null) {
    // A missing file that it names must not make a valid configuration fail.
    if (known !== null && known.configText === text) await ensureFiles(known.files);
    const check = await checkGuarded(deps.proxyBin, live.path, deps.substitute);
    if (check.valid) return { usable: true, source: 'live' };
    output = check.output;
    log.error('Configuration validation failed', { file: live.path, output });
    const { id } = await backups.create({
      reason: 'refused by HAProxy at start',
      configText: text,
      writtenBy: isForeign ? 'other' : 'proxy-manager',
      extraFiles: [],
      mapFiles: deps.mapFiles,
    });
    log.info('Backup created', { backup: await backups.dropDuplicate(id) });
  }
  if (known !== null && known.configText !== text && (await deploy(deps, known.configText, known.files))) {
    log.info('Backup restored', { file: live.path });
    return { usable: true, source: 'known-good' };
  }
  // Only a last known good replaces what proxy-manager did not render, never the template.
  if (isForeign) return { usable: false, output };
  try {
    const rendered = await deps.render();
    await origin.beforeSwitch(rendered.text, text, null);
    if (await deploy(deps, rendered.text, rendered.files)) return { usable: true, source: 'template' };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 422) throw error;
    log.error('Configuration validation failed', { output: causeText(error) });
    output = output === '' ? causeText(error) : output;
  }
  return { usable: false, output };
}

async function deploy(deps: StartDeps, text: string, files: readonly NamedFile[]): Promise<boolean> {
  await ensureFiles(files);
  const candidate = await deps.live.stage(text, 'start-candidate');
  const check = await checkGuarded(deps.proxyBin, candidate.path, deps.substitute);
  if (!check.valid) {
    deps.log.error('Configuration validation failed', { output: check.output });
    await candidate.discard();
    return false;
  }
  deps.log.info('Configuration validation passed', { file: deps.live.path });
  await candidate.deploy();
  return true;
}
