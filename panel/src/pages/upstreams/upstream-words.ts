// How an upstream names its client, and whether it is in force.

import { counted } from '../../../../src/domain/counted.ts';
import { unusedUpstreamMap } from '../../../../src/domain/upstream.ts';
import type { UpstreamHeader } from '../../../../src/domain/upstream-modes.ts';
import { type PresetName, upstreamPresets } from '../../../../src/domain/upstream-presets.ts';
import type { Upstream, UpstreamAnswer, UpstreamList } from '../../api/types.ts';
import { sentence } from '../../parts/problem-alert.tsx';
import { reloadWords } from '../../parts/reload-words.ts';
import type { Tone } from '../../parts/state-mark.tsx';
import { runtimeWords } from '../blocked/runtime-words.ts';

export const headerNames: Readonly<Record<UpstreamHeader, string>> = {
  'x-forwarded-for': 'X-Forwarded-For',
  'cf-connecting-ip': 'CF-Connecting-IP',
  'true-client-ip': 'True-Client-IP',
  'fastly-client-ip': 'Fastly-Client-IP',
  'x-real-ip': 'X-Real-IP',
};

export function headerName(header: string): string {
  return headerNames[header as UpstreamHeader] ?? header;
}

type Naming = Pick<Upstream, 'header' | 'chain' | 'proxy_protocol'>;

export function namingWords({ header, chain, proxy_protocol: proxyProtocol }: Naming): string {
  if (header === null) return 'PROXY protocol';
  const name = headerName(header);
  const which =
    header !== 'x-forwarded-for' ? name : chain ? `${name}, through further upstreams` : `last address of ${name}`;
  const words = proxyProtocol ? `PROXY protocol, or ${which} if it names none` : which;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `22 networks, 2^96 addresses`. */
export function extentWords({ networks, addresses }: Pick<Upstream, 'networks' | 'addresses'>): string {
  const one = networks.length === 1 && addresses === '1';
  return one ? '1 address' : `${counted(networks.length, 'network')}, ${addressesWords(addresses)}`;
}

function addressesWords(addresses: string): string {
  if (!/^\d+$/.test(addresses)) return `${addresses} addresses`;
  return counted(Number(addresses), 'address', 'addresses');
}

export function stateWords(
  { networks }: Pick<Upstream, 'networks'>,
  { in_force: inForce }: Pick<UpstreamList, 'in_force'>,
): { readonly tone: Tone; readonly words: string } {
  if (networks.length === 0) return { tone: 'warn', words: 'No effect: add its networks' };
  if (inForce === null) return { tone: 'unknown', words: 'Not known whether in force' };
  return inForce ? { tone: 'good', words: 'In force' } : { tone: 'bad', words: 'Not in force' };
}

/** What it means that they are not in force, and what to do. */
export function consequenceWords({ in_force: inForce, reason }: Pick<UpstreamList, 'in_force' | 'reason'>): string {
  const means =
    inForce === false
      ? 'Where they are not in force, HAProxy checks the address of the upstream, not of the client, so a block of a client has no effect.'
      : 'A block of a client may have no effect.';
  // Other reasons are of the configuration, and say themselves what to do.
  if (reason === null || !/ worker \d+: /.test(reason)) return means;
  return `${means} The service repairs workers every 30 s. If this lasts longer, the overview shows what fails.`;
}

export function insideWords(total: number): string {
  return `${counted(total, 'blocked entry', 'blocked entries')} inside`;
}

interface ResultLine {
  readonly tone: Tone;
  readonly words: string;
}

/** What a saved upstream does now. */
export function resultLines(answer: UpstreamAnswer): ResultLine[] {
  const { name, preset, networks, addresses, reload, blocked_inside_total: inside } = answer;
  const unused = answer.runtime_map_failures.some(({ reason }) => reason === unusedUpstreamMap);
  const lines: ResultLine[] = [
    unused ? { tone: 'warn', words: sentence(`Saved, but ${unusedUpstreamMap}`) } : runtimeWords(answer),
  ];
  if (networks.length === 0) lines.push({ tone: 'warn', words: noNetworksWords(name, preset) });
  else
    lines.push({
      tone: 'unknown',
      words: `${addressesWords(addresses)} can claim to act for any client.`,
    });
  if (reload === undefined) lines.push({ tone: 'good', words: 'No reload was needed.' });
  else
    lines.push({
      tone: reload.warnings.length > 0 ? 'warn' : 'good',
      words: [reloadWords(reload), ...reload.warnings].join(' '),
    });
  if (inside > 0)
    lines.push({
      tone: 'warn',
      words: `${insideWords(inside)} no longer ${inside === 1 ? 'denies' : 'deny'} what ${name} sends.`,
    });
  return lines;
}

function noNetworksWords(name: string, preset: string | null): string {
  const at = upstreamPresets[preset as PresetName]?.publishedAt ?? [];
  const where = at.length === 0 ? '' : ` They are published at ${at.join(' and ')}.`;
  return `It has no networks yet, so it has no effect. Edit it to enter them, or run: proxy-manager upstream refresh ${name} --from FILE.${where}`;
}

/** What a removal does. @param attached others write the configuration */
export function removalWords(
  { name, blocked_inside_total: inside }: Pick<Upstream, 'name' | 'blocked_inside_total'>,
  { isLast, attached }: { readonly isLast: boolean; readonly attached: boolean },
): string[] {
  const lines = [
    `HAProxy then checks the addresses of ${name} like those of any other client, and ignores its headers. A block of one of its clients no longer denies that client.`,
  ];
  if (inside > 0)
    lines.push(
      `${insideWords(inside)} its networks ${inside === 1 ? 'takes' : 'take'} effect again, and ${inside === 1 ? 'denies' : 'deny'} what comes from there, of every client.`,
    );
  if (attached) lines.push('Your configuration keeps its rules.');
  else if (isLast)
    lines.push('It is the last upstream: a safe reload removes the rules for upstreams from the configuration.');
  else lines.push('No reload is needed.');
  return lines;
}
