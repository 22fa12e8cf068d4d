// The product in one file, for the services that tests start by the hundred: two thirds of the processor time of a start
// go into finding and linking a thousand modules. Made anew by each run from the sources, so it is never an older state
// of them; what is not named here runs as it is installed. Tests of the command line itself start the sources.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import type { TestProject } from 'vitest/node';
import { compileCacheVariable, programVariable } from './real-service.ts';

const root = join(import.meta.dirname, '..');

/** Nothing but modules: none of them looks for files of its own, and they are three quarters of all that is loaded. */
const linked = ['typebox', 'kysely', '@bufbuild/protobuf', 'commander', 'liquidjs', '@streamparser/json'];

/** A source file that asks where it lies is told where it lies, not where the one file is. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    if (!id.startsWith(join(root, 'src/'))) return null;
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id));
  },
};

/** Laid out as what is installed: `bin/proxy-manager` finds `dist/main.js` beside it. */
async function bundle(folder: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [ownPlaces],
    ssr: { noExternal: linked },
    build: {
      ssr: join(root, 'src/main.ts'),
      outDir: join(folder, 'dist'),
      target: 'node24',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'main.js', codeSplitting: false } },
    },
  });
}

/** For vitest, once a run. The variables reach every process that a test starts. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-manager-test-program-'));
  // Services of other users run it too.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(root, 'bin/proxy-manager'), join(folder, 'bin/proxy-manager'));
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  await bundle(folder);
  project.onTestsRerun(() => bundle(folder));
  const program = join(folder, 'bin/proxy-manager');
  env[programVariable] = program;
  env[compileCacheVariable] = join(folder, 'compile-cache');
  // Only a process that ends by itself leaves what it compiled to the next.
  const environment = { ...env, PROXY_MANAGER_NODE: execPath, NODE_COMPILE_CACHE: env[compileCacheVariable] };
  execFileSync(program, ['--version'], { env: environment });
  return () => rmSync(folder, { recursive: true, force: true });
}
