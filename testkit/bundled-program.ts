// What `npm run build` makes, for each run of the tests: they start the service hundreds of times, in half the time of the
// sources. cli.test.ts and docs.test.ts start the checkout's own program too.
import { env } from 'node:process';
import type { TestProject } from 'vitest/node';
import { BuiltProgram } from './built-program.ts';
import { programVariable } from './program.ts';
import { testProxies } from './proxies.ts';
import { RealService } from './real-service.ts';

/** A first start collects the young heap ten times, for a tenth of its processor time; this heap holds it all at once. */
function withLargeYoungHeap(launcher: string): string {
  const text = launcher.replaceAll('--max-semi-space-size=8 ', '--min-semi-space-size=32 --max-semi-space-size=32 ');
  if (text === launcher) throw new Error('bin/proxy-manager does not set the size of the young heap');
  return text;
}

/** Only a process that ends by itself writes the compile cache, and tests kill most services. */
async function compileAhead(): Promise<void> {
  const [proxy] = testProxies().found;
  if (proxy === undefined) return;
  const service = await RealService.start({ bin: proxy.bin });
  try {
    await service.healthy();
    await service.block('192.0.2.1');
    service.kill('SIGTERM');
    await service.ended();
  } finally {
    await service.stop();
  }
}

/** Vitest calls it once a run. The variables reach every process that a test starts. */
export default async function setup(project: TestProject): Promise<() => void> {
  // Another project called it before.
  if (env[programVariable] !== undefined) return () => undefined;
  const built = await BuiltProgram.install(withLargeYoungHeap);
  project.onTestsRerun(() => built.build());
  // The tests report a product that does not start.
  await compileAhead().catch((error) => console.warn('Nothing could be compiled ahead of the tests:', error));
  return () => built.remove();
}
