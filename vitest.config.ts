import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { builtModules } from './test/tools/built-modules.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
/** As `npm test` does, which builds first: what was compiled is tested, and nobody compiles it again. */
const built = process.env['SVC_TEST_BUILT'] === '1'
const timeoutMs = 120_000

/** Of the files of `e2e`, that many come between two of `scenario`. */
const waitingBetween = 3
/** Minutes each, the longest first, which keeps two cores busy. */
const longest = ['/scenario/scenarios.test.ts', '/scenario/lessons.test.ts']

/**
 * Files that keep a core busy for minutes (`scenario`) among those that mostly wait for agents (`e2e`), so that cores have
 * work at every moment. Behind them the many short ones fill what is left.
 */
class BusyBesideWaiting extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = await super.sort(files)
    const of = (folder: string) => order.filter(({ moduleId }) => moduleId.includes(`/test/${folder}/`))
    const first = longest.flatMap((end) => order.filter(({ moduleId }) => moduleId.endsWith(end)))
    const busy = [...first, ...of('scenario').filter((file) => !first.includes(file))]
    const waiting = of('e2e')
    const mixed = busy.flatMap((file) => [file, ...waiting.splice(0, waitingBetween)])
    const short = order.filter((file) => !mixed.includes(file) && !waiting.includes(file))
    return [...mixed, ...waiting, ...short]
  }
}

/**
 * One project, whose files share the modules of their worker, which no test may then change. A second project, or
 * `isolate`, would have its own workers, each of which loads Vitest and a thousand modules anew: that costs a second,
 * and more than most files do.
 */
export default defineConfig({
  plugins: built ? [builtModules(new URL('./', import.meta.url))] : [],
  test: {
    include: ['test/**/*.test.ts'],
    sequence: { sequencer: BusyBesideWaiting },
    // Many tests wait for processes of their own: four at a time even where there are but two cores.
    maxWorkers: 4,
    // Not threads: tests close a port and open it again. In a process whose threads start programs the port may stay in
    // use for a moment, for a new process holds copies of all open sockets until it runs its program.
    pool: 'forks',
    isolate: false,
    // CommonJS packages are imported as Node does it, so that tests run what runs in production. The build is imported by Node, too.
    deps: { interopDefault: false },
    server: { deps: { external: [/\/dist\/(src|sim)\//] } },
    // What is polled for comes when the machine comes to it: on a busy one not within the second that vitest waits of itself.
    expect: { poll: { timeout: timeoutMs / 2 } },
    testTimeout: long ? timeoutMs * 20 : timeoutMs,
    hookTimeout: 60_000,
  },
})
