// At the end database, map file and workers hold the acknowledged entries, each once with value 1.
import { address } from '../../testkit/load/lists.ts';
import type { RealService } from '../../testkit/real-service.ts';
import type { ClientsReport } from './clients.ts';

const shown = 3;

export async function disagreements(
  service: RealService,
  entries: number,
  report: Pick<ClientsReport, 'addresses' | 'baseFrom'>,
): Promise<string[]> {
  const found: string[] = [];
  const listed = await service.listed();
  const inDatabase = new Set(listed);
  const wanted = new Set<string>();
  const foreseen = report.baseFrom !== null;
  for (let index = 0; report.baseFrom !== null && index < entries; index += 1) {
    wanted.add(address(report.baseFrom + index));
  }
  for (const [one, presence] of report.addresses) {
    if (presence === 'blocked' || (presence === 'either' && inDatabase.has(one))) wanted.add(one);
  }
  const missing = [...wanted].filter((one) => !inDatabase.has(one));
  addFault(found, 'the database lacks what was acknowledged', missing);
  if (foreseen)
    addFault(
      found,
      'the database holds what was taken out',
      listed.filter((one) => !wanted.has(one)),
    );
  const lines = new Set(listed.map((one) => `${one} 1`));
  compare(found, 'the map file', await service.fileEntries(), lines);
  const { current, draining } = await service.processes();
  for (const { pid } of [...current, ...draining]) {
    compare(found, `worker ${pid}`, await service.runningMap(pid), lines);
  }
  return found;
}

function compare(found: string[], what: string, held: readonly string[], lines: ReadonlySet<string>): void {
  const once = new Set(held);
  addFault(
    found,
    `${what} lacks`,
    [...lines].filter((line) => !once.has(line)),
  );
  addFault(
    found,
    `${what} holds too much`,
    [...once].filter((line) => !lines.has(line)),
  );
  if (once.size < held.length) found.push(`${what}: ${held.length - once.size} lines are duplicates`);
}

function addFault(found: string[], what: string, which: readonly string[]): void {
  if (which.length > 0) found.push(`${what}: ${which.length}, such as ${which.slice(0, shown).join(', ')}`);
}
