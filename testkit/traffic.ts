import { expect } from 'vitest';
import type { RealService } from './real-service.ts';

/** The nth of some 60,000 loopback addresses from 127.1.0.1 on, used for nothing else. */
export function addressOf(number: number): string {
  return `127.${1 + Math.floor(number / 62_500)}.${Math.floor(number / 250) % 250}.${1 + (number % 250)}`;
}

/** Database, map file and running map hold the same set, each entry once with value 1, and all wanted ones. */
export async function expectAgreement(service: RealService, wanted: Iterable<string>): Promise<void> {
  const list = await service.call('GET', '/api/blocked-ips', { accept: 'text/plain' });
  expect(list.status, list.text).toBe(200);
  const listed = list.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(missingFrom(listed, wanted), 'acknowledged, but not in the database').toEqual([]);
  const lines = listed.map((ip) => `${ip} 1`).sort();
  expect(differences(await service.fileEntries(), lines), 'map file').toEqual(same);
  expect(differences(await service.runningMap(), lines), 'running map').toEqual(same);
}

const same = { missing: [], unexpected: [], twice: [] };

function differences(seen: readonly string[], wanted: readonly string[]) {
  const before = new Set<string>();
  const seenBefore = (line: string): boolean => {
    if (before.has(line)) return true;
    before.add(line);
    return false;
  };
  return {
    missing: missingFrom(seen, wanted),
    unexpected: missingFrom(wanted, seen),
    twice: seen.filter(seenBefore),
  };
}

const shown = 5;

function missingFrom(seen: readonly string[], wanted: Iterable<string>): string[] {
  const there = new Set(seen);
  const missing = [...wanted].filter((text) => !there.has(text));
  return missing.length <= shown ? missing : [...missing.slice(0, shown), `and ${missing.length - shown} more`];
}
