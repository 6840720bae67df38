import { textOf } from '../../../src/base/bytes.ts'
import { kvDeleteCas, kvDeleteTree, kvPutCas } from '../../../src/features/kv/commands.ts'
import { type KvValue, valueBytes } from '../../../src/features/kv/model.ts'
import { kvTable } from '../../../src/features/kv/tables.ts'
import { transactionApply } from '../../../src/features/txn/commands.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type CheckedRun, checker, type Tell } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type AppliedKeys, appliedKeys } from './applied-keys.ts'
import { type WholeChanges, wholeChanges } from './whole-changes.ts'

/** The checked part of a transaction of keys. */
interface TransactionBody {
  readonly operations: readonly { readonly verb: string; readonly key: string }[]
}

const writingVerbs: ReadonlySet<string> = new Set(['set', 'cas', 'lock', 'unlock'])

/** Reads from the replicated state how commands changed keys. */
class KeyChanges {
  readonly #tell: Tell
  readonly #applied: AppliedKeys
  readonly #whole: WholeChanges

  constructor({ tell, of }: CheckedRun) {
    this.#tell = tell
    this.#applied = of(appliedKeys)
    this.#whole = of(wholeChanges)
  }

  tookEffect({ command: { kind, body }, index, outcome, tx }: Facts['command took effect']): void {
    if (kind === transactionApply.kind) this.#transaction(index, body as TransactionBody, outcome, tx)
    if (!kind.startsWith('kv.')) return
    if (kind === kvDeleteTree.kind) return this.#gone((body as { readonly prefix: string }).prefix, index, tx)
    const { key } = body as { readonly key?: unknown }
    if (typeof key !== 'string') return
    if (kind === kvPutCas.kind || kind === kvDeleteCas.kind) {
      const { index: expected } = body as { readonly index: bigint | number }
      const compared = { expected: Number(expected), tookEffect: outcome === true, isDelete: kind === kvDeleteCas.kind }
      this.#whole.compared(key, index, compared)
    }
    this.changed(key, index, tx)
  }

  /** Another state has replaced the previous one, with its keys. */
  replaced({ index, tx }: Facts['state replaced']): void {
    const gone = [...this.#applied.keys()].filter((key) => tx.get(kvTable, key) === undefined)
    for (const key of gone) this.#tell('key changed', { key, index, value: undefined })
    for (const { key, value } of tx.all(kvTable)) this.#tell('key changed', { key, index, value: textOfValue(value) })
  }

  changed(key: string, index: number, tx: ReadTransaction): void {
    const row = tx.get(kvTable, key)
    if (row === undefined) this.#tell('key changed', { key, index, value: undefined })
    else if (row.modifyIndex === index) this.#tell('key changed', { key, index, value: textOfValue(row.value) })
  }

  #transaction(index: number, { operations }: TransactionBody, outcome: unknown, tx: ReadTransaction): void {
    const { kind } = outcome as { readonly kind: string }
    const isDone = kind === 'done'
    const changed = new Map<string, boolean>()
    for (const [key, what] of this.#leaves(operations)) {
      const row = tx.get(kvTable, key)
      if (what === 'written') changed.set(key, row?.modifyIndex === index)
      // A key that did not exist still does not exist, whatever the outcome.
      else if (isDone || this.#applied.isThere(key)) changed.set(key, row === undefined)
    }
    this.#whole.transaction(index, isDone, changed)
    if (isDone) for (const key of changed.keys()) this.changed(key, index, tx)
  }

  /**
   * What a transaction does to each key in the end, if it succeeds: each operation sees the effects of those before it.
   */
  #leaves(operations: TransactionBody['operations']): ReadonlyMap<string, 'written' | 'gone'> {
    const leaves = new Map<string, 'written' | 'gone'>()
    for (const { verb, key } of operations) {
      if (writingVerbs.has(verb)) leaves.set(key, 'written')
      else if (verb === 'delete' || verb === 'delete-cas') leaves.set(key, 'gone')
      else if (verb === 'delete-tree') {
        for (const name of [...leaves.keys(), ...this.#applied.thereUnder(key)]) {
          if (name.startsWith(key)) leaves.set(name, 'gone')
        }
      }
    }
    return leaves
  }

  /** Every key under a prefix was deleted. */
  #gone(prefix: string, index: number, tx: ReadTransaction): void {
    const keys = this.#applied.thereUnder(prefix)
    this.#whole.treeDeleted(
      index,
      prefix,
      keys.filter((key) => tx.get(kvTable, key) !== undefined),
    )
    for (const key of keys) this.changed(key, index, tx)
  }
}

function textOfValue(value: KvValue): string {
  return textOf(valueBytes(value))
}

export const keyChanges = checker({
  codes: {},
  make: (run) => new KeyChanges(run),
  takes: {
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it, fact) => it.replaced(fact),
  },
})
