// bin/proxy-manager, with a Node that only tells how it was called.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pml-'));
  mkdirSync(join(root, 'bin'));
  copyFileSync(join(import.meta.dirname, '../bin/proxy-manager'), join(root, 'bin/proxy-manager'));
  const node = join(root, 'node');
  const lines = [
    '#!/bin/sh',
    '[ "$1" = --version ] && { echo v24.0.0; exit; }',
    'echo "$*"',
    'printenv NODE_COMPILE_CACHE || echo none',
  ];
  writeFileSync(node, lines.join('\n'));
  chmodSync(node, 0o755);
});

afterEach(() => rmSync(root, { recursive: true }));

function called(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { PATH: process.env.PATH!, PROXY_MANAGER_NODE: join(root, 'node'), ...environment };
  const [words, cache] = execFileSync(join(root, 'bin/proxy-manager'), args, { env, encoding: 'utf8' }).split('\n');
  return { words: words!.replaceAll(`${root}/`, ''), cache: cache!.replace(`${root}/`, '') };
}

function isCheckout({ writable }: { readonly writable: boolean }): void {
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/main.ts'), '');
  if (writable) mkdirSync(join(root, 'node_modules'));
}

test.each([['serve'], ['block', '192.0.2.1']])(
  '%s of a checkout caches the stripped sources beside its packages',
  (...args) => {
    isCheckout({ writable: true });
    expect(called(args).cache).toBe('node_modules/.cache/proxy-manager');
  },
);

test('a user who may not write there uses the folder that systemd made for it, and none otherwise', () => {
  isCheckout({ writable: false });
  expect(called(['serve'], { CACHE_DIRECTORY: '/var/cache/proxy-manager' }).cache).toBe('/var/cache/proxy-manager');
  expect(called(['serve'], { CACHE_DIRECTORY: '/var/cache/a:/var/cache/b' }).cache).toBe('/var/cache/a');
  expect(called(['serve']).cache).toBe('none');
  expect(called(['status'], { CACHE_DIRECTORY: '/var/cache/of-another-unit' }).cache).toBe('none');
});

test('a cache of the caller stays', () => {
  isCheckout({ writable: true });
  expect(called(['serve'], { NODE_COMPILE_CACHE: '/elsewhere' }).cache).toBe('/elsewhere');
});

test('an installed program is cached like sources', () => {
  expect(called(['serve'], { CACHE_DIRECTORY: '/var/cache/proxy-manager' })).toEqual({
    words: '--max-semi-space-size=8 dist/main.js serve',
    cache: '/var/cache/proxy-manager',
  });
});

describe('a checkout after npm run build', () => {
  const minute = 60;
  const now = () => Date.now() / 1_000;

  function isBuilt(at: number): void {
    isCheckout({ writable: true });
    mkdirSync(join(root, 'scripts'));
    for (const name of ['scripts/build.ts', 'package-lock.json', 'src/other.ts']) writeFileSync(join(root, name), '');
    mkdirSync(join(root, 'dist'));
    writeFileSync(join(root, 'dist/main.js'), '');
    utimesSync(join(root, 'dist/main.js'), at, at);
  }

  test.each([['serve'], ['status']])('runs what was built: %s', (...args) => {
    isBuilt(now() + minute);
    expect(called(args).words).toMatch(/dist\/main\.js/);
  });

  test('runs its sources if one is newer', () => {
    isBuilt(now() - minute);
    expect(called(['serve']).words).toMatch(/src\/main\.ts/);
  });

  test('runs its sources if one arrived later, although its last change is older', () => {
    isBuilt(now() - minute);
    for (const name of ['src/main.ts', 'src/other.ts', 'src', 'package-lock.json', 'scripts/build.ts'])
      utimesSync(join(root, name), now() - 2 * minute, now() - 2 * minute);
    expect(called(['serve']).words).toMatch(/src\/main\.ts/);
  });

  test.each(['package-lock.json', 'scripts/build.ts'])('runs its sources without %s', (name) => {
    isBuilt(now() + minute);
    rmSync(join(root, name));
    expect(called(['serve']).words).toMatch(/src\/main\.ts/);
  });

  test('runs its sources where find(1) cannot compare', () => {
    isBuilt(now() + minute);
    writeFileSync(join(root, 'find'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(called(['serve'], { PATH: `${root}:${process.env['PATH']}` }).words).toMatch(/src\/main\.ts/);
  });
});
