/**
 * The tests. Four projects, from quick to slow; none is retried, since a second try hides what the first one found.
 * Files run one after the other where they start real programs: the machine has few cores, and the programs many threads.
 */
import { defineConfig } from 'vitest/config';

const SECOND = 1000;

export default defineConfig({
  test: {
    retry: 0,
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      {
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 30 * SECOND },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60 * SECOND,
          hookTimeout: 60 * SECOND,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 180 * SECOND,
          hookTimeout: 180 * SECOND,
          fileParallelism: false,
        },
      },
      {
        // Real agents in the real app: the whole run belongs where only loopback exists (build/check.mjs).
        test: {
          name: 'loopback',
          include: ['test/loopback/**/*.test.ts'],
          testTimeout: 180 * SECOND,
          hookTimeout: 180 * SECOND,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'packaging',
          include: ['test/packaging/**/*.test.ts'],
          globalSetup: ['test/packaging/global-setup.ts'],
          testTimeout: 60 * SECOND,
          hookTimeout: 600 * SECOND,
          fileParallelism: false,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['electron/core/**/*.ts', 'shared/**/*.ts'],
      reporter: ['text', 'json-summary'],
      // Where a missed branch is a hole in the gate.
      thresholds: Object.fromEntries(
        ['engine', 'approvals', 'spawn', 'redaction', 'compiler'].map((room) => [
          `electron/core/${room}/**/*.ts`,
          { branches: 90 },
        ]),
      ),
    },
  },
});
