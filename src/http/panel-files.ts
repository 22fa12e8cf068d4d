import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { PanelAsset } from './panel-asset.ts';
import type { PanelFiles } from './services.ts';

export const builtPanel = join(root, 'panel/built');

/**
 * An unreadable panel is logged and left out: blocking works without it. Blocks the event loop, before anything is served:
 * to wait for each of its many files took 45 ms of a start.
 */
export function readPanel(folder: string, log: Log): PanelFiles {
  try {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const assets = new Map<string, PanelAsset>();
    for (const name of readdirSync(join(folder, 'assets')))
      assets.set(name, new PanelAsset(name, readFileSync(join(folder, 'assets', name))));
    return { page, problem: null, assets };
  } catch (error) {
    const problem = causeText(error);
    log.error('Panel files cannot be read; the service runs without the panel', { folder, cause: problem });
    return { page: null, problem: 'its files cannot be read', assets: new Map() };
  }
}
