import type { Page } from '../pool/seed-runs.ts'
import { annotation, type Workspace } from '../report/annotations.ts'
import { type JunitCase, junitHead, junitTail, type Missed, missedCase, seedCase, suiteText } from '../report/junit.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import { LineFile } from './line-file.ts'
import type { RunFlags } from './run-flags.ts'
import type { Screen } from './screen.ts'
import type { SimTerminal } from './terminal.ts'

/** GitHub shows ten annotations per step; the report has all of them. */
export const annotationsMax = 10

/** Folder to which GitHub's annotations refer; undefined: the command does not run in a GitHub workflow. */
export function workspaceOf(environment: SimTerminal['environment']): Workspace | undefined {
  if (environment.get('GITHUB_ACTIONS') !== 'true') return undefined
  return { root: environment.get('GITHUB_WORKSPACE'), folder: environment.get('PWD') }
}

/** The output for programs: JSON lines, JUnit's XML, annotations. */
export class Outputs {
  readonly #terminal: SimTerminal
  readonly #json: boolean
  readonly #build: string | undefined
  readonly #lines: LineFile | undefined
  readonly #junit: LineFile | undefined
  readonly #workspace: Workspace | undefined
  #cases: JunitCase[] = []
  #annotated = 0

  private constructor(terminal: SimTerminal, json: boolean, lines: LineFile | undefined, junit: LineFile | undefined) {
    const { environment } = terminal
    this.#terminal = terminal
    this.#json = json
    this.#build = json || lines !== undefined ? terminal.buildHash() : undefined
    this.#lines = lines
    this.#junit = junit
    this.#workspace = workspaceOf(environment)
    junit?.add(junitHead)
  }

  /** Creates the files before anything runs; undefined: one cannot be written, which was reported. */
  static async open(flags: RunFlags, terminal: SimTerminal): Promise<Outputs | undefined> {
    const lines = flags.jsonl === undefined ? undefined : await LineFile.create(terminal, flags.jsonl)
    if (flags.jsonl !== undefined && lines === undefined) return undefined
    const junit = flags.junit === undefined ? undefined : await LineFile.create(terminal, flags.junit)
    if (flags.junit !== undefined && junit === undefined) return undefined
    return new Outputs(terminal, flags.json === true, lines, junit)
  }

  /** With `--json`, standard output is for programs only, and output for people goes to standard error. */
  take(record: SeedRecord, screen: Pick<Screen, 'line' | 'note'>): void {
    const line = JSON.stringify(this.#build === undefined ? record : { ...record, build: this.#build })
    if (this.#json) screen.line(line)
    this.#lines?.add(line)
    if (this.#junit !== undefined) this.#cases.push(seedCase(record))
    if (record.verdict === 'passed' || this.#workspace === undefined) return
    if (++this.#annotated > annotationsMax) return
    const text = annotation(record, this.#workspace)
    if (this.#json) screen.note(text)
    else screen.line(text)
  }

  endPage({ loaded }: Page, missed: readonly Missed[]): void {
    if (this.#junit === undefined) return
    const { file, scenario } = loaded
    const cases = [...this.#cases, ...missed.map((demand) => missedCase(file, demand))]
    this.#cases = []
    this.#junit.add(suiteText({ scenario: scenario.scenario, file, cases }))
  }

  /** False: a file is incomplete, which was reported. */
  async end(): Promise<boolean> {
    this.#junit?.add(junitTail)
    const problems = [await this.#lines?.end(), await this.#junit?.end()].filter((problem) => problem !== undefined)
    for (const problem of problems) this.#terminal.error(`${problem}\n`)
    return problems.length === 0
  }
}
