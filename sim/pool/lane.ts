import { rejudged, type SeedRecord, type SeedVerdict, withoutRun } from '../report/seed-record.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { withoutDemands } from '../scenario/demands.ts'
import { type Ended, type Reply, type Request, replySchema, type SeedRequest, type Stuck } from './messages.ts'
import type { Page, Turn } from './seed-runs.ts'
import type { Worker, WorkerEnd } from './worker.ts'

/** A page as workers get it. */
export interface SentPage extends Page {
  readonly text: string
  /** `off`: its runs may come to less than it demands. */
  readonly demands?: 'off'
}

export function sentPage(page: Page, text: string, isDemanding: boolean): SentPage {
  return isDemanding ? { ...page, text } : { ...page, loaded: withoutDemands(page.loaded), text, demands: 'off' }
}

export interface SentTurn extends Turn {
  readonly page: SentPage
}

export interface LaneOptions {
  readonly startWorker: () => Worker
  /** By the numbers that workers know them by. */
  readonly pages: readonly SentPage[]
  readonly verify: boolean
  /** A seed that failed is run in a fresh process before it is reported. */
  readonly confirm: boolean
  readonly searchStepsMax: number | undefined
}

/** Why a seed has no run: what its worker said last. */
interface Broken {
  readonly verdict: SeedVerdict
  readonly notes: readonly string[]
}

/** What is asked of a run beside its verdict: an account of it, and how it differs from the run of its seed. */
export interface Wish extends NonNullable<SeedRequest['account']> {
  /** Identities of decisions that it is without. */
  readonly without?: readonly string[] | undefined
  /** Tell which lines of the agent ran. */
  readonly code?: true | undefined
  /** Takes each event of the run. */
  readonly onEvent?: ((event: TraceRecord) => void) | undefined
}

type Outcome =
  | { readonly kind: 'ended'; readonly ended: Ended }
  /** The worker ended while it ran this seed. */
  | { readonly kind: 'broken'; readonly broken: Broken; readonly runsBefore: number }
  /** The worker ended before this seed began, or while it ran the one between two runs of this seed. */
  | { readonly kind: 'other' }
  /** It was not wanted any more. */
  | { readonly kind: 'abandoned' }

/** Lines of a worker's last words. */
const lastWords = 12

/** A process that could not even begin is no verdict on a seed. */
export class WorkerDidNotStart extends Error {
  override readonly name = 'WorkerDidNotStart'
}

/** One place of the pool: a warm worker, and fresh ones that confirm what it found. At any time one of them works. */
export class Lane {
  readonly #options: LaneOptions
  #warm: WarmWorker | undefined
  #working: WarmWorker | undefined
  #abandoned = false
  #isClosed = false

  constructor(options: LaneOptions) {
    this.#options = options
  }

  /**
   * What becomes of one seed; undefined: it was abandoned. `following`: the seed that this lane will be asked for next.
   */
  async judge(turn: SentTurn, following: SentTurn | undefined): Promise<SeedRecord | undefined> {
    this.#abandoned = false
    let outcome = await this.#runWarm(turn, following)
    // The seed itself comes between its two runs this time: another one there may be what ends workers.
    if (outcome.kind === 'other') outcome = await this.#runWarm(turn, turn)
    if (outcome.kind === 'abandoned') return undefined
    if (outcome.kind === 'other') throw new WorkerDidNotStart(endedTwice(turn))
    if (outcome.kind === 'ended') {
      const { record, runsBefore } = outcome.ended
      if (!this.#options.confirm || record.verdict === 'passed' || record.verdict === 'undecided') return record
      // A worker's first run is one in a fresh process.
      return runsBefore === 0 ? record : this.#confirmed(turn, record)
    }
    const record = brokenRecord(turn, outcome.broken)
    // What ends a process can come from outside of it, even in its first run.
    const isSure = record.verdict === 'stuck' && outcome.runsBefore === 0
    return this.#options.confirm && !isSure ? this.#confirmed(turn, record) : record
  }

  /**
   * One run with what it was made of, in the warm worker; nothing is confirmed. The page need not be one of the
   * options': it is sent with the turn, and forgotten with the next one. Undefined: the process ended.
   */
  async probe(turn: SentTurn, wish: Wish): Promise<Ended | undefined> {
    this.#abandoned = false
    if (this.#isOver) return undefined
    this.#warm ??= new WarmWorker(this.#options)
    const outcome = await this.#run(this.#warm, turn, undefined, wish)
    return outcome.kind === 'ended' ? outcome.ended : undefined
  }

  /** The seed that is run is not wanted any more. */
  abandon(): void {
    this.#abandoned = true
    this.#working?.kill()
  }

  /** Ends its workers. It starts none afterwards, and judges nothing more. */
  close(): void {
    this.#isClosed = true
    this.#working?.kill()
    this.#warm?.kill()
    this.#warm = undefined
  }

  async #runWarm(turn: SentTurn, following: SentTurn | undefined): Promise<Outcome> {
    if (this.#isOver) return { kind: 'abandoned' }
    this.#warm ??= new WarmWorker(this.#options)
    return this.#run(this.#warm, turn, following)
  }

  async #runFresh(turn: SentTurn, following: SentTurn | undefined): Promise<Outcome> {
    if (this.#isOver) return { kind: 'abandoned' }
    const worker = new WarmWorker(this.#options)
    try {
      return await this.#run(worker, turn, following)
    } finally {
      worker.kill()
    }
  }

  /** The same seed in a process that has run nothing before. Another outcome there is a bug of its own kind. */
  async #confirmed(turn: SentTurn, warm: SeedRecord): Promise<SeedRecord | undefined> {
    let outcome = await this.#runFresh(turn, undefined)
    // The kernel kills processes for want of memory: one that did not come to its run says nothing about the seed.
    if (outcome.kind === 'other') outcome = await this.#runFresh(turn, turn)
    if (outcome.kind === 'abandoned') return undefined
    if (outcome.kind === 'other') throw new WorkerDidNotStart(endedTwice(turn))
    const fresh = outcome.kind === 'ended' ? outcome.ended.record : brokenRecord(turn, outcome.broken)
    if (fresh.verdict === warm.verdict && fresh.trace === warm.trace) {
      return fresh.trace === null ? rejudged(fresh, fresh.verdict, ['a fresh process ended in the same way']) : fresh
    }
    const both = [
      `in a process that had run other seeds: ${shortText(warm)}`,
      `in a fresh process: ${shortText(fresh)}`,
    ]
    // That a process ended can have a reason outside of it: the verdict stays, with what the fresh one said.
    if (warm.trace === null) return rejudged(warm, warm.verdict, both.slice(1))
    return rejudged(warm, 'leftover state', both)
  }

  get #isOver(): boolean {
    return this.#abandoned || this.#isClosed
  }

  async #run(worker: WarmWorker, turn: SentTurn, following: SentTurn | undefined, wish?: Wish): Promise<Outcome> {
    this.#working = worker
    const outcome = await worker.run(turn, following, wish)
    this.#working = undefined
    if (outcome.kind !== 'ended' && worker === this.#warm) this.#warm = undefined
    return this.#isOver ? { kind: 'abandoned' } : outcome
  }
}

/** A worker and the pages that it has got. */
class WarmWorker {
  readonly #options: LaneOptions
  readonly #worker: Worker
  readonly #sent = new Set<SentPage>()
  /** The last one that is none of the options'. */
  #last: SentPage | undefined
  #hasStarted = false
  #runs = 0

  constructor(options: LaneOptions) {
    this.#options = options
    this.#worker = options.startWorker()
  }

  kill(): void {
    this.#worker.kill()
  }

  async run(turn: SentTurn, following: SentTurn | undefined, wish?: Wish): Promise<Outcome> {
    const { verify, searchStepsMax } = this.#options
    this.#send({
      kind: 'seed',
      ...this.#named(turn),
      verify,
      ...(following === undefined || !verify ? {} : { following: this.#named(following) }),
      ...(searchStepsMax === undefined ? {} : { searchStepsMax }),
      ...(wish === undefined ? {} : askedFor(wish)),
    })
    const asked = this.#named(turn)
    let running: { readonly page: number; readonly seed: number } | undefined
    let stuck: Stuck | undefined
    for (;;) {
      const said = await this.#worker.next()
      if ('end' in said) {
        if (!this.#hasStarted && said.end.signal !== 'SIGKILL') throw new WorkerDidNotStart(endText(said.end))
        if (running?.seed !== asked.seed || running.page !== asked.page) return { kind: 'other' }
        return { kind: 'broken', broken: brokenBy(said.end, stuck), runsBefore: Math.max(0, this.#runs - 1) }
      }
      const reply: Reply = replySchema.parse(JSON.parse(said.line))
      if (reply.kind === 'ready') this.#hasStarted = true
      else if (reply.kind === 'stuck') stuck = reply
      else if (reply.kind === 'event') wish?.onEvent?.(reply.event)
      else if (reply.kind === 'ended') return { kind: 'ended', ended: reply }
      else {
        running = reply
        this.#runs++
      }
    }
  }

  #named({ page, seed, forks }: SentTurn): Pick<SeedRequest, 'page' | 'seed' | 'forks'> {
    const { pages } = this.#options
    const isListed = pages.includes(page)
    // All others share one number.
    const number = isListed ? pages.indexOf(page) : pages.length
    if (page !== this.#last && !this.#sent.has(page)) {
      if (isListed) this.#sent.add(page)
      else this.#last = page
      const demands = page.demands === undefined ? {} : { demands: page.demands }
      this.#send({ kind: 'page', page: number, file: page.loaded.file, text: page.text, ...demands })
    }
    return { page: number, seed, ...(forks === undefined ? {} : { forks: [...forks] }) }
  }

  #send(request: Request): void {
    this.#worker.send(JSON.stringify(request))
  }
}

function askedFor({
  ends,
  without,
  code,
  onEvent,
}: Wish): Pick<SeedRequest, 'account' | 'without' | 'code' | 'events'> {
  return {
    account: ends === undefined ? {} : { ends },
    ...(without === undefined || without.length === 0 ? {} : { without: [...without] }),
    ...(code === undefined ? {} : { code }),
    ...(onEvent === undefined ? {} : { events: true }),
  }
}

function brokenBy(end: WorkerEnd, stuck: Stuck | undefined): Broken {
  if (stuck !== undefined) {
    const { virtualUs, cpuMs, wallMs, stack } = stuck
    const used = `${(cpuMs / 1000).toFixed(0)} s of CPU time in ${(wallMs / 1000).toFixed(0)} s`
    const head = `virtual time stands still at ${(virtualUs / 1_000_000).toFixed(6)} s for ${used}`
    return { verdict: 'stuck', notes: [head, ...stack.map((frame) => `  at ${frame}`)] }
  }
  const words = end.errors.trimEnd().split('\n').filter(Boolean)
  const isMemory = end.errors.includes('heap out of memory')
  const fatal = words.find((line) => /heap out of memory|: fatal: /.test(line))
  const shown = fatal === undefined ? words.slice(-lastWords) : [fatal]
  return { verdict: isMemory ? 'out of memory' : 'died', notes: [`its process ended: ${howText(end)}`, ...shown] }
}

function brokenRecord({ page, seed, forks }: SentTurn, { verdict, notes }: Broken): SeedRecord {
  const { file, scenario } = page.loaded
  const of = {
    scenario: scenario.scenario,
    file,
    page: page.hash,
    seed,
    ...(forks === undefined ? {} : { forks: [...forks] }),
  }
  return withoutRun(of, verdict, notes, { wallMs: 0, cpuMs: 0 })
}

function endedTwice({ page, seed }: SentTurn): string {
  return `a worker ended twice before seed ${seed} of ${page.loaded.file} began: is there enough memory for --jobs?`
}

function howText({ code, signal }: WorkerEnd): string {
  return signal === undefined ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`
}

function endText(end: WorkerEnd): string {
  return `a worker did not start: ${howText(end)}: ${end.errors.trim().split('\n').slice(-lastWords).join('; ')}`
}

function shortText({ verdict, trace, failures }: SeedRecord): string {
  const [first] = failures
  const why = first === undefined ? '' : `, ${first.place}: ${first.message}`
  return `${verdict}${trace === null ? '' : `, trace ${trace.slice(0, 16)}`}${why}`
}
