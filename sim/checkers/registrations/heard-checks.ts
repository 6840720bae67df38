import { type CheckedRun, checker, eventIn, type Judge } from '../checker.ts'
import { clockAllowance, Owing, type Telling, telling } from './owing.ts'
import { type CheckHeard, type NodeRows, noRows, type RegistrationChange } from './registration-facts.ts'

const lookEveryUs = 500_000

type Excuse = 'restarted' | 'report unanswered' | 'out of reach' | 'restored'

type Run = Pick<CheckedRun, 'nowUs' | 'network'> & Judge<{ E6: Excuse }>

/** A TTL check of an agent, as its reporters may expect it. */
interface Check {
  readonly ttlUs: number
  /** The last answered report, and the event in which it was answered. */
  last:
    | { readonly status: string; readonly calledUs: number; readonly endedUs: number; readonly event: number }
    | undefined
  /** The event in which its status in the catalog changed last. */
  listedIn: number
  /**
   * Latest moment from which its time to live may be counted: that of a report, a definition, a new process, or of one
   * of these without an answer.
   */
  countedUs: number
  /** Reports without an answer: their statuses are possible until another report is answered. */
  readonly open: Set<RegistrationChange>
  readonly unsure: Set<string>
  /** It was redefined or its agent restarted since, so it may be critical before its time. */
  isUncertain: boolean
  readonly owing: Owing
  /** Statuses that it was observed to have since then, as it must. */
  readonly judged: Set<string>
}

/**
 * E6. A TTL check has the last reported status for as long as its time to live, and is critical once that has passed
 * without a report: in the catalog within the limit of `owing.ts`. After a restart of its agent it may be critical at
 * once, because the report may be lost, and its time to live begins anew.
 */
export class HeardChecks {
  readonly #run: Run
  readonly #telling: Telling
  readonly #nodes = new Map<string, { readonly checks: Map<string, Check>; rows: NodeRows }>()
  #nextLookUs = 0

  constructor(run: Run, told: Telling) {
    this.#run = run
    this.#telling = told
  }

  began(change: RegistrationChange): void {
    for (const heard of change.heard) this.#check(change.node, heard).open.add(change)
  }

  ended(change: RegistrationChange): void {
    for (const heard of change.heard) {
      const check = this.#node(change.node).checks.get(heard.checkId)
      if (check === undefined || !check.open.delete(change)) continue
      if (change.outcome === 'done') this.#answered(change, heard, check)
      else this.#unanswered(change, heard, check)
    }
    this.#look(change.node)
  }

  listed(node: string, rows: NodeRows, isRestored: boolean): void {
    const known = this.#node(node)
    for (const [checkId, check] of known.checks) {
      if (known.rows.statuses.get(checkId) !== rows.statuses.get(checkId)) check.listedIn = eventIn(this.#run)
    }
    known.rows = rows
    if (isRestored) {
      for (const { owing } of known.checks.values()) owing.restored(this.#run.nowUs())
      this.#run.excused('E6', 'restored', known.checks.size)
    }
    this.#look(node)
  }

  /** The agent has another process: reports may be lost, and the time to live of each check begins anew. */
  booted(node: string): void {
    for (const check of this.#nodes.get(node)?.checks.values() ?? []) {
      check.countedUs = this.#run.nowUs()
      check.isUncertain = true
      this.#run.excused('E6', 'restarted')
    }
  }

  replaced(node: string): void {
    this.#nodes.get(node)?.checks.clear()
  }

  lookAround(): void {
    const nowUs = this.#run.nowUs()
    if (nowUs < this.#nextLookUs) return
    this.#nextLookUs = nowUs + lookEveryUs
    for (const node of this.#nodes.keys()) this.#look(node)
  }

  #answered({ calledUs, endedUs, node }: RegistrationChange, { checkId, status }: CheckHeard, check: Check): void {
    check.countedUs = Math.max(check.countedUs, endedUs)
    if (status === 'gone') {
      this.#node(node).checks.delete(checkId)
    } else if (status === 'as it was') check.isUncertain ||= check.last === undefined
    else {
      const contactUs = this.#telling.contactSinceUs(node)
      const wasInReach = check.last === undefined || (contactUs !== undefined && contactUs <= check.last.calledUs)
      if (!wasInReach && check.judged.size === 0) this.#run.excused('E6', 'out of reach')
      check.last = { status, calledUs, endedUs, event: eventIn(this.#run) }
      check.unsure.clear()
      check.isUncertain = false
      check.judged.clear()
    }
  }

  #unanswered({ endedUs, outcome }: RegistrationChange, { status }: CheckHeard, check: Check): void {
    if (outcome === 'not held') return
    this.#run.excused('E6', 'report unanswered')
    check.countedUs = Math.max(check.countedUs, endedUs)
    if (status === 'gone' || status === 'as it was') check.isUncertain = true
    else check.unsure.add(status)
    if (status === 'gone') check.last = undefined
  }

  #look(node: string): void {
    const { checks, rows } = this.#node(node)
    const nowUs = this.#run.nowUs()
    for (const [checkId, check] of checks) {
      const { last, owing, open } = check
      // While a report is under way, every status is possible; and E5 judges a check that does not exist.
      const listed = rows.statuses.get(checkId)
      if (last === undefined || open.size > 0 || listed === undefined) continue
      const expected = expectedOf(check, nowUs)
      if (expected.includes(listed) || check.unsure.has(listed)) {
        owing.matches()
        if (expected.length === 1) this.#asItMust(check, listed)
        continue
      }
      const isOver = nowUs >= overUs(check)
      const contactUs = this.#telling.contactSinceUs(node)
      const isAtOnce = this.#telling.isAtOnce(node, contactUs, last.calledUs)
      const lateUs = owing.overdueUs(nowUs, { owedUs: isOver ? overUs(check) : last.endedUs, contactUs, isAtOnce })
      if (lateUs === undefined) continue
      this.#run.judged('E6')
      const ago = ((nowUs - last.endedUs) / 1e6).toFixed(3)
      this.#run.report(
        'E6',
        `check ${checkId} of ${node} is ${listed} in the catalog, and should be ${expected.join(' or ')}: ${last.status} was reported ${ago} s ago, its time to live being ${check.ttlUs / 1e6} s`,
        [last.event, check.listedIn],
      )
      check.last = undefined
    }
  }

  #asItMust({ judged }: Check, status: string): void {
    if (judged.has(status)) return
    judged.add(status)
    this.#run.judged('E6')
  }

  #node(node: string): { readonly checks: Map<string, Check>; rows: NodeRows } {
    const known = this.#nodes.get(node) ?? { checks: new Map(), rows: noRows }
    this.#nodes.set(node, known)
    return known
  }

  #check(node: string, { checkId, ttlMs }: CheckHeard): Check {
    const { checks } = this.#node(node)
    const check = checks.get(checkId) ?? {
      ttlUs: ttlMs * 1000,
      last: undefined,
      listedIn: 0,
      countedUs: 0,
      open: new Set(),
      unsure: new Set(),
      isUncertain: true,
      owing: new Owing(this.#run.network),
      judged: new Set(),
    }
    checks.set(checkId, check)
    return check
  }
}

/** When its time to live ends at the latest, by any clock. */
function overUs({ countedUs, ttlUs }: Check): number {
  return countedUs + ttlUs * (1 + clockAllowance)
}

function expectedOf(check: Check, nowUs: number): readonly string[] {
  const { last, ttlUs, isUncertain } = check
  if (last === undefined || last.status === 'critical') return ['critical']
  if (nowUs >= overUs(check)) return ['critical']
  const isYoung = nowUs < last.calledUs + ttlUs * (1 - clockAllowance)
  return isYoung && !isUncertain ? [last.status] : [last.status, 'critical']
}

export const heardChecks = checker({
  codes: {
    E6: {
      text: 'time to live: a TTL check is in the catalog as it was reported, and critical once its TTL passes without a report',
      sources: ['docs/reference/definitions.md#check-types'],
      evidence: ['requests', 'catalog', 'forwards'],
      judges: ['report or silence', 'reports and silences'],
      excuses: {
        restarted:
          'The last report to a process that ended may be lost: the check may be critical; until the next report.',
        'report unanswered': 'A report without an answer may have been received; until the next that is answered.',
        'out of reach':
          'An agent that reaches no leader, or was asked to leave, need not sync; until it has reached one for the bound, or another report is answered.',
        restored: 'A restored snapshot has what was reported before; until the full comparison of each agent.',
      },
    },
  },
  make: (run) => new HeardChecks(run, run.of(telling)),
  takes: {
    'registration began': (it, { change }) => it.began(change),
    'registration ended': (it, { change }) => it.ended(change),
    'node listed': (it, { node, rows, isRestored }) => it.listed(node, rows, isRestored),
    'process began': (it, { node }) => it.booted(node),
    'machine replaced': (it, { node }) => it.replaced(node),
    'network looked at': (it) => it.lookAround(),
  },
})
