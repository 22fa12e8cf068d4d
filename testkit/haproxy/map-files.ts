import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseIp, sortKey } from '../../src/domain/ip.ts';
import type { MapFile, MapFileHeader } from '../../src/haproxy/map-file/map-file.ts';
import { type MapFileLine, readMapFile } from '../../src/haproxy/map-file/map-file-reader.ts';

export const HEADER: MapFileHeader = { database: '0b6c1c1e-5f0a-4f43-9d55-1a2b3c4d5e6f', generation: 1 };

/** In a new folder, removed after the test. */
export async function temporaryMapPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'map-file-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'blocked_ips.map');
}

/** Throws for damaged lines, duplicates and other values than 1. */
export async function liveKeys(path: string): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const lines of readMapFile(path)) collect(lines, keys);
  return keys;
}

export function collect(lines: readonly MapFileLine[], keys: Set<string>): void {
  for (const line of lines) {
    if (line.kind === 'damaged') throw new Error(`damaged line ${line.line}: ${line.why}: ${line.text}`);
    if (line.value !== '1') throw new Error(`value ${line.value} in line ${line.line}`);
    if (keys.has(line.key)) throw new Error(`${line.key} twice, again in line ${line.line}`);
    keys.add(line.key);
  }
}

export function inOrder(ips: Iterable<string>): string[] {
  return [...ips]
    .map((ip) => ({ ip, key: keyOf(ip) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ ip }) => ip);
}

export async function rewriteTo(file: MapFile, ips: Iterable<string>): Promise<{ entries: number; bytes: number }> {
  const rewrite = await file.beginRewrite(HEADER);
  await rewrite.append(inOrder(ips));
  return await rewrite.finish();
}

/** The nth address of 10.0.0.0/8, in address order. */
export function ipv4(n: number): string {
  return `10.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`;
}

function keyOf(ip: string): Buffer {
  const parsed = parseIp(ip);
  if (!parsed.ok) throw new Error(parsed.why);
  return sortKey(parsed.entry);
}
