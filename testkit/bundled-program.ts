// The product in one file, rebuilt for each run: finding and linking a thousand modules takes two thirds of a start,
// and tests start the service hundreds of times. cli.test.ts and docs.test.ts start the sources too.
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
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import type { TestProject } from 'vitest/node';
import { testProxies } from './proxies.ts';
import { compileCacheVariable, programVariable, RealService } from './real-service.ts';

const root = join(import.meta.dirname, '..');

/** Loads native code beside it. */
const notOnlyModules = ['better-sqlite3'];

/** A thread's program must be a file beside the program that starts it. */
const threadProgram = 'src/configuration/template/template-thread-main.ts';
const startsThread = 'src/configuration/template/template-thread.ts';

/** A source file that reads its own path gets the path of the source. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    if (!id.startsWith(join(root, 'src/')) || id === join(root, startsThread)) return null;
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id));
  },
};

/** An `import` reads each export of `node:http`; that loads undici, for 70 ms of processor time in each start. */
const httpWithoutItsExports: Plugin = {
  name: 'http-without-its-exports',
  enforce: 'pre',
  resolveId: (id) => (/^(node:)?http$/.test(id) ? '\0http.cjs' : null),
  load: (id) => (id === '\0http.cjs' ? "module.exports = process.getBuiltinModule('node:http');" : null),
};

/** With one character outside ASCII Node keeps two bytes for each of two million characters. */
const oneBytePerCharacter: Plugin = {
  name: 'one-byte-per-character',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      if (/String\.raw`[^`]*[^\0-\x7f]/.test(file.code))
        throw new Error('String.raw would keep an escape as it stands');
      file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    }
  },
};

/** Laid out like an installation: `bin/proxy-manager` finds `dist/main.js` beside it. */
async function bundle(folder: string): Promise<void> {
  await bundleOne(folder, 'src/main.ts');
  await bundleOne(folder, threadProgram);
  await bundleOne(folder, 'src/trial.ts');
}

async function bundleOne(folder: string, source: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [httpWithoutItsExports, ownPlaces, oneBytePerCharacter],
    ssr: { noExternal: true, external: notOnlyModules },
    build: {
      ssr: join(root, source),
      outDir: join(folder, 'dist'),
      emptyOutDir: false,
      target: 'node24',
      rolldownOptions: {
        // Names stay, because stacks are read.
        output: { entryFileNames: '[name].js', codeSplitting: false, minify: { compress: false, mangle: false } },
      },
    },
  });
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
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  await bundle(folder);
  project.onTestsRerun(() => bundle(folder));
  env[programVariable] = join(folder, 'bin/proxy-manager');
  env[compileCacheVariable] = join(folder, 'compile-cache');
  // The tests report a product that does not start.
  await compileAhead().catch((error) => console.warn('Nothing could be compiled ahead of the tests:', error));
  return () => rmSync(folder, { recursive: true, force: true });
}
