import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { testLimitMs } from './testkit/conditions.ts';
import { LongestFirst } from './testkit/longest-first.ts';
import { testWorkers } from './testkit/test-workers.ts';

const report = process.env['PROXY_MANAGER_TEST_REPORT'];
const longTests = process.env['PROXY_MANAGER_TEST_LONG'] === 'yes';

export default defineConfig({
  test: {
    testTimeout: testLimitMs,
    hookTimeout: testLimitMs,
    // testkit/certificates/README.md says why. Verbs that run in the tests' own process print times in its zone.
    env: { SSL_CERT_DIR: join(import.meta.dirname, 'testkit/certificates'), TZ: 'UTC' },
    setupFiles: ['testkit/seed-setup.ts'],
    globalSetup: ['testkit/print-seed.ts', 'testkit/certificates/default-folder.ts'],
    maxWorkers: testWorkers(),
    // Saves a fifteenth of the processor time, which went into collections of a growing young heap.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
    sequence: { sequencer: LongestFirst },
    // No module has state that changes, so one process runs many files; mocks are restored after each test.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: [
            'src/**/*.test.ts',
            'panel/src/**/*.test.ts',
            'testkit/**/*.test.ts',
            'bench/**/*.test.ts',
            'chaos/**/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'components',
          environment: 'happy-dom',
          setupFiles: ['panel/src/test/setup.ts'],
          include: ['panel/src/**/*.test.tsx'],
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          globalSetup: ['testkit/bundled-program.ts'],
          include: [longTests ? 'test/**/*.test.ts' : 'test/*.test.ts'],
        },
      },
    ],
  },
});
