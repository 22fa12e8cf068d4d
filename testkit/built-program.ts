// The product as it is installed after `npm run build`, in a folder of its own: what is edited meanwhile changes nothing.
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
import { bundle } from '../scripts/bundle.ts';
import { root } from '../src/root.ts';
import { compileCacheVariable, programVariable } from './program.ts';

export class BuiltProgram {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Every service of this process and of those it starts runs it. `launcher` changes `bin/proxy-manager`. */
  static async install(launcher: (text: string) => string = (text) => text): Promise<BuiltProgram> {
    const folder = mkdtempSync(join(tmpdir(), 'proxy-manager-test-program-'));
    // Services of other users run it too.
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'bin'));
    const program = join(folder, 'bin/proxy-manager');
    writeFileSync(program, launcher(readFileSync(join(root, 'bin/proxy-manager'), 'utf8')), { mode: 0o755 });
    copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
    for (const name of ['node_modules', 'panel']) symlinkSync(join(root, name), join(folder, name));
    const built = new BuiltProgram(folder);
    try {
      await built.build();
    } catch (error) {
      built.remove();
      throw error;
    }
    env[programVariable] = program;
    env[compileCacheVariable] = join(folder, 'compile-cache');
    return built;
  }

  async build(): Promise<void> {
    await bundle(join(this.#folder, 'dist'));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

let installed: Promise<unknown> | undefined;

/** For a process that is not a test: once, until it ends. */
export function installBuiltProgram(): Promise<unknown> {
  installed ??= BuiltProgram.install().then((built) => process.once('exit', () => built.remove()));
  return installed;
}
