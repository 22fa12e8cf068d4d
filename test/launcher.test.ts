// bin/proxy-manager, with a Node that only tells how it was called.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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
  const inputs = ['src/main.ts', 'src/part/other.ts', 'src/part/gone.ts', 'package-lock.json', 'scripts/bundle.ts'];
  const at = (name: string): string => join(root, name);
  const built = (): string => at('dist/main.js');

  beforeEach(() => {
    isCheckout({ writable: true });
    for (const folder of ['scripts', 'src/part', 'dist']) mkdirSync(at(folder));
    for (const name of [...inputs, 'dist/main.js']) writeFileSync(at(name), '');
    isBuiltNow();
  });

  /** As the build does it: the time at which it began, by the clock of the files. */
  function isBuiltNow(): void {
    writeFileSync(at('clock'), '');
    const { ctimeMs } = statSync(at('clock'));
    utimesSync(built(), ctimeMs / 1_000 + 0.001, ctimeMs / 1_000 + 0.001);
  }

  /** Until the clock of the files, which may stand for some milliseconds, shows it. */
  function change(path: string, how: () => void): void {
    const { mtimeMs } = statSync(built());
    do how();
    while (statSync(path).ctimeMs <= mtimeMs);
  }

  test.each([['serve'], ['status']])('runs what was built: %s', (...args) => {
    expect(called(args).words).toMatch(/dist\/main\.js/);
  });

  test.each(inputs)('runs its sources when %s was written since', (name) => {
    change(at(name), () => writeFileSync(at(name), 'changed'));
    expect(called(['serve']).words).toMatch(/src\/main\.ts/);
  });

  test('runs its sources when a file arrived since, although its last change is older', () => {
    change(at('src/part/other.ts'), () => {
      writeFileSync(at('src/part/other.ts'), 'changed');
      utimesSync(at('src/part/other.ts'), 1, 1);
    });
    expect(called(['serve']).words).toMatch(/src\/main\.ts/);
  });

  test('runs its sources when a file was deleted since', () => {
    change(at('src/part'), () => {
      writeFileSync(at('src/part/gone.ts'), '');
      rmSync(at('src/part/gone.ts'));
    });
    expect(called(['serve']).words).toMatch(/src\/main\.ts/);
  });

  test.each(['package-lock.json', 'scripts/bundle.ts'])('runs its sources without %s', (name) => {
    rmSync(at(name));
    expect(called(['serve']).words).toMatch(/src\/main\.ts/);
  });

  test('runs its sources where find(1) cannot compare', () => {
    writeFileSync(at('find'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(called(['serve'], { PATH: `${root}:${process.env['PATH']}` }).words).toMatch(/src\/main\.ts/);
  });

  test('runs its sources when one behind a link was written since', () => {
    renameSync(at('src'), at('elsewhere'));
    symlinkSync(at('elsewhere'), at('src'));
    isBuiltNow();
    expect(called(['serve']).words).toMatch(/dist\/main\.js/);
    change(at('elsewhere/main.ts'), () => writeFileSync(at('elsewhere/main.ts'), 'changed'));
    expect(called(['serve']).words).toMatch(/src\/main\.ts/);
  });
});
