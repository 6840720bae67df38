import type { SeedVerdict } from '../report/seed-record.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { withoutDemands } from '../scenario/demands.ts'
import { type Ended, type Reply, type Request, replySchema, type SeedRequest, type Stuck } from './messages.ts'
import type { Page, Turn } from './seed-runs.ts'
import type { Worker, WorkerEnd } from './worker.ts'

/** A page in the form that workers receive. */
export interface SentPage extends Page {
  readonly text: string
  /** `off`: its runs need not meet its demands. */
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
  /** By the numbers under which workers know them. */
  readonly pages: readonly SentPage[]
  readonly verify: boolean
  /** Whether a failing seed is run in a fresh process before it is reported. */
  readonly confirm: boolean
  readonly searchStepsMax: number | undefined
}

/** Why a seed has no run: the last output of its worker. */
export interface Broken {
  readonly verdict: SeedVerdict
  readonly notes: readonly string[]
}

/** What a run must report besides its verdict: an account of it; and how it differs from its seed's run. */
export interface Wish extends NonNullable<SeedRequest['account']> {
  /** Identities of decisions that it leaves out. */
  readonly without?: readonly string[] | undefined
  /** Report which lines of the agent ran. */
  readonly code?: true | undefined
  /** For an instrumented program: the active change, and the turns if not all. */
  readonly mutant?: number | undefined
  readonly turns?: { readonly first: number; readonly last: number } | undefined
  /** Report in which turns each site was reached. */
  readonly sites?: { readonly events: readonly number[]; readonly since?: number | undefined } | undefined
  /** Maximum CPU time of the run, in milliseconds. */
  readonly cpuMaxMs?: number | undefined
  /** Called with each event of the run; with the first one, also with the machines by number. */
  readonly onEvent?: ((event: TraceRecord, nodes?: readonly string[]) => void) | undefined
  /** Events also say what has changed about their machines. */
  readonly states?: true | undefined
}

export type Outcome =
  | { readonly kind: 'ended'; readonly ended: Ended }
  /** The worker ended while it ran this seed. */
  | { readonly kind: 'broken'; readonly broken: Broken; readonly runsBefore: number }
  /** The worker ended before this seed began, or while it ran the one between two runs of this seed. */
  | { readonly kind: 'other' }
  /** The seed was abandoned. */
  | { readonly kind: 'abandoned' }

/** Maximum number of lines of a worker's last output. */
const lastWords = 12

/** A process that could not even start is no verdict on a seed. */
export class WorkerDidNotStart extends Error {
  override readonly name = 'WorkerDidNotStart'
}

/** A worker and the pages that it has received. */
export class WarmWorker {
  readonly #options: LaneOptions
  readonly #worker: Worker
  readonly #sent = new Set<SentPage>()
  /** The last page that is not one of the options'. */
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
      else if (reply.kind === 'event') wish?.onEvent?.(reply.event, reply.nodes)
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
    // All other pages share one number.
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

function askedFor(
  wish: Wish,
): Pick<SeedRequest, 'account' | 'without' | 'code' | 'events' | 'states' | 'mutant' | 'turns' | 'sites' | 'cpuMaxMs'> {
  const { ends, without, code, mutant, turns, sites, cpuMaxMs, onEvent, states } = wish
  return {
    account: ends === undefined ? {} : { ends },
    ...(without === undefined || without.length === 0 ? {} : { without: [...without] }),
    ...(code === undefined ? {} : { code }),
    ...(mutant === undefined ? {} : { mutant }),
    ...(turns === undefined ? {} : { turns }),
    ...(sites === undefined ? {} : { sites: { ...sites, events: [...sites.events] } }),
    ...(cpuMaxMs === undefined ? {} : { cpuMaxMs }),
    ...(onEvent === undefined ? {} : { events: true }),
    ...(states === undefined ? {} : { states }),
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

function howText({ code, signal }: WorkerEnd): string {
  return signal === undefined ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`
}

function endText(end: WorkerEnd): string {
  return `a worker did not start: ${howText(end)}: ${end.errors.trim().split('\n').slice(-lastWords).join('; ')}`
}
