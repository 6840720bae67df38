import { checker, eventIn, type Judge } from '../checker.ts'
import type { ServerSeen } from './access-facts.ts'

/**
 * Judges the change from the old mode of access control to the new one.
 * 1. A2: access control leaves the old mode only when every server of the datacenter, and of the primary one, reports
 *    that it supports the new mode. The servers are those that the deciding leader's member list shows as alive or
 *    failed, but not as left.
 * 2. A3: once the change is recorded, it is never undone.
 */
export class AccessMode {
  readonly #judge: Judge<{ A2: never; A3: never }>
  #isNew = false
  #recordedIn = 0

  constructor(judge: Judge<{ A2: never; A3: never }>) {
    this.#judge = judge
  }

  /** A leader has written to its log that the new mode begins. */
  proposed(leader: string, servers: readonly ServerSeen[], places: readonly string[]): void {
    this.#judge.judged('A2')
    const missing = servers.filter(
      ({ datacenter, status, acls }) =>
        places.includes(datacenter) && (status === 'alive' || status === 'failed') && acls !== '1' && acls !== '2',
    )
    if (missing.length === 0) return
    const names = missing.map(({ name, status, acls }) => `${name} (${status}, acls ${acls ?? 'absent'})`).join(', ')
    this.#judge.report('A2', `${leader} leaves the old mode of access control, although ${names} cannot follow`)
  }

  /** The mode in the state after a command. */
  recorded(server: string, isNew: boolean): void {
    if (this.#isNew) this.#judge.judged('A3')
    if (this.#isNew && !isNew)
      this.#judge.report('A3', `the state of ${server} is back in the old mode of access control`, [this.#recordedIn])
    if (isNew && !this.#isNew) this.#recordedIn = eventIn(this.#judge)
    this.#isNew ||= isNew
  }
}

export const accessMode = checker({
  codes: {
    A2: {
      text: 'the mode of access control changes only when every server can follow',
      sources: ['docs/reference/access-control.md#legacy-mode-and-migration'],
      evidence: ['rights', 'members', 'elections'],
      judges: ['change of mode', 'changes of mode'],
    },
    A3: {
      text: 'the mode of access control never goes back',
      sources: ['docs/reference/access-control.md#legacy-mode-and-migration'],
      evidence: ['rights', 'restores', 'elections'],
      judges: ['state in the new mode', 'states in the new mode'],
    },
  },
  make: (judge) => new AccessMode(judge),
  takes: {
    'mode proposed': (it, { node, servers, places }) => it.proposed(node, servers, places),
    'mode recorded': (it, { node, isNew }) => it.recorded(node, isNew),
  },
})
