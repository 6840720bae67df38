import { pathToFileURL } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { builtModules } from './test/tools/built-modules.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
/** As `npm test` does, which builds first: what was compiled is tested, and nobody compiles it again. */
const built = process.env['SVC_TEST_BUILT'] === '1'
const checkout = new URL('./', import.meta.url)
/** `svc-sim mutate --tests` has a copy of the program tested in place of the one in this folder. */
const copy = process.env['SVC_TEST_PROGRAM']
const program = copy === undefined ? checkout : pathToFileURL(`${copy}/`)
/** And asks which places of it each file of tests reaches. */
const reached = process.env['SVC_TEST_REACHED'] === undefined ? [] : ['test/tools/reached-sites.ts']
/** For the slowest honest test on a busy machine. */
const timeoutMs = 120_000

/**
 * Files of one project share workers, and with them modules and code that is warm, which no test may change: a worker
 * that next took a file of another project would be thrown away. `pool`: `forks` where tests close a port and open it
 * again. In a process whose threads start programs the port may stay in use for a moment: a new process holds copies of
 * all open sockets until it runs its program.
 */
const project = (name: string, pool: 'threads' | 'forks', folders: readonly string[]) => ({
  plugins: built ? [builtModules(checkout, program)] : [],
  test: {
    name,
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    pool,
    isolate: false,
    setupFiles: ['test/tools/left-open.ts', ...reached],
    // CommonJS packages are imported as Node does it, so that tests run what runs in production. The build is imported by Node, too.
    deps: { interopDefault: false },
    server: { deps: { external: [/\/dist\/(src|sim)\//] } },
    // What is polled for comes when the machine comes to it: on a busy one not within the second that vitest waits of itself.
    expect: { poll: { timeout: timeoutMs / 2 } },
    testTimeout: long ? timeoutMs * 20 : timeoutMs,
    hookTimeout: 60_000,
  },
})

/** Of the files of `e2e`, that many come between two of `scenario`. */
const waitingBetween = 3
/** Minutes each, the longest first, which keeps two cores busy. */
const longest = ['/scenarios.test.ts', '/self-test.test.ts', '/lesson-checks.test.ts']

/**
 * Files that keep a core busy for minutes (`scenario`) among those that mostly wait for agents (`e2e`), so that cores have
 * work at every moment. Behind them the many short ones fill what is left, level by level.
 */
class BusyBesideWaiting extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = await super.sort(files)
    const of = (level: string) => order.filter(({ moduleId }) => moduleId.includes(`/test/${level}/`))
    const first = longest.flatMap((end) => of('scenario').filter(({ moduleId }) => moduleId.endsWith(end)))
    const busy = [...first, ...of('scenario').filter((file) => !first.includes(file))]
    const waiting = of('e2e')
    const mixed = busy.flatMap((file) => [file, ...waiting.splice(0, waitingBetween)])
    return [...mixed, ...waiting, ...['conformance', 'property', 'unit', 'contract'].flatMap(of)]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: BusyBesideWaiting },
    // Many tests wait for processes of their own: four at a time even where there are but two cores.
    maxWorkers: 4,
    projects: [
      project('threads', 'threads', ['unit', 'property', 'conformance', 'scenario', 'e2e']),
      project('processes', 'forks', ['contract']),
    ],
  },
})
