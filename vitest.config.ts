import { defineConfig } from 'vitest/config';

const report = process.env['PROXY_MANAGER_TEST_REPORT'];

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'testkit/**/*.test.ts',
      'test/**/*.test.ts',
      'bench/**/*.test.ts',
      'chaos/**/*.test.ts',
    ],
    // A real proxy, a real database and a real service stand behind most of these; two cores serve them all.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
