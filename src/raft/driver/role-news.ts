import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { indexBefore } from '../../model/log-position.ts'
import type { RaftEffect } from '../core/effects.ts'
import type { RaftCore } from '../core/state.ts'
import type { RoleName } from '../core/types.ts'
import type { RaftObserver, RaftStatus } from '../raft.ts'
import type { Meters } from './meters.ts'

type RoleChanged = Extract<RaftEffect, { kind: 'role-changed' }>

/** Notifies listeners of changes of role, term and leader. */
export class RoleNews {
  readonly #env: Pick<Env, 'log'>
  readonly #meters: Meters
  readonly #observer: RaftObserver | undefined
  #told: RoleName = 'follower'
  #isNew = false
  #listeners: readonly ((status: RaftStatus) => void)[] = []

  constructor(env: Pick<Env, 'log'>, meters: Meters, observer: RaftObserver | undefined) {
    this.#env = env
    this.#meters = meters
    this.#observer = observer
  }

  subscribe(use: (status: RaftStatus) => void): Closable {
    // A new wrapper, because the same function may subscribe twice.
    const listener = (status: RaftStatus): void => use(status)
    this.#listeners = [...this.#listeners, listener]
    return {
      close: () => {
        this.#listeners = this.#listeners.filter((other) => other !== listener)
      },
    }
  }

  /** Returns whether leadership was lost by this. */
  take({ role, term, leader }: RoleChanged, core: RaftCore): boolean {
    const before = this.#told
    this.#told = role
    this.#isNew = true
    const lost = before === 'leader' && role !== 'leader'
    if (lost) this.#observer?.steppedDown(term)
    if (core.role.kind === 'leader' && role === 'leader') {
      this.#observer?.becameLeader(term, indexBefore(core.role.ownFirstIndex))
    }
    if (role !== before) this.#meters.enteredRole(role)
    const news = leader === undefined ? 'no leader is known' : 'leader changed'
    this.#env.log.write('info', 'raft', role === before ? news : `entering ${role} state`, { term, leader })
    return lost
  }

  /** Calls the listeners once for all changes since the last call. */
  tell(status: () => RaftStatus): void {
    if (!this.#isNew) return
    this.#isNew = false
    for (const listener of this.#listeners) listener(status())
  }
}
