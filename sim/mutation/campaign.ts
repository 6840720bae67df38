import { Bench, type Tried } from './bench.ts'
import type { NamedMutant } from './build.ts'
import { Coverage, type Path, type Paths } from './coverage.ts'
import type { Judge, Kill, Program } from './jury.ts'
import type { MutantLine, RunLine } from './lines.ts'

export interface CampaignOptions {
  readonly judges: readonly Judge[]
  /** The mutants to try, without those with known results. */
  readonly mutants: readonly NamedMutant[]
  /** All mutants of the build, which show which file has which sites. */
  readonly all: readonly NamedMutant[]
  readonly sites: number
  /** CPU time of the runs of one mutant, in milliseconds. */
  readonly budgetMs: number
  readonly jobs: number
  /** Earlier runs of the unchanged program. */
  readonly known: readonly RunLine[]
  readonly onRun: (line: RunLine) => void
  readonly onMutant: (line: MutantLine) => void
  /** Called with remarks for the user. */
  readonly note: (text: string) => void
}

/** Maximum CPU time of a run of the unchanged program, in milliseconds. */
const wholeMaxMs = 600_000
/** How much more CPU time a mutant may use than the unchanged program did in a warm worker. */
const slowest = { times: 5, andMs: 5_000 }
/**
 * After this many mutants, or earlier after this much of their CPU time, a warm worker is checked for leftovers of
 * mutants: unchecked results are lost to `--resume`.
 */
const checkedEvery = { mutants: 8, cpuMs: 10_000 }

/**
 * Runs every seed of every judge once without a mutant, then every mutant against the runs that reach it, in the order
 * of `Coverage`, until one kills it or its budget is spent.
 */
export async function runCampaign(options: CampaignOptions): Promise<void> {
  const coverage = new Coverage(options.sites, options.all)
  const judges = [...options.judges]
  const mutants = [...options.mutants]
  const inLanes = async (deal: (lane: Lane) => Promise<void>): Promise<void> => {
    await Promise.all(
      Array.from({ length: options.jobs }, async () => {
        const lane = new Lane(options, coverage)
        await deal(lane)
        lane.close()
      }),
    )
  }
  await inLanes(async (lane) => {
    for (let judge = judges.shift(); judge !== undefined; judge = judges.shift()) await lane.cover(judge)
  })
  await inLanes(async (lane) => {
    for (let mutant = mutants.shift(); mutant !== undefined; mutant = mutants.shift()) await lane.judge(mutant)
    await lane.check()
  })
}

/** Runs one after another, with a warm worker of one program. */
class Lane {
  readonly #options: CampaignOptions
  readonly #coverage: Coverage
  #warm: { readonly program: Program; readonly bench: Bench } | undefined
  /** Mutants judged in the warm worker since it was last checked. */
  #unchecked: { readonly mutant: NamedMutant; readonly line: MutantLine }[] = []

  constructor(options: CampaignOptions, coverage: Coverage) {
    this.#options = options
    this.#coverage = coverage
  }

  close(): void {
    this.#warm?.bench.close()
    this.#warm = undefined
  }

  /** Runs the seeds of a judge without a mutant. */
  async cover(judge: Judge): Promise<void> {
    const { known, onRun, note } = this.#options
    for (let seed = judge.seeds.first; seed <= judge.seeds.last; seed++) {
      const before = known.find((run) => run.judge === judge.name && run.page === judge.page.hash && run.seed === seed)
      const line = before ?? (await this.#covered(judge, seed))
      if (before === undefined) onRun(line)
      if (line.isSound) this.#coverage.add(judge, line)
      else if (!judge.isSearch) note(`${judge.name} does not pass with seed ${seed}: no mutant is tried there`)
      if (line.isSound && judge.isSearch) return
    }
    if (judge.isSearch) note(`the bug ${judge.name} is not found in the unchanged program: no mutant is tried there`)
  }

  async #covered(judge: Judge, seed: number): Promise<RunLine> {
    const { page, name } = judge
    const tried = await this.#benchOf(judge.program).run({ page, seed, mutant: 0, cpuMaxMs: wholeMaxMs })
    const empty = { trace: null, cpuMs: 0, isSound: false, reached: '', loaded: '' }
    const of = { kind: 'run', judge: name, page: page.hash, seed } as const
    if (tried.kind === 'ended') return { ...of, ...empty }
    const { record, reached = '', loaded = '' } = tried
    const isSound = judge.isSound(record)
    return { ...of, trace: record.trace, cpuMs: record.cpuMs, isSound, reached, loaded }
  }

  async judge(mutant: NamedMutant): Promise<void> {
    const { onMutant } = this.#options
    const paths = this.#coverage.pathsOf(mutant)
    if (this.#coverage.isStatic(mutant)) return onMutant(await this.#tried(mutant, paths, true))
    this.#unchecked.push({ mutant, line: await this.#tried(mutant, paths, false) })
    const cpuMs = this.#unchecked.reduce((sum, { line }) => sum + line.cpuMs, 0)
    if (this.#unchecked.length >= checkedEvery.mutants || cpuMs >= checkedEvery.cpuMs) await this.check()
  }

  /**
   * Whether the unchanged program still runs in the warm worker as before. If a mutant has left something behind, those
   * judged since are judged again, each in a process of its own.
   */
  async check(): Promise<void> {
    const judged = this.#unchecked
    this.#unchecked = []
    const path = this.#coverage.cheapestOf(this.#warm?.program)
    const isClean = this.#warm === undefined || path === undefined || (await this.#repeats(path))
    if (!isClean) {
      this.close()
      this.#options.note(`a mutant changed state that outlives its run: ${judged.length} mutants are judged again`)
    }
    for (const { mutant, line } of judged) {
      const isSure = isClean || line.tried === 0
      this.#options.onMutant(isSure ? line : await this.#tried(mutant, this.#coverage.pathsOf(mutant), true))
    }
  }

  async #repeats(path: Path): Promise<boolean> {
    const { page } = path.judge
    const again = await this.#benchOf(path.judge.program).run({
      page,
      seed: path.seed,
      mutant: 0,
      cpuMaxMs: wholeMaxMs,
    })
    return again.kind === 'run' && again.record.trace === path.trace
  }

  async #tried(mutant: NamedMutant, { reaching, paths }: Paths, isAlone: boolean): Promise<MutantLine> {
    const { budgetMs } = this.#options
    const found = { tried: 0, differed: 0, cpuMs: 0, judges: new Set<string>() }
    let end: (Kill & { readonly path: Path }) | undefined
    const alone = new Map<Program, Bench>()
    for (const path of paths) {
      if (end !== undefined || found.cpuMs >= budgetMs) break
      const { program, page, name } = path.judge
      const bench = isAlone ? aloneBench(alone, program, mutant.number) : this.#benchOf(program)
      const cpuMaxMs = slowest.times * path.cpuMs + slowest.andMs
      const tried = await bench.run({ page, seed: path.seed, mutant: mutant.number, cpuMaxMs })
      found.tried++
      found.judges.add(name)
      found.cpuMs += tried.kind === 'run' ? tried.record.cpuMs : tried.cpuMs
      if (tried.kind === 'ended' || tried.record.trace !== path.trace) found.differed++
      const kill = killIn(tried, path.judge)
      if (kill !== undefined) end = { ...kill, path }
    }
    for (const bench of alone.values()) bench.close()
    return lineOf(mutant, { reaching, telling: paths.length }, { ...found, judges: [...found.judges] }, end)
  }

  #benchOf(program: Program): Bench {
    if (this.#warm?.program !== program) {
      this.close()
      this.#warm = { program, bench: new Bench(() => program.start(undefined)) }
    }
    return this.#warm.bench
  }
}

function aloneBench(benches: Map<Program, Bench>, program: Program, mutant: number): Bench {
  const known = benches.get(program)
  if (known !== undefined) return known
  const bench = new Bench(() => program.start(mutant))
  benches.set(program, bench)
  return bench
}

function killIn(tried: Tried, judge: Judge): Kill | undefined {
  return tried.kind === 'ended' ? { killer: tried.killer, message: tried.message } : judge.kill(tried.record)
}

function lineOf(
  { id, room, place, operator, before, after, isStatic }: NamedMutant,
  runs: Pick<MutantLine, 'reaching' | 'telling'>,
  found: Pick<MutantLine, 'tried' | 'differed' | 'cpuMs' | 'judges'>,
  end: (Kill & { readonly path: Path }) | undefined,
): MutantLine {
  const of = { kind: 'mutant', id, room, place, operator, before, after, isStatic, ...runs, ...found } as const
  if (end !== undefined) {
    const { killer, law, message, path } = end
    const by = { killer, judge: path.judge.name, seed: path.seed, message }
    return { ...of, fate: 'killed', ...by, ...(law === undefined ? {} : { law }) }
  }
  if (runs.reaching === 0) return { ...of, fate: 'not reached' }
  return { ...of, fate: found.differed === 0 ? 'same trace' : 'unseen' }
}
