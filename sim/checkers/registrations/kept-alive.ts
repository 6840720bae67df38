import { type CheckedRun, checker, eventIn, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { clockAllowance } from './owing.ts'
import type { CheckHeard, RegistrationChange } from './registration-facts.ts'

/** A request that was given up takes effect, if ever, within this time. */
const settledAfterUs = 2_000_000

type Excuse = 'change under way' | 'restarted' | 'slept'

type Run = Pick<CheckedRun, 'nowUs'> & Judge<{ E13: Excuse }>

/** The last answered report of a TTL check, by which it is kept alive. */
interface Report {
  readonly status: CheckHeard['status']
  readonly ttlUs: number
  readonly calledUs: number
  readonly event: number
}

interface Agent {
  readonly reports: Map<string, Report>
  /** Requests about the check that are under way, and those without an answer since its last report. */
  readonly open: Map<string, Set<RegistrationChange>>
  /** When its process was last paused; it may still be. */
  sleptUs: number
}

/**
 * E13. A TTL check that is reported in time never expires. An agent logs an expiry at that very moment, so that one is
 * found whose status is reported anew before it reaches the catalog, which is all that E6 sees. The argument:
 * 1. The agent starts the time to live anew when it receives a report, so not before the report was sent. An expiry
 *    that comes before the time to live is over by the fastest clock, counted from the sending, ignores that report.
 * 2. A process that was paused handles whatever became due meanwhile in any order. A timer may then expire before the
 *    process reads a report that arrived during the pause.
 */
export class KeptAlive {
  readonly #run: Run
  readonly #agents = new Map<string, Agent>()

  constructor(run: Run) {
    this.#run = run
  }

  began(change: RegistrationChange): void {
    for (const { checkId } of change.heard) {
      const { open } = this.#agent(change.node)
      open.set(checkId, (open.get(checkId) ?? new Set()).add(change))
    }
  }

  ended(change: RegistrationChange): void {
    for (const heard of change.heard) {
      const { reports, open } = this.#agent(change.node)
      if (change.outcome === 'unknown') continue
      open.get(heard.checkId)?.delete(change)
      if (change.outcome !== 'done') continue
      if (heard.status === 'gone') reports.delete(heard.checkId)
      else if (heard.status !== 'as it was') this.#reported(change, heard)
    }
  }

  /** The agent has another process, which may have lost the report. */
  booted(node: string): void {
    const { reports, open } = this.#agent(node)
    this.#run.excused('E13', 'restarted', reports.size)
    reports.clear()
    open.clear()
  }

  slept(node: string): void {
    this.#agent(node).sleptUs = this.#run.nowUs()
  }

  logged({ node, where, text }: Facts['text shown']): void {
    const reports = where === 'log' ? this.#agents.get(node)?.reports : undefined
    if (reports === undefined || reports.size === 0) return
    const [, checkId] = /agent: Check is now critical .*\bcheck="?([^\s"]+)/.exec(text()) ?? []
    if (checkId !== undefined) this.#expired(node, checkId)
  }

  #reported({ calledUs, node }: RegistrationChange, { checkId, status, ttlMs }: CheckHeard): void {
    const { reports, open } = this.#agent(node)
    const before = reports.get(checkId)
    const ttlUs = ttlMs * 1000
    if (before !== undefined && isAlive(before) && calledUs < soonestUs(before)) this.#run.judged('E13')
    reports.set(checkId, { status, ttlUs, calledUs, event: eventIn(this.#run) })
    // What was sent before this report, and was never answered, has had its effect or will have none.
    for (const change of open.get(checkId) ?? []) {
      if (change.outcome === 'unknown' && change.endedUs + settledAfterUs <= calledUs) open.get(checkId)?.delete(change)
    }
  }

  #expired(node: string, checkId: string): void {
    const { reports, open, sleptUs } = this.#agent(node)
    const last = reports.get(checkId)
    if (last === undefined || !isAlive(last)) return
    const nowUs = this.#run.nowUs()
    reports.delete(checkId)
    if (nowUs >= soonestUs(last)) return this.#run.judged('E13')
    if (sleptUs >= last.calledUs) return this.#run.excused('E13', 'slept')
    if (mayEnd(open.get(checkId), checkId)) return this.#run.excused('E13', 'change under way')
    this.#run.judged('E13')
    const ago = ((nowUs - last.calledUs) / 1e6).toFixed(3)
    this.#run.report(
      'E13',
      `check ${checkId} of ${node} expires ${ago} s after it was reported as ${last.status}, its time to live being ${last.ttlUs / 1e6} s`,
      [last.event],
    )
  }

  #agent(node: string): Agent {
    const known = this.#agents.get(node) ?? {
      reports: new Map<string, Report>(),
      open: new Map<string, Set<RegistrationChange>>(),
      sleptUs: Number.NEGATIVE_INFINITY,
    }
    this.#agents.set(node, known)
    return known
  }
}

/** Whether one of these requests defines the check, removes it, or reports it as critical. */
function mayEnd(open: ReadonlySet<RegistrationChange> = new Set(), checkId: string): boolean {
  return [...open].some(({ heard }) => heard.some((each) => each.checkId === checkId && !isAlive(each)))
}

/** A check that is reported as critical cannot expire. */
function isAlive({ status }: Pick<CheckHeard, 'status'>): boolean {
  return status === 'passing' || status === 'warning'
}

/** When its time to live ends by the fastest clock. */
function soonestUs({ calledUs, ttlUs }: Report): number {
  return calledUs + ttlUs * (1 - clockAllowance)
}

export const keptAlive = checker({
  codes: {
    E13: {
      text: 'kept alive: a TTL check that is reported in time never expires, not even for a moment',
      sources: ['docs/reference/definitions.md#check-types'],
      evidence: ['requests', 'catalog'],
      judges: ['report or expiry', 'reports and expiries'],
      excuses: {
        'change under way':
          'While a change of the check is under way, or has no answer, it may be another one; until the next report that is answered.',
        restarted: 'A process that ended may have lost the report; until the next report to the next process.',
        slept:
          'An agent that was paused handles an expiry and a report that waits in any order; until the next report.',
      },
    },
  },
  make: (run) => new KeptAlive(run),
  takes: {
    'registration began': (it, { change }) => it.began(change),
    'registration ended': (it, { change }) => it.ended(change),
    'process began': (it, { node }) => it.booted(node),
    'process paused': (it, { node }) => it.slept(node),
    'process resumed': (it, { node }) => it.slept(node),
    'text shown': (it, fact) => it.logged(fact),
  },
})
