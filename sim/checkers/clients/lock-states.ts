import { sessionDestroy } from '../../../src/features/session/commands.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { keyChanges } from '../keys/key-changes.ts'
import { type LockFacts, lockFactsOf } from './lock-facts.ts'
import { lockHolders } from './lock-holders.ts'

/** Reads from the replicated state how commands changed sessions and locks. */
class LockStates {
  readonly #run: CheckedRun

  constructor(run: CheckedRun) {
    this.#run = run
  }

  tookEffect({ command: { kind, identity }, index, tx }: Facts['command took effect']): void {
    // Only the leader ends a session without a write identity.
    const facts = this.#factsOf(index, tx, kind === sessionDestroy.kind && identity === undefined)
    if (facts === undefined) return
    const freed = this.#run.of(lockHolders).freedBy(facts)
    this.#run.tell('locks changed', facts)
    // A session that ended may have deleted its keys.
    for (const key of freed) this.#run.of(keyChanges).changed(key, index, tx)
  }

  /** A client that acquired a lock after that state was saved has lost it. */
  replaced({ index, tx }: Facts['state replaced']): void {
    const facts = this.#factsOf(index, tx, false)
    if (facts !== undefined) this.#run.tell('locks replaced', facts)
  }

  #factsOf(index: number, tx: ReadTransaction, expiry: boolean): LockFacts | undefined {
    return lockFactsOf(tx, { index, atUs: this.#run.nowUs(), expiry })
  }
}

export const lockStates = checker({
  codes: {},
  make: (run) => new LockStates(run),
  takes: {
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it, fact) => it.replaced(fact),
  },
})
