import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './testkit/longest-first.ts';

const report = process.env['PROXY_MANAGER_TEST_REPORT'];

export default defineConfig({
  test: {
    // Ends only a test that is stuck: what waits for a condition gives up long before.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // testkit/certificates/README.md says why.
    env: { SSL_CERT_DIR: join(import.meta.dirname, 'testkit/certificates') },
    setupFiles: ['testkit/seed-setup.ts'],
    globalSetup: ['testkit/print-seed.ts'],
    // A real proxy, a real database and a real service stand behind most of these. Half of their time is waiting: two
    // cores serve four of them.
    maxWorkers: 4,
    // A fifteenth of the processor time of what runs in these processes went into collecting a young heap as it grew.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
    sequence: { sequencer: LongestFirst },
    // No module holds anything that changes, so that a process serves one file after the other; what a test put in the
    // place of something is taken out again.
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
          include: ['test/**/*.test.ts'],
        },
      },
    ],
  },
});
