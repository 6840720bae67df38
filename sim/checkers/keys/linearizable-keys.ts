import { checker, type Judge } from '../checker.ts'
import { eventsOf, type KeyOperation, operationText, valueText } from './key-history.ts'
import { judgeKey, type KeyViolation, searchStepsMax } from './key-verdict.ts'
import { foldFrom, KeyWindow, promisesTheNewest } from './key-window.ts'
import { lostOf, partsOf, type Recovery, registersOf } from './recovered-history.ts'

/** A key whose history the search could not decide within its limit. */
export interface UndecidedKey {
  readonly key: string
  readonly operations: number
  readonly steps: number
}

/**
 * K1 for reads that promise the newest value. Keys are independent, so each is judged by itself (Herlihy & Wing's
 * locality). They are judged when the run ends, because an operation without an answer remains possible until then; but
 * a part that is certain before is judged and forgotten earlier (`KeyWindow`).
 */
export class LinearizableKeys {
  /** By key, in the order of their first use. */
  readonly #windows = new Map<string, KeyWindow>()
  readonly #judge: Judge<{ K1: 'stale default reads' | 'majority lost' }>
  readonly #staleDefaultUs: number
  readonly #stepsMax: number
  readonly #foldFrom: number
  readonly #undecided: UndecidedKey[] = []
  #recovery: Recovery | undefined

  /**
   * `staleDefaultMs`: how stale the scenario lets `default` reads be, because a deposed leader may still answer them; 0
   * if it grants no such excuse. `stepsMax`: limit of the search for one key. `keepsAll`: nothing is forgotten, because
   * the run was asked for its history, or because a recovery may change how answers are judged.
   */
  constructor(
    judge: Judge<{ K1: 'stale default reads' | 'majority lost' }>,
    staleDefaultMs: number,
    stepsMax = searchStepsMax,
    keepsAll = false,
  ) {
    this.#judge = judge
    // A default read that may be stale belongs to the time before its call, which must not be forgotten.
    this.#foldFrom = keepsAll || staleDefaultMs > 0 ? Number.POSITIVE_INFINITY : foldFrom
    this.#stepsMax = stepsMax
    this.#staleDefaultUs = staleDefaultMs * 1000
  }

  /**
   * Every operation that was not forgotten, in the form that K1 judges. If a recovery splits the history, each part of
   * a key is a register of its own, under its own name.
   */
  get judged(): readonly KeyOperation[] {
    const recovery = this.#recovery
    return [...this.#windows].flatMap(([key, { operations }]) =>
      recovery === undefined ? operations : partsOf(key, operations, recovery),
    )
  }

  /** Keys whose search stopped: K1 is neither shown to hold for them nor shown to be violated. */
  get undecided(): readonly UndecidedKey[] {
    return this.#undecided
  }

  get staleDefaultUs(): number {
    return this.#staleDefaultUs
  }

  /** Takes an operation when it begins; its outcome is filled in later. */
  began(operation: KeyOperation): void {
    const { key } = operation
    let window = this.#windows.get(key)
    if (window === undefined) {
      window = new KeyWindow({ staleDefaultUs: this.#staleDefaultUs, stepsMax: this.#stepsMax }, this.#foldFrom)
      this.#windows.set(key, window)
    }
    window.began(operation)
  }

  /** Its outcome is final: its client waits no longer. */
  ended(operation: KeyOperation): void {
    this.#windows.get(operation.key)?.ended(operation)
  }

  /**
   * The scenario excuses the entries that the recovery from the loss of a majority lost. Of several recoveries, the
   * last one splits the history.
   */
  recovered(recovery: Recovery): void {
    this.#recovery = recovery
  }

  /** It certainly did not happen, and its client was told that. */
  withdrawn(operation: KeyOperation): void {
    this.#windows.get(operation.key)?.withdrawn(operation)
  }

  judge(): void {
    const law = { staleDefaultUs: this.#staleDefaultUs, stepsMax: this.#stepsMax }
    const verdicts = [...operationsByKey(this.judged)].map(([key, operations]) => {
      const verdict = judgeKey(operations, law)
      if (verdict.kind === 'undecided') {
        const whole = this.#windows.get(key)?.length ?? operations.length
        this.#undecided.push({ key, operations: whole, steps: verdict.steps })
      }
      return { key, verdict }
    })
    const open = new Set(this.#undecided.map(({ key }) => key))
    for (const [key, window] of this.#windows) {
      if (!registersOf(key).some((register) => open.has(register))) this.#count(window)
    }
    for (const { key, verdict } of verdicts) if (verdict.kind === 'violation') this.#tell(key, verdict)
  }

  /** Counts answered operations that promise the newest value; one without an answer cannot violate anything. */
  #count({ answered, operations }: KeyWindow): void {
    if (answered === 0) return
    this.#judge.judged('K1', answered, 1)
    // Under an excuse, nothing was forgotten.
    const judged = operations.filter(promisesTheNewest)
    const old = judged.filter(({ kind, consistency }) => kind === 'read' && consistency === 'default')
    if (this.#staleDefaultUs > 0) this.#judge.excused('K1', 'stale default reads', old.length)
    if (this.#recovery !== undefined) this.#judge.excused('K1', 'majority lost', lostOf(judged, this.#recovery).length)
  }

  #tell(key: string, verdict: KeyViolation): void {
    const held = `the key held ${valueText(verdict.held)}`
    const blocked = operationText(verdict.blocked)
    this.#judge.report('K1', `key '${key}': no order of the operations explains this answer: ${blocked}; ${held}`, [
      ...eventsOf(verdict.blocked, ...verdict.order.slice(-1)),
    ])
  }
}

/** The operations of each key, in the order of the keys' first use. */
export function operationsByKey(operations: readonly KeyOperation[]): ReadonlyMap<string, readonly KeyOperation[]> {
  const byKey = new Map<string, KeyOperation[]>()
  for (const operation of operations) {
    const known = byKey.get(operation.key)
    if (known === undefined) byKey.set(operation.key, [operation])
    else known.push(operation)
  }
  return byKey
}

export const linearizableKeys = checker({
  codes: {
    K1: {
      text: 'linearizability: each key behaves as if there were one copy of it; a stale read shows an earlier state',
      sources: ['Herlihy and Wing, Linearizability, 1990'],
      evidence: ['requests', 'forwards', 'commands', 'elections', 'commits'],
      judges: ['operation', 'operations'],
      of: ['key', 'keys'],
      excuses: {
        'stale default reads':
          'A read of default consistency may be as old as the scenario says, for a deposed leader may answer it; until its lease ends.',
        'majority lost':
          'A change answered before a recovery that may have lost it; what is answered after it is judged.',
        'restarted meanwhile':
          'A stale read of a server whose process ended meanwhile may go back behind earlier ones; that read alone.',
        'catching up':
          'A stale read of a server that has not caught up since its start and has lost its leader; that read alone.',
      },
    },
  },
  make: (run) =>
    new LinearizableKeys(run, run.staleDefaultMs, run.searchStepsMax, run.keepsHistory || run.excusesLostMajority),
  takes: {
    'operation began': (it, { operation }) => it.began(operation),
    'operation ended': (it, { operation }) => it.ended(operation),
    'operation withdrawn': (it, { operation }) => it.withdrawn(operation),
    'entries lost': (it, { recovery }) => it.recovered(recovery),
  },
  ends: (it) => it.judge(),
})
