import { demandOf, evidenceOf } from '../explain/judged-by.ts'
import { ToldStates } from '../inspection/told-states.ts'
import { Meanings } from '../meaning/meanings.ts'
import { FilmMaker } from '../picture/film.ts'
import type { StoryLine } from '../report/run-report.ts'
import type { TraceOptions } from '../report/trace.ts'
import { type TraceHeader, traceVersion } from '../report/trace-record.ts'
import type { LoadedScenario } from '../scenario/language/load.ts'
import { ScenarioRun } from '../scenario/run.ts'
import type { Platform } from '../world/platform.ts'

/** The cluster of the session. */
export interface Played {
  readonly loaded: LoadedScenario
  readonly seed: number
  readonly build: string
}

interface WorldParts extends Played {
  readonly platform: Platform
  /** Compresses pieces of the film. Without it the world makes no film, and is faster. */
  readonly gzip: ((bytes: Uint8Array) => Uint8Array) | undefined
}

/** Maximum number of story lines that are kept. */
const storyMax = 20_000
/**
 * Maximum number of events among which the chain of a violation is chosen: fewer than for a run, because a session is
 * long.
 */
const explainedEventsMax = 100_000
/** Requests of clients in the picture: all of them are sent with each look at it. */
const operationsMax = 20_000

/** One world of a session: from its beginning until it is rebuilt. */
export class PlayWorld {
  readonly run: ScenarioRun
  readonly #platform: Platform
  readonly #story: StoryLine[] = []
  #forgotten = 0
  #film: FilmMaker | undefined

  constructor(parts: WorldParts) {
    const { loaded, seed, platform, gzip } = parts
    this.#platform = platform
    const films =
      gzip === undefined
        ? {}
        : { trace: this.#traceOptions(parts, gzip), states: (run: ScenarioRun) => new ToldStates(run) }
    this.run = new ScenarioRun({ loaded, seed, platform, ...films, onLine: (line) => this.#remember(line) })
  }

  get nowUs(): number {
    return this.run.simulation.nowUs
  }

  /** Hash of everything so far. */
  get hash(): string {
    return this.run.simulation.finish().hash
  }

  get story(): { readonly forgotten: number; readonly lines: readonly StoryLine[] } {
    return { forgotten: this.#forgotten, lines: this.#story }
  }

  /** Undefined: nothing has happened, or this session makes no pictures. */
  get film(): FilmMaker | undefined {
    return this.#film
  }

  /** The first broken law; undefined: all laws hold. */
  failure(): { readonly atUs: number; readonly text: string } | undefined {
    const [first] = this.run.failuresSoFar().toSorted((a, b) => a.atUs - b.atUs)
    return first && { atUs: first.atUs, text: `${first.place}: ${first.message}` }
  }

  /** Judges what can be judged only at the end of a run. Returns the broken law, if there is one. */
  async end(): Promise<string | undefined> {
    try {
      const { failures } = await this.run.end(false)
      return failures.length === 0 ? undefined : failures.map(({ place, message }) => `${place}: ${message}`).join('\n')
    } finally {
      this.#platform.close()
    }
  }

  /** The world is not needed any more, and is not judged. */
  drop(): void {
    this.#platform.close()
  }

  #traceOptions({ loaded, seed, platform, build }: WorldParts, gzip: NonNullable<WorldParts['gzip']>): TraceOptions {
    const meanings = new Meanings(platform)
    const { scenario } = loaded.scenario
    return {
      onRecord: (record, nodes) => {
        const header: TraceHeader = { v: traceVersion, scenario, seed, build, nodes: [...nodes] }
        this.#film ??= new FilmMaker({ header, gzip, evidenceOf, demandOf, explainedEventsMax, operationsMax })
        this.#film.add(record)
      },
      tellsStates: true,
      meaning: (bytes) => meanings.of(bytes),
      onSealed: (key) => meanings.keys.sealedWith(key),
    }
  }

  #remember(line: StoryLine): void {
    this.#story.push(line)
    if (this.#story.length >= storyMax) this.#forgotten += this.#story.splice(0, storyMax / 10).length
  }
}
