import type { LockDelayRow } from '../../../src/features/kv/tables.ts'

/** A command by which the leader removes rows that have had their time. */
export interface Removal {
  /** The greatest index of a row that may go. */
  readonly through: number
  /** Maximum number of rows that go. */
  readonly limit: number
  /** How many have gone, as the command says. */
  readonly told: number
}

/** A table after a command. */
interface Left {
  readonly count: number
  /** Index of the oldest row; undefined: the table is empty. */
  readonly oldest: number | undefined
}

/**
 * Counts the rows of one table around each removal. A removal takes the oldest rows first, none beyond its limit, all
 * that may go below the limit, and says how many it took.
 */
export class RemovedRows {
  /** Undefined: no command has been seen since the state or the log was replaced. */
  #before: number | undefined

  replaced(): void {
    this.#before = undefined
  }

  /** What is wrong with this removal; undefined: nothing, or the command was another one. */
  after({ count, oldest }: Left, removal: Removal | undefined): string | undefined {
    const before = this.#before
    this.#before = count
    if (before === undefined || removal === undefined) return undefined
    const { through, limit, told } = removal
    const gone = before - count
    if (gone !== told) return `says that it has removed ${told} rows, and ${gone} have gone`
    if (gone > limit) return `has removed ${gone} rows, and its limit is ${limit}`
    if (gone < limit && oldest !== undefined && oldest <= through)
      return `has removed ${gone} of ${limit} rows up to ${through}, and left the row of index ${oldest}`
    return undefined
  }
}

/** How long each row has existed, in milliseconds of true time; undefined: it comes from a restored state. */
type AgeOf = (index: number) => number | undefined

/** The lock delays before each command that forgets some: none may go that is not over. */
export class ForgottenDelays {
  #rows: ReadonlyMap<string, LockDelayRow> | undefined
  readonly #clockAllowance: number

  constructor(clockAllowance: number) {
    this.#clockAllowance = clockAllowance
  }

  replaced(): void {
    this.#rows = undefined
  }

  /** Called after each command that has changed the table. */
  after(now: Iterable<LockDelayRow>, removal: Removal | undefined, ageMs: AgeOf): string | undefined {
    const before = this.#rows ?? new Map<string, LockDelayRow>()
    const left = new Map([...now].map((row) => [row.key, row]))
    this.#rows = left
    if (removal === undefined) return undefined
    const gone = [...before.values()].filter(({ key }) => !left.has(key))
    for (const { key, index, delayMs } of gone) {
      const what = `has forgotten the lock delay of '${key}' of index ${index}`
      if (index > removal.through) return `${what}, and may forget those up to ${removal.through}`
      const livedMs = ageMs(index) ?? Number.POSITIVE_INFINITY
      if (livedMs < delayMs * (1 - this.#clockAllowance)) return `${what} after ${livedMs} ms of ${delayMs} ms`
    }
    return undefined
  }
}
