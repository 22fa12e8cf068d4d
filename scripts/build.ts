// Bundles the program: finding and linking 1,800 modules takes half of a start, and each keeps memory. Also what the tests
// run.
//   usage: npm run build
import { existsSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { root } from '../src/root.ts';

/** Loads native code beside it. */
const external = ['better-sqlite3'];

/** A thread's program must be a file beside the program that starts it. */
export const programs = ['src/main.ts', 'src/configuration/template/template-thread-main.ts'];

/** An `import` reads each export of `node:http`; that loads undici, for 70 ms of processor time in each start. */
const httpWithoutItsExports: Plugin = {
  name: 'http-without-its-exports',
  resolveId: { order: 'pre', handler: (id) => (/^(node:)?http$/.test(id) ? '\0http.cjs' : null) },
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

/** Each verb of the command line gets a file of its own: to read all of them takes it half as long again. */
export async function bundle(folder: string, sources: readonly string[] = programs): Promise<void> {
  const build = await rolldown({
    input: sources.map((source) => join(root, source)),
    platform: 'node',
    external,
    plugins: [httpWithoutItsExports, oneBytePerCharacter],
    onLog(level, log) {
      if (level === 'warn') console.warn(log.message);
    },
  });
  // Names stay, because stacks are read.
  const minify = { compress: false, mangle: false } as const;
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', minify });
  await build.close();
}

/** Replaces `dist`. */
export async function buildDist(): Promise<void> {
  // A source that changes meanwhile is newer than the result (bin/proxy-manager compares).
  const began = new Date();
  const [made, dist, former] = ['dist.new', 'dist', 'dist.old'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const left of [made, former]) rmSync(left, { recursive: true, force: true });
  await bundle(made);
  utimesSync(join(made, 'main.js'), began, began);
  // A running service starts its template thread from it.
  if (existsSync(dist)) renameSync(dist, former);
  renameSync(made, dist);
  rmSync(former, { recursive: true, force: true });
}

if (import.meta.main) await buildDist();
