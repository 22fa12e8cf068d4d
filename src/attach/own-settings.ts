// The settings that the attached service will have: from its unit, its drop-in and the operator's own files.
import { readFileSync } from 'node:fs';
import { readSettings, type Settings } from '../settings.ts';
import type { Host } from './host.ts';
import { paths, serviceUnit } from './steps.ts';

const defaultsFile = '/etc/default/proxy-manager';

/**
 * @param unitTexts in their order; later ones win, then the operator's drop-ins, and the operator's file wins over all
 * @throws SettingsError, also for settings of managed mode only
 */
export async function ownSettings(host: Host, unitTexts: readonly string[]): Promise<Settings> {
  const environment: Record<string, string> = {};
  for (const text of [...unitTexts, ...(await operatorsDropIns(host))]) {
    for (const [, name = '', value = ''] of text.matchAll(/^Environment=["']?(PROXY_MANAGER_\w+)=(.*?)["']?$/gm))
      environment[name] = value;
  }
  const own = (await host.readText(defaultsFile)) ?? '';
  for (const [, name = '', value = ''] of own.matchAll(/^\s*(PROXY_MANAGER_\w+)=(.*)$/gm))
    environment[name] = value.trim().replace(/^(["'])(.*)\1$/, '$2');
  return readSettings(environment, {}, (path) => readFileSync(path, 'utf8'));
}

/** Made by `systemctl edit`; none before the unit exists. */
async function operatorsDropIns(host: Host): Promise<readonly string[]> {
  const { exitCode, output } = await host.run('systemctl', 'cat', serviceUnit);
  if (exitCode !== 0) return [];
  // Each begins with a comment that is its path; the first is the unit itself.
  const [, ...dropIns] = output.split(/^(?=# \/)/m).filter((text) => text.startsWith('# /'));
  return dropIns.filter((text) => !text.startsWith(`# ${paths.serviceDropIn}\n`));
}
