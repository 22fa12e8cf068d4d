// The wall clock of one service under test, which can be set.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** For `RealService.start`, as `environment`: the service's clock can be set by `setClock`. */
export const settableClock: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'shifted-clock.ts')}`,
};

/** So many milliseconds before (negative) or after the machine's. @param prefix the service's folder */
export async function setClock(prefix: string, offset: number): Promise<void> {
  await writeFile(clockFile(prefix), `${offset}\n`);
}

export function clockFile(prefix: string): string {
  return `${prefix}.clock`;
}
