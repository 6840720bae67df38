import { textOf } from '../../../src/base/bytes.ts'
import { kvPutCas } from '../../../src/features/kv/commands.ts'
import { type KvValue, valueBytes } from '../../../src/features/kv/model.ts'
import { kvTable } from '../../../src/features/kv/tables.ts'
import { transactionApply } from '../../../src/features/txn/commands.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type CheckedRun, checker, type Tell } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type AppliedKeys, appliedKeys } from './applied-keys.ts'
import { type WholeChanges, wholeChanges } from './whole-changes.ts'

/** What a transaction of keys says, as far as it is looked at. */
interface TransactionBody {
  readonly operations: readonly { readonly verb: string; readonly key: string }[]
}

/** Reads from the replicated state what commands did to keys. */
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
    const { key } = body as { readonly key?: unknown }
    if (typeof key !== 'string') return
    if (kind === kvPutCas.kind) {
      const { index: expected } = body as { readonly index: bigint | number }
      this.#whole.compared(key, index, Number(expected), outcome === true)
    }
    this.changed(key, index, tx)
  }

  /** Keys are as another state has them. */
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
    const written = operations.filter(({ verb }) => verb === 'set' || verb === 'cas')
    const changed = new Map(written.map(({ key }) => [key, tx.get(kvTable, key)?.modifyIndex === index]))
    const { kind } = outcome as { readonly kind: string }
    this.#whole.transaction(index, kind === 'done', changed)
    if (kind === 'done') for (const { key } of operations) this.changed(key, index, tx)
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
