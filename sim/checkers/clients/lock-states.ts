import { sessionDestroy } from '../../../src/features/session/commands.ts'
import { transactionApply } from '../../../src/features/txn/commands.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { keyChanges } from '../keys/key-changes.ts'
import { type LockFacts, lockFactsOf } from './lock-facts.ts'
import { lockHolders } from './lock-holders.ts'
import type { LockOperation } from './lock-steps.ts'

/** Reads from the replicated state how commands changed sessions and locks. */
class LockStates {
  readonly #run: CheckedRun

  constructor(run: CheckedRun) {
    this.#run = run
  }

  tookEffect(fact: Facts['command took effect']): void {
    const { command, index, tx } = fact
    // Only the leader ends a session without a write identity.
    const expiry = command.kind === sessionDestroy.kind && command.identity === undefined
    const facts = this.#factsOf(index, tx, { expiry, operations: operationsOf(fact) })
    if (facts === undefined) return
    const freed = this.#run.of(lockHolders).freedBy(facts)
    this.#run.tell('locks changed', facts)
    // A session that ended may have deleted its keys.
    for (const key of freed) this.#run.of(keyChanges).changed(key, index, tx)
  }

  /** A client that acquired a lock after that state was saved has lost it. */
  replaced({ index, tx }: Facts['state replaced']): void {
    const facts = this.#factsOf(index, tx, { expiry: false, operations: [] })
    if (facts !== undefined) this.#run.tell('locks replaced', facts)
  }

  #factsOf(index: number, tx: ReadTransaction, of: Pick<LockFacts, 'expiry' | 'operations'>): LockFacts | undefined {
    return lockFactsOf(tx, { ...of, index, atUs: this.#run.nowUs() })
  }
}

function operationsOf({ command: { kind, body }, outcome }: Facts['command took effect']): readonly LockOperation[] {
  if (kind !== transactionApply.kind || (outcome as { readonly kind: string }).kind !== 'done') return []
  return (body as { readonly operations: readonly LockOperation[] }).operations
}

export const lockStates = checker({
  codes: {},
  make: (run) => new LockStates(run),
  takes: {
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it, fact) => it.replaced(fact),
  },
})
