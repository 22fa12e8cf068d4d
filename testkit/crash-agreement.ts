// What has to agree after a crash, and requests that may be cut off by one.
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { RealService } from './real-service.ts';

/** The trusted addresses in the database, the file and the running map. @returns whether there are any */
export async function expectTrustedAlike(service: RealService): Promise<boolean> {
  const { body } = await service.call('GET', '/api/trusted-ips');
  const rows = (body['items'] as { ip_address: string }[]).map(({ ip_address }) => `${ip_address} 1`);
  const file = await readFile(service.paths.trustedMap, 'utf8');
  const lines = file.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const [running = ''] = await service.raw(`@1 show map ${service.paths.trustedMap}`);
  const entries = running.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ').slice(1).join(' ')]));
  expect({ lines, entries }).toEqual({ lines: rows, entries: rows });
  return rows.length > 0;
}

/** The upstream in the database, the configuration, the file and the running map; or in none. @returns whether it is there */
export async function expectUpstreamAlike(service: RealService): Promise<boolean> {
  const { upstreamsMap, config } = service.paths;
  const { body } = await service.call('GET', '/api/upstreams');
  const wanted = body['total'] === 0 ? [] : ['127.92.0.0/24 6'];
  const lines = (await readFile(upstreamsMap, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isNamed = (await readFile(config, 'utf8')).includes(upstreamsMap);
  const [running = ''] = isNamed ? await service.raw(`@1 show map ${upstreamsMap}`) : [''];
  const entries = running.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ').slice(1).join(' ')]));
  expect({ lines, entries, isNamed }).toEqual({ lines: wanted, entries: wanted, isNamed: wanted.length > 0 });
  return wanted.length > 0;
}

const deathSigns = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE']);

/** Null: the service died before it answered. */
export async function answered<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (deathSigns.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

export async function cut(call: Promise<unknown>): Promise<void> {
  await answered(call);
}
