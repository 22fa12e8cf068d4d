// The settings that the attached service will have: those of its unit, of the drop-in, and what an operator set himself.
import { readFileSync } from 'node:fs';
import { readSettings, type Settings } from '../settings.ts';
import type { Host } from './host.ts';

export const defaultsFile = '/etc/default/proxy-manager';

/**
 * @param unitTexts in their order; later ones win, and the operator's file wins over all
 * @throws SettingsError, also for what only a service with a configuration of its own may have
 */
export async function ownSettings(host: Host, unitTexts: readonly string[]): Promise<Settings> {
  const environment: Record<string, string> = {};
  for (const text of unitTexts) {
    for (const [, name = '', value = ''] of text.matchAll(/^Environment=(PROXY_MANAGER_\w+)=(.*)$/gm))
      environment[name] = value;
  }
  const own = (await host.readText(defaultsFile)) ?? '';
  for (const [, name = '', value = ''] of own.matchAll(/^\s*(PROXY_MANAGER_\w+)=(.*)$/gm))
    environment[name] = value.trim().replace(/^(["'])(.*)\1$/, '$2');
  return readSettings(environment, {}, (path) => readFileSync(path, 'utf8'));
}
