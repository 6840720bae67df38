import type { Blamed } from '../../explain/blame.ts'
import type { Events } from '../../explain/events.ts'
import { struckBy } from '../../explain/struck.ts'
import type { FilmMaker } from '../../picture/film.ts'
import type { FilmBlame } from '../../picture/film-format.ts'
import { type TraceHeader, type TraceRecord, traceVersion } from '../../report/trace-record.ts'
import { canBeWritten, writeText } from '../files.ts'
import { newFilm, reportPage } from '../run-page.ts'
import type { FailingRun } from '../shrink/failing-run.ts'
import type { SimTerminal } from '../terminal.ts'

const judgementWords = {
  needs: 'needed',
  rarer: 'hinders',
  'not needed': 'not needed',
  seldom: 'cannot tell',
  open: 'unclear',
} as const

/** The picture of the run that is explained, with what its failure needs. */
export class ExplainedPicture {
  readonly #terminal: SimTerminal
  readonly #run: FailingRun
  readonly #file: string
  #film: FilmMaker | undefined

  private constructor(terminal: SimTerminal, run: FailingRun, file: string) {
    this.#terminal = terminal
    this.#run = run
    this.#file = file
  }

  /** Undefined: the file cannot be written, which was said. */
  static async open(terminal: SimTerminal, run: FailingRun, file: string): Promise<ExplainedPicture | undefined> {
    return (await canBeWritten(terminal, file)) ? new ExplainedPicture(terminal, run, file) : undefined
  }

  add(event: TraceRecord, nodes: readonly string[]): void {
    const { loaded, seed } = this.#run
    const { build } = this.#terminal
    const header: TraceHeader = { v: traceVersion, scenario: loaded.scenario.scenario, seed, build, nodes: [...nodes] }
    this.#film ??= newFilm(this.#terminal, header)
    this.#film.add(event)
  }

  /** Writes it. False: it was not written whole, which was said. */
  async end(violation: number, events: Events, blamed: readonly Blamed[] | undefined): Promise<boolean> {
    if (blamed !== undefined)
      this.#film?.blamed(
        violation,
        blamed.map((each) => filmBlame(events, each)),
      )
    return this.#film === undefined || writeText(this.#terminal, this.#file, reportPage(this.#terminal, this.#film))
  }
}

function filmBlame(events: Events, { suspect, judgement, unchanged, without }: Blamed): FilmBlame {
  return {
    atUs: suspect.atUs,
    what: suspect.text,
    judgement: judgementWords[judgement],
    withIt: { fails: unchanged.fails, tries: unchanged.tries },
    withoutIt: { fails: without.fails, tries: without.tries },
    events: struckBy(events, suspect.without).map(({ n, t, node }) => ({ n, atUs: t, node })),
  }
}
