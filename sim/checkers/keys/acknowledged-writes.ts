import { appliedIn, checker, type Judge } from '../checker.ts'
import { type AppliedKeys, appliedKeys, placeOf } from './applied-keys.ts'
import { eventsOf, type KeyOperation, operationText } from './key-history.ts'
import type { Recovery } from './recovered-history.ts'

/**
 * D1. A write is acknowledged only after it has taken effect, and in the end every server holds, for every key, the
 * value that the log gives it. So no acknowledged write is lost, and none comes back. R4 and R5 check that the log
 * itself keeps committed entries across all crashes.
 */
export class AcknowledgedWrites {
  readonly #applied: AppliedKeys
  readonly #judge: Judge<{ D1: 'majority lost' }>
  #acknowledged = 0
  /** Acknowledged values, to report which of them a recovery has lost; undefined: no scenario excuses that. */
  readonly #values: string[] | undefined

  constructor(judge: Judge<{ D1: 'majority lost' }>, applied: AppliedKeys, excusesLostMajority = true) {
    this.#applied = applied
    this.#values = excusesLostMajority ? [] : undefined
    this.#judge = judge
  }

  get count(): number {
    return this.#acknowledged
  }

  /** A client was told that its write succeeded. */
  acknowledged(operation: KeyOperation): void {
    this.#acknowledged++
    if (operation.value === undefined) return
    this.#judge.judged('D1')
    this.#values?.push(operation.value)
    if (this.#applied.indexOf(operation.value) !== undefined) return
    this.#judge.report(
      'D1',
      `key '${operation.key}': acknowledged, but in effect nowhere: ${operationText(operation)}`,
      eventsOf(operation),
    )
  }

  /** The scenario excuses the loss of entries by this recovery. */
  recovered({ isKept }: Recovery): void {
    const values = this.#values?.splice(0) ?? []
    this.#judge.excused('D1', 'majority lost', values.filter((value) => !isKept(value)).length)
  }

  /**
   * All keys and values of a server once the run is at rest, where every server had applied this entry before it was
   * asked. Whatever a key had since then counts, too: what goes on at rest, such as the end of a session, may reach one
   * server while another answers.
   */
  finalState(server: string, held: ReadonlyMap<string, string>, appliedIndex: number): void {
    for (const key of this.#applied.keys()) {
      this.#judge.judged('D1')
      const versions = this.#applied.versions(key)
      const last = versions.at(-1)
      const found = held.get(key)
      const then = versions[placeOf(versions, appliedIndex + 1) - 1]
      if (found === then?.value || versions.some(({ index, value }) => index > appliedIndex && value === found))
        continue
      const shown = (value: string | undefined): string => (value === undefined ? 'nothing' : `'${value}'`)
      const expected = `${shown(last?.value)} was written by entry ${last?.index}`
      this.#judge.report(
        'D1',
        `key '${key}' at ${server} holds ${shown(found)} in the end, but ${expected}`,
        appliedIn(this.#judge, last?.index ?? 0),
      )
    }
  }
}

export const acknowledgedWrites = checker({
  codes: {
    D1: {
      text: 'durability: an acknowledged write survives every crash',
      sources: ['docs/reference/keys.md#key-calls'],
      evidence: ['requests', 'forwards', 'commands', 'elections', 'commits', 'snapshots'],
      judges: ['write or final value', 'writes and final values'],
      excuses: {
        'majority lost': 'Writes acknowledged before a recovery that, by the scenario, may lose them; none after it.',
      },
    },
  },
  make: (run) => new AcknowledgedWrites(run, run.of(appliedKeys), run.excusesLostMajority),
  takes: {
    'write acknowledged': (it, { operation }) => it.acknowledged(operation),
    'entries lost': (it, { recovery }) => it.recovered(recovery),
  },
})
