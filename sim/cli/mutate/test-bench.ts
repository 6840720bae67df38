import { z } from 'zod'
import { compareText } from '../../../src/base/bytes.ts'
import { lastWords } from '../../bisect/checkout.ts'
import type { ProgramEnd } from '../../bisect/workplace.ts'
import type { TestBench, TestsEnd } from '../../mutation/tested.ts'
import { readText, type TextKind } from '../files.ts'
import type { SimTerminal } from '../terminal.ts'

/** The program that runs the tests, in a checkout with its development packages. */
const vitest = 'node_modules/vitest/vitest.mjs'

const written: TextKind = { bytesMax: 64 << 20, instead: 'name a file', tooLarge: 'run fewer tests' }

/** What vitest's reporter `json` writes of a file of tests. */
const fileSchema = z.object({
  name: z.string().describe('absolute path'),
  status: z.string(),
  message: z.string(),
  startTime: z.number(),
  endTime: z.number(),
  assertionResults: z.array(
    z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullable() }),
  ),
})
const reportSchema = z.object({ testResults: z.array(fileSchema) })
type FileReport = z.infer<typeof fileSchema>

/** What `test/tools/reached-sites.ts` writes. */
const reachedSchema = z.strictObject({ file: z.string(), reached: z.string() })

/** A file of tests that ran with the unchanged program. */
export interface CoveredFile {
  readonly file: string
  readonly ms: number
  readonly isSound: boolean
  /** Numbers of the sites, as ranges. */
  readonly reached: string
}

/** Runs files of tests of the checkout with an instrumented copy of its program. */
export class CheckoutTests implements TestBench {
  readonly #checkout: string
  readonly #copy: string
  readonly #terminal: SimTerminal

  /** `checkout` and `copy`: folders. */
  constructor(checkout: string, copy: string, terminal: SimTerminal) {
    this.#checkout = checkout
    this.#copy = copy
    this.#terminal = terminal
  }

  /** Whether this program is in a checkout whose tests can be run. */
  get isThere(): boolean {
    return this.#terminal.workplace.exists(`${this.#checkout}/${vitest}`)
  }

  /** Paths of these files of tests, and of all in these folders of the checkout, sorted. */
  async files(named: readonly string[]): Promise<readonly string[]> {
    const found: string[] = []
    // As a shell completes them, and as vitest reports them. Outside of this folder vitest looks for no tests.
    const left = named
      .map((path) => this.#within(path).replace(/^\.\//, '').replace(/\/+$/, ''))
      .filter((path) => /^test(?:\/|$)/.test(path))
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      if (path.endsWith('.test.ts') && this.#terminal.workplace.exists(`${this.#checkout}/${path}`)) found.push(path)
      else if (!/\.[^/]+$/.test(path)) left.push(...(await this.#listed(path)))
    }
    return found.sort(compareText)
  }

  async #listed(folder: string): Promise<readonly string[]> {
    const names = await this.#terminal.disk.list(`${this.#checkout}/${folder}`)
    return names.ok ? names.value.map((name) => `${folder}/${name}`) : []
  }

  /** Runs the files with the unchanged program, and says what each reaches. */
  async cover(files: readonly string[], jobs: number): Promise<readonly CoveredFile[]> {
    const folder = this.#terminal.workplace.folder()
    await this.#vitest(folder, files, [`--maxWorkers=${jobs}`], { SVC_TEST_REACHED: folder })
    const reports = (await this.#report(folder)) ?? []
    const reached = new Map<string, string>()
    for (const name of await this.#written(folder)) {
      const read = await this.#json(`${folder}/${name}`, reachedSchema)
      if (read !== undefined) reached.set(read.file, read.reached)
    }
    this.#terminal.workplace.remove(folder)
    return reports.map(({ name, status, startTime, endTime }) => ({
      file: this.#within(name),
      ms: Math.max(0, Math.round(endTime - startTime)),
      isSound: status === 'passed',
      reached: reached.get(this.#within(name)) ?? '',
    }))
  }

  async run(files: readonly string[], mutant: number, withinMs: number): Promise<TestsEnd> {
    const folder = this.#terminal.workplace.folder()
    const environment = { SVC_SIM_MUTANT: String(mutant) }
    const end = await this.#vitest(folder, files, ['--maxWorkers=1', '--bail=1'], environment, withinMs)
    const report = end.exit === undefined ? undefined : await this.#report(folder)
    this.#terminal.workplace.remove(folder)
    if (end.isOverdue) return { kind: 'overdue' }
    if (end.exit === 0) return { kind: 'passed' }
    const failed = report?.find(({ status }) => status === 'failed')
    return failed === undefined ? { kind: 'crashed', message: lastWords(end) } : this.#failedIn(failed)
  }

  #failedIn({ name, message, assertionResults }: FileReport): TestsEnd {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    const text = failed?.failureMessages?.[0] ?? message
    const [first = ''] = text.split('\n')
    return { kind: 'failed', file: this.#within(name), test: failed?.fullName ?? 'the file', message: first }
  }

  #vitest(
    folder: string,
    files: readonly string[],
    flags: readonly string[],
    environment: Readonly<Record<string, string>>,
    withinMs?: number,
  ): Promise<ProgramEnd> {
    const { workplace } = this.#terminal
    const report = ['--reporter=json', `--outputFile=${folder}/${reportName}`]
    return workplace.run([workplace.node, vitest, 'run', ...files, ...flags, ...report], {
      folder: this.#checkout,
      environment: { ...environment, SVC_TEST_BUILT: '1', SVC_TEST_PROGRAM: this.#copy },
      ...(withinMs === undefined ? {} : { withinMs }),
    })
  }

  async #report(folder: string): Promise<readonly FileReport[] | undefined> {
    return (await this.#json(`${folder}/${reportName}`, reportSchema))?.testResults
  }

  async #written(folder: string): Promise<readonly string[]> {
    const names = await this.#terminal.disk.list(folder)
    return names.ok ? names.value.filter((name) => name !== reportName) : []
  }

  /** Undefined: there is no such file, because the process ended before. */
  async #json<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const text = await readText(this.#terminal.disk, path, written)
    return text.ok ? schema.parse(JSON.parse(text.value)) : undefined
  }

  #within(path: string): string {
    return path.startsWith(`${this.#checkout}/`) ? path.slice(this.#checkout.length + 1) : path
  }
}

const reportName = 'report.json'
