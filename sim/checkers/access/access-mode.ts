import type { Report } from '../violation.ts'

/** A server as the leader's gossip pools see it. */
export interface ServerSeen {
  /** Its node ID. */
  readonly id: string | undefined
  readonly name: string
  readonly datacenter: string
  readonly status: 'alive' | 'failed' | 'leaving' | 'left'
  /** Its tag: 0 off, 1 the new system, 2 ready for it; undefined: a release that knows nothing of it. */
  readonly acls: string | undefined
}

/**
 * A2: access control leaves the old mode only when every server of the datacenter, and of the primary one, says that it can
 * work in the new, by the member list of the leader that decides: alive or failed, but not left. A3: once it is recorded
 * that it has, nothing takes it back.
 */
export class AccessMode {
  readonly #report: Report
  #isNew = false

  constructor(report: Report) {
    this.#report = report
  }

  /** A leader has written into its log that the new mode begins. */
  proposed(leader: string, servers: readonly ServerSeen[], places: readonly string[]): void {
    const missing = servers.filter(
      ({ datacenter, status, acls }) =>
        places.includes(datacenter) && (status === 'alive' || status === 'failed') && acls !== '1' && acls !== '2',
    )
    if (missing.length === 0) return
    const names = missing.map(({ name, status, acls }) => `${name} (${status}, acls ${acls ?? 'absent'})`).join(', ')
    this.#report('A2', `${leader} ends the old mode of access control, and ${names} cannot follow`)
  }

  /** What the state says after a command. */
  recorded(server: string, isNew: boolean): void {
    if (this.#isNew && !isNew) this.#report('A3', `the state of ${server} is back in the old mode of access control`)
    this.#isNew ||= isNew
  }
}
