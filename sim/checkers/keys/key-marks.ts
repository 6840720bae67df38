import { kvForgetLockDelays, kvPutCas, kvReapTombstones } from '../../../src/features/kv/commands.ts'
import { transactionApply } from '../../../src/features/txn/commands.ts'
import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type Reach, rareStates } from '../rare-states.ts'
import { appliedKeys } from './applied-keys.ts'
import type { KeyOperation } from './key-history.ts'

export const keyMarks = rareStates({
  'unsure write took effect': 'a write whose client never learned its outcome took effect',
  'unsure write was lost': 'a write whose client never learned its outcome did not take effect',
  'compare-and-set lost': 'a compare-and-set found that another client had changed the key',
  'transaction refused': 'a transaction changed nothing, because one of its operations could not be done',
  'tombstones reaped': 'tombstones of deleted keys were removed',
  'many tombstones reaped':
    'several commands in a row removed tombstones of deleted keys, because one command does not remove all',
  'lock delays forgotten': 'delays of locks whose time was over were forgotten',
  'compaction under load': 'a server took a snapshot of its state while clients wrote',
})

/** If a client wrote less than this ago, the cluster is under load. */
const loadUs = 1_000_000
/** Maximum number of writes of unknown outcome that are remembered: the latest ones. */
const writesMax = 4096
/** Answered writes are removed once there are twice as many writes as were kept last time, and at least this many. */
const lookedAtMin = 256

/** Observes rare states of clients' writes and of their effects. */
class KeyMarks {
  readonly #reach: Reach<keyof typeof keyMarks.marks>
  readonly #of: CheckedRun['of']
  readonly #nowUs: () => number
  #writes: KeyOperation[] = []
  #lookAtCount = lookedAtMin
  #wroteUs = Number.NEGATIVE_INFINITY
  /** The kind of the previous command. */
  #lastKind = ''

  constructor({ of, nowUs }: Pick<CheckedRun, 'of' | 'nowUs'>) {
    this.#of = of
    this.#nowUs = nowUs
    this.#reach = of(keyMarks)
  }

  began(operation: KeyOperation): void {
    if (operation.value === undefined) return
    this.#wroteUs = this.#nowUs()
    this.#writes.push(operation)
    // A write that is under way counts as unknown.
    if (this.#writes.length < this.#lookAtCount) return
    this.#writes = this.#writes.filter(({ outcome }) => outcome === 'unknown').slice(-writesMax)
    this.#lookAtCount = Math.max(lookedAtMin, 2 * this.#writes.length)
  }

  tookEffect({ command: { kind }, outcome }: Facts['command took effect']): void {
    if (kind === kvPutCas.kind && outcome === false) this.#reach('compare-and-set lost')
    if (kind === kvReapTombstones.kind)
      this.#reach(this.#lastKind === kind ? 'many tombstones reaped' : 'tombstones reaped')
    if (kind === kvForgetLockDelays.kind && Number(outcome) > 0) this.#reach('lock delays forgotten')
    this.#lastKind = kind
    if (kind !== transactionApply.kind) return
    if ((outcome as { readonly kind: string }).kind === 'failed') this.#reach('transaction refused')
  }

  told(what: string): void {
    if (what === 'raft: snapshot taken' && this.#nowUs() - this.#wroteUs < loadUs) this.#reach('compaction under load')
  }

  ends(): void {
    const applied = this.#of(appliedKeys)
    for (const { outcome, value } of this.#writes) {
      if (outcome !== 'unknown' || value === undefined) continue
      this.#reach(applied.indexOf(value) === undefined ? 'unsure write was lost' : 'unsure write took effect')
    }
  }
}

export const markedKeys = checker({
  codes: {},
  make: (run) => new KeyMarks(run),
  takes: {
    'operation began': (it, { operation }) => it.began(operation),
    'command took effect': (it, fact) => it.tookEffect(fact),
    'process told': (it, { what }) => it.told(what),
  },
  ends: (it) => it.ends(),
})
