// The tree of packages: exact, proven by hashes, and nothing of it runs when it is installed but what is named here.
// Advisories need the registry: `npm run audit:dependencies`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * May run something when it is installed. `@bufbuild/buf`, for the generated protobuf code only, puts the binary of this
 * machine in place; without its script it finds it at the first call.
 */
const installScripts = ['node_modules/@bufbuild/buf'];
/** May come with the product: all that ask no more than to be named. */
const licences = ['MIT', 'ISC', '0BSD', 'BSD-3-Clause', 'Apache-2.0', '(Apache-2.0 AND BSD-3-Clause)'];

describe('the packages', () => {
  it('are asked for by exact versions', () => {
    for (const group of groups) {
      for (const [name, version] of Object.entries(manifest[group])) {
        expect(`${name} ${version}`).toMatch(/ \d+\.\d+\.\d+(-[\w.]+)?$/);
        expect({ name, version: packages[`node_modules/${name}`]?.version }).toEqual({ name, version });
      }
      expect((own as unknown as Record<string, unknown>)[group]).toEqual(manifest[group]);
    }
  });

  it('are each proven by a SHA-512, and come from the registry alone', () => {
    expect(locked.length).toBeGreaterThan(100);
    for (const [path, { integrity, resolved, link }] of locked) {
      expect({ path, integrity }).toEqual({ path, integrity: expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/) });
      expect({ path, link }).toEqual({ path, link: undefined });
      if (resolved !== undefined) expect(resolved).toMatch(/^https:\/\/registry\.npmjs\.org\//);
    }
  });

  it('run nothing when they are installed, but those that are named', () => {
    const found = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
    expect(found).toEqual(installScripts);
    expect(production.map(([path]) => path).filter((path) => installScripts.includes(path))).toEqual([]);
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']) {
      expect(Object.keys(manifest.scripts)).not.toContain(name);
    }
  });

  it('of the product ask no more than to be named', () => {
    for (const [path, { license }] of production)
      expect({ path, license }).toEqual({ path, license: expect.toBeOneOf(licences) });
  });

  it('of the product are those that were looked at', () => {
    // A new one is looked at (what for, by whom, what it brings) and then written here and in SECURITY.md.
    expect(Object.keys(manifest.dependencies)).toEqual([
      '@bufbuild/protobuf',
      '@fastify/type-provider-typebox',
      '@prometheus-io/client',
      '@streamparser/json',
      'better-sqlite3',
      'commander',
      'fastify',
      'kysely',
      'liquidjs',
      'openapi-fetch',
      'pino',
      'typebox',
    ]);
    expect(production.length).toBeLessThanOrEqual(67);
  });
});
