// Root uses an otherwise unused user id; an ordinary user who runs the tests is unprivileged already.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getuid } from 'node:process';
import { program } from './program.ts';

const root = join(import.meta.dirname, '..');

export interface UnprivilegedUser {
  readonly uid: number;
  /** That of other tests, or a copy in `folder` if the user cannot reach this checkout. */
  readonly program: string;
  readonly node: string;
  /** Words that run `words` as this user with these capabilities. */
  command(words: readonly string[], capabilities?: readonly string[]): readonly [string, ...string[]];
}

/** Null as root without setpriv. The user must be able to enter `folder`. */
export function unprivilegedUser(folder: string): UnprivilegedUser | null {
  const own = getuid?.() ?? 0;
  const { execPath: node } = process;
  if (own !== 0) return { uid: own, program: program(), node, command: ([first = '', ...words]) => [first, ...words] };
  const uid = 54_321;
  const command: UnprivilegedUser['command'] = (words, capabilities = []) => {
    const given = capabilities.map((name) => `,+${name}`).join('');
    const rights = [`--inh-caps=-all${given}`, `--bounding-set=-all${given}`];
    const kept = given === '' ? [] : [`--ambient-caps=-all${given}`];
    return ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...rights, ...kept, '--', ...words];
  };
  const can = (path: string): boolean => {
    const [test, ...words] = command(['test', '-r', path]);
    return spawnSync(test, words).status === 0;
  };
  if (spawnSync('setpriv', ['--version']).status !== 0) return null;
  if (can(join(root, 'src/main.ts')) && can(node)) return { uid, program: program(), node, command };
  const copy = join(folder, 'product');
  copyProduct(copy);
  return { uid, program: join(copy, 'bin/proxy-manager'), node: join(copy, 'node'), command };
}

/** The sources, without what only tests and the build need. */
function copyProduct(to: string): void {
  mkdirSync(to, { mode: 0o755 });
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  const needed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  // Without those for other systems.
  const packages = needed
    .map(([path]) => path)
    .filter((path) => !/\/(node-linux-|@?rolldown|@oxc-project)/.test(path) && existsSync(join(root, path)));
  for (const path of ['bin', 'src', 'package.json', ...packages]) {
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o755 });
    cpSync(join(root, path), join(to, path), { recursive: true, dereference: true, force: true });
  }
  cpSync(process.execPath, join(to, 'node'));
}
