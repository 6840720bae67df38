import { defineConfig } from 'vitest/config'

const long = process.env['SVC_TEST_LONG'] === '1'
const project = (name: string, timeoutMs: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'threads' as const,
    // CommonJS packages are imported as Node does it, so that tests run what runs in production.
    deps: { interopDefault: false },
    testTimeout: long ? timeoutMs * 20 : timeoutMs,
    hookTimeout: 60_000,
  },
})

export default defineConfig({
  test: {
    // Many tests wait for processes of their own: two at a time even where there are but two cores.
    maxWorkers: 2,
    projects: [
      project('unit', 10_000),
      project('property', 60_000),
      project('contract', 30_000),
      project('conformance', 60_000),
      project('scenario', 120_000),
      project('e2e', 120_000),
    ],
  },
})
