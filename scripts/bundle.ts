// Bundles the program: finding and linking 1,800 modules takes half of a start, and each keeps memory.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { root } from '../src/root.ts';

/** Loads native code beside it. */
const external = ['better-sqlite3'];

/** A thread's program must be a file beside the program that starts it. */
const programs = ['src/main.ts', 'src/configuration/template/template-thread-main.ts'];

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

/** Each verb of the command line gets a file of its own: to read all of them takes three quarters as long again. */
export async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    input: programs.map((source) => join(root, source)),
    platform: 'node',
    external,
    plugins: [httpWithoutItsExports, oneBytePerCharacter],
    // It would be read if it is there.
    tsconfig: false,
    onLog(level, log) {
      if (level === 'warn') console.warn(log.message);
    },
  });
  try {
    // White space and names stay: Node prints the line of an error, and stacks are read. No hashes in the names of files: a
    // new build replaces what Node has cached of the one before.
    const [entryFileNames, chunkFileNames] = ['[name].js', '[name].js'];
    await build.write({ dir: folder, format: 'esm', entryFileNames, chunkFileNames, comments: false });
  } finally {
    await build.close();
  }
}

/** A power failure must not leave an empty program that looks newer than its sources. */
function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Replaces `dist`. */
export async function buildDist(): Promise<void> {
  const [made, dist, former] = [join(root, '.dist.new'), join(root, 'dist'), join(root, '.dist.old')];
  for (const left of [made, former]) rmSync(left, { recursive: true, force: true });
  // By the clock that gives the sources their times, and before they are read (but for this file): one that changes
  // meanwhile is newer than the result, and bin/proxy-manager compares.
  mkdirSync(made);
  const began = statSync(made).ctime;
  await bundle(made);
  utimesSync(join(made, 'main.js'), began, began);
  for (const name of readdirSync(made)) sync(join(made, name));
  // A running service starts its template thread from it.
  if (existsSync(dist)) renameSync(dist, former);
  renameSync(made, dist);
  rmSync(former, { recursive: true, force: true });
}
