import { loadAllCommands } from '../../src/cli/load-all.ts'
import type { TabCluster, TabRun, TabRunEnd } from '../play/tab-api.ts'
import { PlayWorld } from '../play/world.ts'
import { pageOf } from '../pool/seed-runs.ts'
import type { RunResult } from '../report/run-report.ts'
import { recordOf } from '../report/seed-record.ts'
import { reasonLines, storyText, verdictLines } from '../report/terminal-report.ts'
import { type LoadedScenario, usualSeed } from '../scenario/language/load.ts'
import { overviewAnswer, pieceAnswer, type ShownFilm } from './film-answers.ts'
import { type Answered, type Going, refused, said } from './going.ts'
import { gzip, type TabMachine } from './machine.ts'
import { createWebPlatform } from './platform/platform.ts'

/** A run of a scenario to its end, as `svc-sim run` makes it. */
export function beginRun(loaded: LoadedScenario, { seed: given }: TabCluster, machine: TabMachine): Going {
  const seed = given ?? usualSeed(loaded)
  const run = new RunInTab(loaded, seed, machine)
  run.make().catch((reason: unknown) => machine.onEnd(reason instanceof Error ? reason.message : String(reason)))
  return run
}

export class RunInTab implements Going {
  readonly #loaded: LoadedScenario
  readonly #seed: number
  readonly #machine: TabMachine
  readonly #world: PlayWorld
  #end: TabRunEnd | undefined

  constructor(loaded: LoadedScenario, seed: number, machine: TabMachine) {
    this.#loaded = loaded
    this.#seed = seed
    this.#machine = machine
    const platform = createWebPlatform(machine)
    this.#world = new PlayWorld({ loaded, seed, build: machine.build, gzip, platform })
  }

  /** Undefined: nothing has happened yet. */
  get film(): ShownFilm | undefined {
    return this.#world.film
  }

  /** What `svc-sim run` prints of it. */
  get text(): string {
    return [...this.#world.story.lines.map(storyText), ...(this.#end?.lines ?? [])].join('\n')
  }

  /** Runs to the end. */
  async make(): Promise<void> {
    await loadAllCommands()
    const { wallMs } = this.#machine
    const before = wallMs()
    const result = await this.#world.run.run()
    this.#end = this.#ended(result, wallMs() - before)
    this.#world.drop()
  }

  async answer({ method, path }: Parameters<Going['answer']>[0]): Promise<Answered> {
    const [name = '', query = ''] = path.split('?')
    const number = Number(/^(?:from|at)=(\d{1,9})$/.exec(query)?.[1] ?? Number.NaN)
    if (method === 'GET' && name === 'run' && Number.isInteger(number)) return said(this.#told(number))
    if (method === 'GET' && name === 'overview') return overviewAnswer(this.film, this.#world.run.simulation.turns)
    if (method === 'GET' && name === 'piece' && Number.isInteger(number)) return pieceAnswer(this.film, number)
    return refused(404, `a run has no ${method} ${path}`)
  }

  #ended(result: RunResult, wallMs: number): TabRunEnd {
    const page = pageOf(this.#loaded, createWebPlatform(this.#machine))
    const record = recordOf(result, page.hash, { wallMs, cpuMs: wallMs })
    return {
      passed: record.passed,
      lines: [...verdictLines(record), ...reasonLines(record)],
      trace: result.trace.hash,
    }
  }

  #told(from: number): TabRun {
    const { run, nowUs, story } = this.#world
    const lines = story.lines.slice(Math.max(0, from - story.forgotten)).map(storyText)
    return {
      title: run.scenario.scenario,
      seed: this.#seed,
      nowUs,
      events: run.simulation.turns,
      lines,
      nextLine: story.forgotten + story.lines.length,
      ...(this.#end === undefined ? {} : { end: this.#end }),
    }
  }
}
