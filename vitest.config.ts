import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const long = process.env['SVC_TEST_LONG'] === '1'
/** `isolate`: each file in a world of its own; without it files share modules, which no test may then change. */
const project = (name: string, timeoutMs: number, isolate = true) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'threads' as const,
    isolate,
    // CommonJS packages are imported as Node does it, so that tests run what runs in production.
    deps: { interopDefault: false },
    testTimeout: long ? timeoutMs * 20 : timeoutMs,
    hookTimeout: 60_000,
  },
})

/** What takes longest first, so that no worker ends minutes after the others. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      if (moduleId.endsWith('scenarios.test.ts')) return 0
      if (moduleId.includes('/test/scenario/')) return 1
      return moduleId.includes('/test/e2e/') ? 2 : 3
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Many tests wait for processes of their own: three at a time even where there are but two cores.
    maxWorkers: 3,
    projects: [
      project('unit', 10_000, false),
      project('property', 60_000, false),
      project('contract', 30_000, false),
      project('conformance', 60_000, false),
      project('scenario', 120_000),
      project('e2e', 120_000),
    ],
  },
})
