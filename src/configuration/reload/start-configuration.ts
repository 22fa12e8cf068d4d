// Before the proxy is started: a configuration that it will take. An existing one is kept; one that the proxy refuses
// gives way to the last known good; where there is none at all, or one that proxy-manager itself had rendered, the
// template's takes its place.
import { ServiceError } from '../../errors/service-error.ts';
import { checkConfiguration } from '../../haproxy/process/binary.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import type { BackupContent, BackupStore } from '../backups/backup-store.ts';
import type { RenderedConfiguration } from '../template/render.ts';
import { ensureFiles, type NamedFile } from '../template/sites-map.ts';
import type { LiveFile } from './live-file.ts';
import type { LiveOrigin } from './live-origin.ts';

export type StartConfiguration =
  | { readonly usable: true; readonly source: 'live' | 'known-good' | 'template' }
  | { readonly usable: false; readonly output: string };

/** The map files exist already: a missing one is fatal to any configuration. */
export async function ensureStartConfiguration(options: {
  readonly live: LiveFile;
  readonly origin: LiveOrigin;
  readonly backups: BackupStore;
  readonly proxyBin: string;
  readonly mapFiles: readonly string[];
  readonly render: () => Promise<RenderedConfiguration>;
  readonly log: Log;
}): Promise<StartConfiguration> {
  const { live, origin, backups, log } = options;
  const text = await live.read();
  const known = await readableKnownGood(backups, log);
  let output = '';
  const isOthers = text !== null && (await origin.of(text)).live === 'other';
  if (text !== null) {
    // A file that it names and that is gone must not make a good configuration look bad.
    if (known !== null && known.configText === text) await ensureFiles(known.files);
    const check = await checkConfiguration(options.proxyBin, live.path);
    if (check.valid) return { usable: true, source: 'live' };
    output = check.output;
    log.error('Configuration validation failed', { file: live.path, output });
    const { id } = await backups.create({
      reason: 'refused by the proxy at start',
      configText: text,
      writtenBy: isOthers ? 'other' : 'proxy-manager',
      extraFiles: [],
      mapFiles: options.mapFiles,
    });
    log.info('Backup created', { backup: await backups.dropDouble(id) });
  }
  if (known !== null && known.configText !== text && (await deploy(options, known.configText, known.files))) {
    log.info('Backup restored', { file: live.path });
    return { usable: true, source: 'known-good' };
  }
  // What proxy-manager did not render gives way to a last known good only, never to the template's.
  if (isOthers) return { usable: false, output };
  try {
    const rendered = await options.render();
    await origin.beforeSwitch(rendered.text, text, null);
    if (await deploy(options, rendered.text, rendered.files)) return { usable: true, source: 'template' };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 422) throw error;
    log.error('Configuration validation failed', { output: causeText(error) });
    output = output === '' ? causeText(error) : output;
  }
  return { usable: false, output };
}

/** One that is damaged is none: the start goes on with what else there is. */
export async function readableKnownGood(backups: BackupStore, log: Log): Promise<BackupContent | null> {
  try {
    return await backups.readKnownGood();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    log.error('The last known good configuration cannot be read', { cause: causeText(error) });
    return null;
  }
}

async function deploy(
  options: Parameters<typeof ensureStartConfiguration>[0],
  text: string,
  files: readonly NamedFile[],
): Promise<boolean> {
  await ensureFiles(files);
  const candidate = await options.live.stage(text, 'start-candidate');
  const check = await checkConfiguration(options.proxyBin, candidate.path);
  if (!check.valid) {
    options.log.error('Configuration validation failed', { output: check.output });
    await candidate.discard();
    return false;
  }
  options.log.info('Configuration validation passed', { file: options.live.path });
  await candidate.deploy();
  return true;
}
