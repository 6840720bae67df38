import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type SettingsTold, settingsTold } from '../reads/settings-told.ts'
import { type MonotoneIndex, monotoneIndex } from './monotone-index.ts'
import type { WaitingRead } from './read-facts.ts'

/** Clocks of agents differ from true time by at most this share. */
const clockAllowance = 0.06
/** An agent extends a wait by up to this share of it, as jitter. */
const jitterShare = 1 / 16
/**
 * Time in which an agent in contact answers a read that need not wait, and in which a follower learns what its leader
 * committed.
 */
const answeredWithinUs = 2_000_000
/**
 * Time in which a read that was under way goes on after its agent has a leader again: the agent and the server that it
 * asked notice at the same time that a connection is dead (4 s), and each may still wait for a dial (3 s) and for the
 * greeting (5 s) of another server.
 */
const againWithinUs = 15_000_000

type Excuse = 'out of reach' | 'index alone' | 'stale default reads' | 'majority lost'
type Waiting = Facts['reader answered']
type Settings = Pick<SettingsTold, 'staleByDefault'>

/**
 * W4. A blocking read is answered for an index beyond the one that it waits for, or when its wait is over:
 * 1. An answer before that has a greater index. Otherwise its client would ask again at once, for ever.
 * 2. When its wait is over, it is answered. If that answer shows a change that was committed long before, the read was
 *    not woken. An agent that was without a leader meanwhile has the time to reach the new one.
 * 3. The answer to a read that promises the newest state has no lower index than the one waited for: its client would
 *    begin again.
 * A read that waits for an index beyond the state is answered when its wait is over, with the index of the state (W1).
 */
export class WaitingAnswers {
  readonly #run: Run
  readonly #indexes: MonotoneIndex
  readonly #settings: Settings
  /** When the first server reached each index; recorded once there is a reader. */
  #reached: Map<number, number> | undefined

  constructor(run: Run, indexes: MonotoneIndex, settings: Settings) {
    this.#run = run
    this.#indexes = indexes
    this.#settings = settings
  }

  /** The result is kept with the read until its answer. */
  began(read: Omit<WaitingRead, 'floor' | 'calledUs'>): WaitingRead {
    this.#reached ??= new Map()
    return { ...read, floor: this.#indexes.began(scopeOf(read)), calledUs: this.#run.nowUs() }
  }

  reached(index: number): void {
    if (this.#reached?.has(index) === false) this.#reached.set(index, this.#run.nowUs())
  }

  answered({ read, index, isChanged, isStale, mayBeOld }: Waiting): void {
    const mayBeStale = this.#run.staleDefaultMs > 0 || (isStale && this.#settings.staleByDefault(read.agent))
    if (read.consistency === 'default' && mayBeStale) {
      this.#run.excused('W4', 'stale default reads')
    } else {
      if (read.consistency !== 'stale' || read.server !== undefined) {
        this.#indexes.answered(scopeOf(read), read.floor, index, mayBeOld)
      }
      if (read.consistency !== 'stale' && !read.isAhead) this.#notBehind(read, index)
    }
    if (read.waited > 0) this.#inTime(read, index, isChanged)
  }

  #notBehind({ query, agent, waited, floor }: WaitingRead, index: number): void {
    if (floor.era !== this.#indexes.began('').era) return this.#run.excused('W4', 'majority lost')
    this.#run.judged('W4')
    if (index >= waited) return
    this.#run.report('W4', `${query} at ${agent} waits for more than ${waited}, and is answered with ${index}`)
  }

  #inTime(read: WaitingRead, index: number, isChanged: boolean): void {
    const { query, agent, waited, waitMs, calledUs } = read
    const tookUs = this.#run.nowUs() - calledUs
    const text = `${query} (${read.consistency}) at ${agent} waits for more than ${waited}`
    const after = `after ${seconds(tookUs)}, its maximum wait being ${seconds(waitMs * 1000)}`
    if (tookUs < waitMs * 1000 * (1 - clockAllowance)) {
      this.#run.judged('W4')
      if (index <= waited) this.#run.report('W4', `${text}, and is answered with ${index} ${after}`)
    }
    const ableUs = this.#ableSinceUs(agent, calledUs)
    if (ableUs === undefined) return
    this.#run.judged('W4')
    if (this.#isLate(read, ableUs)) {
      this.#run.report('W4', `${text}, and is answered ${after}`)
      return
    }
    const reachedUs = index > waited ? this.#reached?.get(index) : undefined
    if (reachedUs === undefined) return
    const missedUs = this.#run.nowUs() - Math.max(reachedUs, ableUs)
    if (missedUs <= answeredWithinUs) return
    if (!isChanged) return this.#run.excused('W4', 'index alone')
    this.#run.report('W4', `${text}, and learns index ${index} ${seconds(missedUs)} after it was committed`)
  }

  /** The client has waited longer than any answer may take, and the process that it asked still runs. */
  unanswered(read: WaitingRead): void {
    const { query, consistency, agent, waited, waitMs, calledUs } = read
    const ableUs = waited === 0 ? undefined : this.#ableSinceUs(agent, calledUs)
    if (ableUs === undefined) return
    this.#run.judged('W4')
    if (!this.#isLate(read, ableUs)) return
    const took = `after ${seconds(this.#run.nowUs() - calledUs)}, its maximum wait being ${seconds(waitMs * 1000)}`
    this.#run.report(
      'W4',
      `${query} (${consistency}) at ${agent} waits for more than ${waited}, and has no answer ${took}`,
    )
  }

  /** Since when the agent could do all for a read that it must; undefined: it cannot yet, which is excused. */
  #ableSinceUs(agent: string, calledUs: number): number | undefined {
    const contactUs = this.#run.contactSinceUs(agent)
    if (contactUs !== undefined) {
      const ableUs = contactUs <= calledUs ? calledUs : contactUs + againWithinUs
      if (ableUs <= this.#run.nowUs()) return ableUs
    }
    this.#run.excused('W4', 'out of reach')
    return undefined
  }

  #isLate({ waitMs, calledUs }: WaitingRead, ableUs: number): boolean {
    const overUs = calledUs + waitMs * 1000 * (1 + jitterShare) * (1 + clockAllowance)
    return this.#run.nowUs() > Math.max(overUs, ableUs) + answeredWithinUs
  }
}

type Run = Pick<CheckedRun, 'nowUs' | 'contactSinceUs' | 'staleDefaultMs'> & Judge<{ W4: Excuse }>

function scopeOf({ query, consistency, server }: Pick<WaitingRead, 'query' | 'consistency' | 'server'>): string {
  return consistency === 'stale' ? `${query} at ${server ?? 'nobody'}` : `${query}, ${consistency} reads`
}

function seconds(us: number): string {
  return `${(us / 1e6).toFixed(3)} s`
}

export const waitingAnswers = checker({
  codes: {
    W4: {
      text: 'waits: a blocking query is answered at a later index or after its wait, and never with an earlier index',
      sources: ['docs/reference/http-reads.md#blocking-queries'],
      evidence: ['requests', 'forwards', 'commands'],
      judges: ['answer to a blocking read', 'answers to blocking reads'],
      excuses: {
        'out of reach':
          'How long an answer takes is not judged of an agent that reached no leader meanwhile; until 15 s after it has one.',
        'index alone':
          'An index that grows while the result stays as it is wakes no read, as that of a service that is not there, nor does another order of it wake a read with a token; that answer.',
        'stale default reads':
          'Where a scenario allows stale reads of default consistency, or an agent that `discovery_max_stale` allows them says that its answer is one, their indexes promise nothing; as long as it does, and that answer.',
        'majority lost':
          'An answer to a request begun before a recovery that lost entries; requests begun after it are judged.',
      },
    },
  },
  also: [monotoneIndex, settingsTold],
  make: (run) => new WaitingAnswers(run, run.of(monotoneIndex), run.of(settingsTold)),
  takes: {
    'reader answered': (it, answer) => it.answered(answer),
    'reader unanswered': (it, { read }) => it.unanswered(read),
    'command took effect': (it, { index }) => it.reached(index),
  },
})
