// Exact versions with hashes, and no package runs code at installation. Advisories: `npm run audit:dependencies`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const root = join(import.meta.dirname, '..');
const json = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const manifest = json('package.json');
const groups = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
const lock = json('package-lock.json');
const { '': own, ...packages } = lock.packages as Record<string, Locked>;
const locked = Object.entries(packages);
const production = locked.filter(([, one]) => one.dev !== true);
/** Without those for other systems. */
const installed = production.filter(([path]) => existsSync(join(root, path)));

/** Packages with an install script or binding.gyp, and a check that they work without it. .npmrc disables scripts. */
const worksWithoutScript: Readonly<Record<string, () => string>> = {
  // Its script replaces bin/buf, which finds the binary at each call, by the binary itself.
  'node_modules/@bufbuild/buf': () =>
    execFileSync(join(root, 'node_modules/.bin/buf'), ['--version'], { encoding: 'utf8' }),
  // npm would compile it, which needs Python, a compiler and headers from outside the registry.
  'node_modules/better-sqlite3': () => {
    const database = new Database(':memory:');
    try {
      return String(database.prepare('SELECT sqlite_version()').pluck().get());
    } finally {
      database.close();
    }
  },
};
const installScripts = ['preinstall', 'install', 'postinstall'];

/** Whether npm would run something at installation, by the lock file and the installed package. */
function wouldRun(path: string, { hasInstallScript }: Locked): boolean {
  if (hasInstallScript === true || existsSync(join(root, path, 'binding.gyp'))) return true;
  const installed = join(path, 'package.json');
  // Packages for other systems are locked but not installed.
  if (!existsSync(join(root, installed))) return false;
  const scripts = Object.keys(json(installed).scripts ?? {});
  return installScripts.some((name) => scripts.includes(name));
}

/** Licences that require attribution only. */
const licences = ['MIT', 'ISC', '0BSD', 'BSD-3-Clause', 'Apache-2.0', '(Apache-2.0 AND BSD-3-Clause)', 'OFL-1.1'];

describe('the packages', () => {
  it('have exact versions', () => {
    for (const group of groups) {
      for (const [name, version] of Object.entries(manifest[group])) {
        expect(`${name} ${version}`).toMatch(/ \d+\.\d+\.\d+(-[\w.]+)?$/);
        expect({ name, version: packages[`node_modules/${name}`]?.version }).toEqual({ name, version });
      }
      expect((own as unknown as Record<string, unknown>)[group]).toEqual(manifest[group]);
    }
  });

  it('each have a SHA-512 and come from the registry only', () => {
    expect(locked.length).toBeGreaterThan(100);
    for (const [path, { integrity, resolved, link }] of locked) {
      expect({ path, integrity }).toEqual({ path, integrity: expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/) });
      expect({ path, link }).toEqual({ path, link: undefined });
      if (resolved !== undefined) expect(resolved).toMatch(/^https:\/\/registry\.npmjs\.org\//);
    }
  });

  it('run no install scripts, by .npmrc', () => {
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
    for (const name of [...installScripts, 'prepare', 'prepublish']) {
      expect(Object.keys(manifest.scripts)).not.toContain(name);
    }
  });

  it('with an install script or a binding.gyp are all listed here', () => {
    const found = locked.filter(([path, one]) => wouldRun(path, one)).map(([path]) => path);
    expect(found).toEqual(Object.keys(worksWithoutScript));
  });

  it.each(Object.entries(worksWithoutScript))('%s works without its install script', (_, run) => {
    expect(run()).toMatch(/^\d+\.\d+\.\d+\s*$/);
  });

  it('of the product have permissive licences', () => {
    for (const [path, { license }] of production)
      expect({ path, license }).toEqual({ path, license: expect.toBeOneOf(licences) });
  });

  it('of the product are those that were reviewed', () => {
    // Review a new one (purpose, author, dependencies), then add it here and to SECURITY.md.
    expect(Object.keys(manifest.dependencies)).toEqual([
      '@bufbuild/protobuf',
      '@prometheus-io/client',
      '@streamparser/json',
      'better-sqlite3',
      'commander',
      'fastify',
      'kysely',
      'liquidjs',
      'openapi-fetch',
      'pino',
      // Bundles the program (npm run build), and is not part of it.
      'rolldown',
      'typebox',
    ]);
    // Four of them are the bundler's.
    expect(installed.length).toBeLessThanOrEqual(71);
  });
});
