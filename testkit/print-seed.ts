// For vitest: prints the seed with which the run can be repeated.
import type { TestProject } from 'vitest/node';
import { seedVariable, testSeed } from './seed.ts';

let printed = false;

export default function setup({ vitest }: TestProject): void {
  // Each project calls this.
  if (printed) return;
  printed = true;
  vitest.logger.log(`seed ${testSeed} (${seedVariable})\n`);
}
