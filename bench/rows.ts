// In execution order.
import type { Row } from './bench.ts';
import { block } from './rows-block.ts';
import { batch, put } from './rows-bulk.ts';
import { certificates } from './rows-certificates.ts';
import { changes } from './rows-changes.ts';
import { clients } from './rows-clients.ts';
import { disk } from './rows-disk.ts';
import { pages } from './rows-list.ts';
import { memory, memoryAfter } from './rows-memory.ts';
import { reload } from './rows-reload.ts';
import { sources } from './rows-sources.ts';
import { start } from './rows-start.ts';
import { sync } from './rows-sync.ts';
import { urgent } from './rows-urgent.ts';
import { trafficRow } from './traffic.ts';

export const rows: Readonly<Record<string, Row>> = {
  put,
  batch,
  sources,
  memory,
  block,
  disk,
  clients,
  list: pages,
  sync,
  changes,
  urgent,
  reload,
  'memory-after': memoryAfter,
  start,
  certificates,
  traffic: trafficRow,
};

/** They start what they measure, and report its memory, themselves. */
export const withServicesOfTheirOwn: ReadonlySet<string> = new Set([
  'put',
  'batch',
  'sources',
  'memory',
  'memory-after',
  'certificates',
  'traffic',
]);
