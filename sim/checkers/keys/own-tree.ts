/** One key in the model of its only writer. Immutable: a write replaces the row. */
export interface OwnRow {
  readonly value: string
  /** As decimal digits. */
  readonly flags: string
  /** Empty: no session holds it. */
  readonly session: string
  readonly lockIndex: number
  /** Undefined: no answer has told it yet. */
  readonly createIndex: number | undefined
  /** Undefined: no answer has told it yet; it is greater than `after`. */
  readonly modifyIndex: number | undefined
  /** The greatest index that the client knew when it requested the change. */
  readonly after: number
  /** Rows written by one request have the same index. */
  readonly request: number
  /** The request that wrote the row also created it, so that both indexes are equal. */
  readonly isNew: boolean
}

export interface OwnSession {
  readonly id: string
  readonly behaviour: 'release' | 'delete'
  readonly hasDelay: boolean
  /** As requested. */
  readonly ttl: string
  readonly node: string
}

interface Written {
  readonly value: string
  readonly flags: string
}

export type LockOutcome = 'held' | 'no session' | 'held by another'

/**
 * The correct state of keys that only one client writes, and of its sessions: the product's key store without
 * concurrency. Written from the documentation, independently of the program.
 */
export class OwnTree {
  readonly #rows: Map<string, OwnRow>
  readonly #sessions: Map<string, OwnSession>
  /** Keys whose holder's session ended with a lock delay that may not have passed. */
  readonly #delayed: Set<string>
  /** The session that ended last. */
  #ended: string | undefined
  #seen: number
  #request: number

  constructor(from?: OwnTree) {
    this.#rows = new Map(from === undefined ? [] : from.#rows)
    this.#sessions = new Map(from === undefined ? [] : from.#sessions)
    this.#delayed = new Set(from === undefined ? [] : from.#delayed)
    this.#ended = from === undefined ? undefined : from.#ended
    this.#seen = from === undefined ? 0 : from.#seen
    this.#request = from === undefined ? 0 : from.#request
  }

  copy(): OwnTree {
    return new OwnTree(this)
  }

  /** The greatest index that an answer has told. */
  get seen(): number {
    return this.#seen
  }

  get ended(): string | undefined {
    return this.#ended
  }

  get sessions(): readonly OwnSession[] {
    return [...this.#sessions.values()]
  }

  row(key: string): OwnRow | undefined {
    return this.#rows.get(key)
  }

  /** The rows under a prefix, in order of keys. */
  under(prefix: string): readonly (readonly [key: string, row: OwnRow])[] {
    return [...this.#rows].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1))
  }

  isDelayed(key: string): boolean {
    return this.#delayed.has(key)
  }

  /**
   * Whether the row has this ModifyIndex; 0 means that the key does not exist. If the row's index is not known yet, the
   * client can name none.
   */
  isAt(key: string, index: number): boolean {
    const row = this.#rows.get(key)
    return row === undefined ? index === 0 : row.modifyIndex === index
  }

  /** Rows written from now on belong to another request. */
  begin(): void {
    this.#request++
  }

  put(key: string, written: Written, lock?: Pick<OwnRow, 'session' | 'lockIndex'>): OwnRow {
    const before = this.#rows.get(key)
    const isOfThis = before?.request === this.#request
    const row: OwnRow = {
      value: written.value,
      flags: written.flags,
      session: lock?.session ?? before?.session ?? '',
      lockIndex: lock?.lockIndex ?? before?.lockIndex ?? 0,
      createIndex: before?.createIndex,
      modifyIndex: undefined,
      after: this.#seen,
      request: this.#request,
      isNew: before === undefined || (isOfThis && before.isNew),
    }
    this.#rows.set(key, row)
    return row
  }

  remove(key: string): void {
    this.#rows.delete(key)
  }

  removeAt(key: string, index: number): boolean {
    if (this.#rows.has(key) && !this.isAt(key, index)) return false
    this.#rows.delete(key)
    return true
  }

  removeTree(prefix: string): void {
    for (const [key] of this.under(prefix)) this.#rows.delete(key)
  }

  /** If the lock delay of the last holder may not have passed, the answer tells whether it has. */
  lock(key: string, written: Written, session: string): LockOutcome {
    if (!this.#sessions.has(session)) return 'no session'
    const before = this.#rows.get(key)
    const holder = before?.session ?? ''
    if (holder !== '' && holder !== session) return 'held by another'
    const lockIndex = (before?.lockIndex ?? 0) + (holder === '' ? 1 : 0)
    this.#delayed.delete(key)
    this.put(key, written, { session, lockIndex })
    return 'held'
  }

  unlock(key: string, written: Written, session: string): boolean {
    const before = this.#rows.get(key)
    if (before === undefined || before.session === '' || before.session !== session) return false
    this.put(key, written, { session: '', lockIndex: before.lockIndex })
    return true
  }

  sessionBegan(session: OwnSession): void {
    this.#sessions.set(session.id, session)
  }

  sessionEnded(id: string): void {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    this.#sessions.delete(id)
    this.#ended = id
    for (const [key, row] of [...this.#rows]) {
      if (row.session !== id) continue
      if (session.hasDelay) this.#delayed.add(key)
      if (session.behaviour === 'delete') this.#rows.delete(key)
      else this.put(key, row, { session: '', lockIndex: row.lockIndex })
    }
  }

  /** An answer has told the indexes of a row. A row written since has others. */
  learn(key: string, row: OwnRow, told: { readonly createIndex: number; readonly modifyIndex: number }): void {
    this.#seen = Math.max(this.#seen, told.modifyIndex)
    if (this.#rows.get(key) !== row) return
    this.#rows.set(key, { ...row, createIndex: told.createIndex, modifyIndex: told.modifyIndex })
  }
}
