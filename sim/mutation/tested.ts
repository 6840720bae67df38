import type { NamedMutant } from './build.ts'
import type { TestedLine, TestFileLine } from './lines.ts'
import { bytesOfRanges } from './ranges.ts'
import { type ReachedSites, Sites } from './sites.ts'

/** A file of tests, and what it reaches in the unchanged program. */
interface TestFile extends ReachedSites {
  readonly file: string
  readonly ms: number
}

/** How a run of several files of tests ended. */
export type TestsEnd =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly file: string; readonly test: string; readonly message: string }
  /** The process failed without naming a test: an error outside of all tests, or a signal ended it. */
  | { readonly kind: 'crashed'; readonly message: string }
  | { readonly kind: 'overdue' }

/** Runs tests with an instrumented copy of the program. */
export interface TestBench {
  /** `withinMs`: maximum real time. */
  run(files: readonly string[], mutant: number, withinMs: number): Promise<TestsEnd>
}

export interface TestedOptions {
  readonly bench: TestBench
  /** Mutants that no run killed. */
  readonly mutants: readonly NamedMutant[]
  /** All mutants of the build. */
  readonly all: readonly NamedMutant[]
  readonly sites: number
  readonly files: readonly TestFileLine[]
  /** Real time that the tests of one mutant may need in the unchanged program, in milliseconds. */
  readonly budgetMs: number
  readonly jobs: number
  readonly onTested: (line: TestedLine) => void
}

/** How much longer than in the unchanged program the tests may run; starting the process takes seconds by itself. */
const slowest = { times: 10, andMs: 120_000 }

/**
 * Runs every mutant against the files of tests that reach it, in a process for each mutant: first those that are most
 * about its module, until the budget is spent. A mutant is killed if the same file fails twice, because a test may fail
 * by itself on a busy machine.
 */
export async function judgeByTests(options: TestedOptions): Promise<void> {
  const sites = new Sites(options.all)
  const files = options.files
    .filter(({ isSound }) => isSound)
    .map(({ file, ms, reached }): TestFile => ({ file, ms, reached: bytesOfRanges(reached, options.sites) }))
  const left = [...options.mutants]
  const lane = async (): Promise<void> => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      const reaching = sites.reaching(files, mutant, mutant.isStatic)
      const about = sites.mostAbout(reaching, mutant, ({ ms }) => ms)
      options.onTested(await tested(mutant, about, options))
    }
  }
  await Promise.all(Array.from({ length: options.jobs }, lane))
}

async function tested(
  mutant: NamedMutant,
  reaching: readonly TestFile[],
  { bench, budgetMs }: TestedOptions,
): Promise<TestedLine> {
  const chosen = within(budgetMs, reaching)
  const of = { kind: 'tested', id: mutant.id, reaching: reaching.length, tried: chosen.length } as const
  if (chosen.length === 0) return { ...of, fate: 'not reached' }
  const run = (files: readonly TestFile[]): Promise<TestsEnd> => {
    const ms = files.reduce((sum, each) => sum + each.ms, 0)
    const names = files.map(({ file }) => file)
    return bench.run(names, mutant.number, slowest.times * ms + slowest.andMs)
  }
  const end = await run(chosen)
  if (end.kind === 'passed') return { ...of, fate: 'unseen' }
  if (end.kind === 'overdue') return { ...of, fate: 'killed', message: 'the tests did not end' }
  const again = await run(end.kind === 'failed' ? chosen.filter(({ file }) => file === end.file) : chosen)
  if (again.kind === 'passed') return { ...of, fate: 'unseen' }
  const test = end.kind === 'failed' ? { test: `${end.file}: ${end.test}` } : {}
  return { ...of, fate: 'killed', ...test, message: end.message }
}

/** One after another what still fits into the budget, and the first one in any case. */
function within(budgetMs: number, files: readonly TestFile[]): readonly TestFile[] {
  let ms = 0
  return files.filter((file, at) => {
    if (at > 0 && ms + file.ms > budgetMs) return false
    ms += file.ms
    return true
  })
}
