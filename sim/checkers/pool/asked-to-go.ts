import { checker } from '../checker.ts'
import { leadership } from '../raft/leadership.ts'
import { agentNames } from './agent-names.ts'
import { membership } from './membership.ts'

/** A member that was asked to leave or renamed, or whose removal was requested. */
interface Asked {
  readonly node: string
  /** Undefined: the ID of a lost machine that never comes back. */
  readonly id: string | undefined
  /** When it was asked, or when its last process after that began or died. */
  readonly sinceUs: number
}

/** Interval between looks at whether a removal can still happen. */
const lookEveryUs = 1_000_000

/** The facts needed to decide that a requested removal cannot happen any more. */
export interface GoingWorld {
  readonly nowUs: () => number
  /** Since when nothing disturbs the pool; infinite: something does. */
  readonly calmSinceUs: () => number
  readonly leaders: () => number
  /** Whether every running agent considers this member failed, so that none has heard that it left. */
  readonly isFailedForAll: (node: string) => boolean
  /** Time in which an undisturbed pool agrees on its members. */
  readonly agreementBoundMs: () => number
  readonly over: (node: string, id: string | undefined) => void
}

/**
 * The end of the excuse of E3, O1 and O3. News of a leave may come late, and so may the removal that follows. At some
 * time the removal cannot happen any more:
 * 1. Only a leader removes: one that considers the member gone, or one that an operator has asked.
 * 2. Once the agent runs, and nothing has disturbed the pool for the time in which all agree (M1), every member knows
 *    that it is alive, including the leader; every member that receives news of an older incarnation refutes it.
 * 3. The leader of all that time has done what an operator asked, because operators ask again every two seconds. What
 *    another leader had written before is committed by this one, or lost.
 * So the excuse ends then. It also ends while the agent is down, if after the same time every running agent considers it
 * failed: none has heard that it left, and no news of it is left that could say so. If one has heard, the excuse holds.
 * A machine that was replaced never comes back, so its ID may be removed at any time.
 */
export class AskedToGo {
  readonly #world: GoingWorld
  readonly #asked = new Map<string, Asked>()
  readonly #running = new Set<string>()
  /** Nodes with a new machine: the next removal is requested for the lost one. */
  readonly #lost = new Set<string>()
  #leaderSinceUs = 0
  #nextLookUs = 0

  constructor(world: GoingWorld) {
    this.#world = world
  }

  asked(node: string, id: string): void {
    const isLost = this.#lost.delete(node)
    this.#asked.set(node, { node, id: isLost ? undefined : id, sinceUs: this.#world.nowUs() })
  }

  /** Its former name may be removed, and its present one stays. */
  renamed(node: string, id: string): void {
    this.#asked.set(node, { node, id, sinceUs: this.#world.nowUs() })
  }

  leaderBegan(atUs: number): void {
    this.#leaderSinceUs = atUs
  }

  began(node: string): void {
    this.#running.add(node)
    this.#counted(node)
  }

  died(node: string): void {
    this.#running.delete(node)
    this.#counted(node)
  }

  /** The time is counted from now on. */
  #counted(node: string): void {
    const asked = this.#asked.get(node)
    if (asked !== undefined) this.#asked.set(node, { ...asked, sinceUs: this.#world.nowUs() })
  }

  replaced(node: string): void {
    this.#lost.add(node)
  }

  look(): void {
    const nowUs = this.#world.nowUs()
    if (this.#asked.size === 0 || nowUs < this.#nextLookUs) return
    this.#nextLookUs = nowUs + lookEveryUs
    const calmUs = Math.max(this.#world.calmSinceUs(), this.#leaderSinceUs)
    if (calmUs > nowUs || this.#world.leaders() !== 1) return
    const boundUs = this.#world.agreementBoundMs() * 1000
    for (const { node, id, sinceUs } of this.#asked.values()) {
      if (nowUs - Math.max(sinceUs, calmUs) <= boundUs) continue
      if (!this.#running.has(node) && (id === undefined || !this.#world.isFailedForAll(node))) continue
      this.#asked.delete(node)
      this.#world.over(node, id)
    }
  }
}

export const askedToGo = checker({
  codes: {},
  make: (run) => {
    const pool = run.of(membership)
    const { leading } = run.of(leadership)
    const names = run.of(agentNames)
    return new AskedToGo({
      nowUs: run.nowUs,
      calmSinceUs: () => pool.laws.weather.calmSinceUs,
      leaders: () => leading.size,
      isFailedForAll: (node) => pool.isFailedForAll(names.nameOf(node)),
      agreementBoundMs: () => pool.agreementBoundMs(),
      over: (node, id) => run.tell('removal over', { node, id }),
    })
  },
  takes: {
    'removal allowed': (it, { node, id }) => it.asked(node, id),
    'machine replaced': (it, { node }) => it.replaced(node),
    'agent renamed': (it, { node, id }) => it.renamed(node, id),
    'process began': (it, { node }) => it.began(node),
    'process died': (it, { node }) => it.died(node),
    'leader began': (it, { atUs }) => it.leaderBegan(atUs),
    'network looked at': (it) => it.look(),
  },
})
