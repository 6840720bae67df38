import { checker, eventIn, type Judge } from './checker.ts'

/** H3. Once a process has crashed, nothing of it runs any more, and nothing waits on its behalf. */
export class CleanDeath {
  readonly #running = new Map<string, number>()
  /** The event of each node's last death; empty if no trace is recorded. */
  readonly #diedIn = new Map<string, number>()
  readonly #judge: Judge<{ H3: never }>

  constructor(judge: Judge<{ H3: never }>) {
    this.#judge = judge
  }

  booted(node: string, boot: number): void {
    this.#running.set(node, boot)
  }

  died(node: string): void {
    if (!this.#running.delete(node)) return
    this.#judge.judged('H3')
    const event = eventIn(this.#judge)
    if (event > 0) this.#diedIn.set(node, event)
  }

  /** This boot did something. Returns false if the boot is dead: then no other checker may count it. */
  acted(node: string, boot: number, what: string): boolean {
    const running = this.#running.get(node)
    if (running === boot) return true
    this.#judge.judged('H3')
    const state = running === undefined ? 'the node is down' : `boot ${running} is running`
    this.#judge.report('H3', `boot ${boot} of ${node} ${what}, though ${state}`, [this.#diedIn.get(node) ?? 0])
    return false
  }

  /** Counts of what still waits on behalf of a dead boot. */
  leftBehind(node: string, boot: number, counts: Readonly<Record<string, number>>): void {
    const left = Object.entries(counts).filter(([, count]) => count > 0)
    if (left.length === 0) return
    this.#judge.judged('H3')
    this.#judge.report(
      'H3',
      `boot ${boot} of ${node} left behind ${left.map(([what, count]) => `${count} ${what}`).join(', ')}`,
      [this.#diedIn.get(node) ?? 0],
    )
  }
}

export const cleanDeath = checker({
  codes: {
    H3: {
      text: 'clean death: no code of a crashed process runs',
      sources: ['docs/architecture/flows.md#what-determinism-rests-on'],
      evidence: ['complaints'],
      judges: ['death of a process', 'deaths of processes'],
    },
  },
  make: (judge) => new CleanDeath(judge),
  takes: {
    'process began': (it, { node, boot }) => it.booted(node, boot),
    'process died': (it, { node }) => it.died(node),
  },
})
