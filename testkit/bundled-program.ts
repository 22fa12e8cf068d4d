// What `npm run build` makes, for each run: tests start the service hundreds of times, in half the time of the sources.
// cli.test.ts and docs.test.ts start the sources too.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import type { TestProject } from 'vitest/node';
import { bundle, programs } from '../scripts/build.ts';
import { root } from '../src/root.ts';
import { testProxies } from './proxies.ts';
import { compileCacheVariable, programVariable, RealService } from './real-service.ts';

/** Laid out like an installation: `bin/proxy-manager` finds `dist/main.js` beside it. */
async function bundleAll(folder: string): Promise<void> {
  await bundle(join(folder, 'dist'), [...programs, 'src/trial.ts']);
}

/** A first start collects the young heap ten times, for a tenth of its processor time; this heap holds it all at once. */
function writeStartProgram(path: string): void {
  const product = readFileSync(join(root, 'bin/proxy-manager'), 'utf8');
  const text = product.replaceAll('--max-semi-space-size=8 ', '--min-semi-space-size=32 --max-semi-space-size=32 ');
  if (text === product) throw new Error('bin/proxy-manager does not set the size of the young heap');
  writeFileSync(path, text, { mode: 0o755 });
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
  const folder = mkdtempSync(join(tmpdir(), 'proxy-manager-test-program-'));
  // Services of other users run it too.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'bin'));
  writeStartProgram(join(folder, 'bin/proxy-manager'));
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const name of ['node_modules', 'panel']) symlinkSync(join(root, name), join(folder, name));
  await bundleAll(folder);
  project.onTestsRerun(() => bundleAll(folder));
  env[programVariable] = join(folder, 'bin/proxy-manager');
  env[compileCacheVariable] = join(folder, 'compile-cache');
  // The tests report a product that does not start.
  await compileAhead().catch((error) => console.warn('Nothing could be compiled ahead of the tests:', error));
  return () => rmSync(folder, { recursive: true, force: true });
}
