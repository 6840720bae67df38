import { kvForgetLockDelays, kvReapTombstones } from '../../../src/features/kv/commands.ts'
import { lockDelaysTable, tombstoneTable } from '../../../src/features/kv/tables.ts'
import { type KeyCare, keyCare } from '../../../src/model/limits.ts'
import { hasBehaviour, type Release } from '../../../src/model/release.ts'
import type { ReadTransaction, TableDefinition } from '../../../src/store/types.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'

type Excuse = 'restored' | 'older releases'

/** Clocks of leaders differ from true time by at most this share. */
const clockAllowance = 0.06
/** Time in which a command of the leader is replicated, and retried after a refusal. */
const slackMs = 5_000

/** Limits on the age of one table's rows. */
interface Bounds {
  readonly leastMs: number
  /** Counted from the row's creation or from its leader's election, whichever is later. */
  readonly mostMs: number
}

function tombstoneBounds({ tombstoneTtlMs, tombstoneGranularityMs }: KeyCare): Bounds {
  return { leastMs: tombstoneTtlMs, mostMs: tombstoneTtlMs + 3 * tombstoneGranularityMs }
}

/** A lock delay may be short; S1 checks that none is forgotten before its time. */
function delayBounds({ lockDelayMaxMs, forgetEveryMs }: KeyCare): Bounds {
  return { leastMs: 0, mostMs: lockDelayMaxMs + 3 * forgetEveryMs }
}

/** The rows of one table, and what is known about the times of their creation. */
class AgedRows {
  /** When each command that wrote rows was applied, by index, in order of index. */
  readonly #cameUs = new Map<number, number>()
  /** Rows older than this come from a restored state: their age counts from this time. */
  #restoredUs = 0
  /** The table's last change when its oldest row was looked up, and that row's index; undefined: it had no row. */
  #lookedUpAt = -1
  #oldest: number | undefined

  /** Index of the table's oldest row, which is looked up anew only after the table has changed. */
  oldest<Row extends { readonly index: number }>(tx: ReadTransaction, table: TableDefinition<Row>): number | undefined {
    const changedAt = tx.lastChange(table)
    if (changedAt === this.#lookedUpAt) return this.#oldest
    this.#lookedUpAt = changedAt
    const [row] = tx.count(table) === 0 ? [] : tx.inIndexOrder(table, 'age')
    this.#oldest = row?.index
    if (this.#oldest !== undefined) this.#forget(this.#oldest)
    return this.#oldest
  }

  /** Another state or another log has replaced the previous one. */
  changed(): void {
    this.#lookedUpAt = -1
  }

  came(index: number, nowUs: number): void {
    this.#cameUs.set(index, nowUs)
  }

  restored(nowUs: number): void {
    this.changed()
    this.#cameUs.clear()
    this.#restoredUs = nowUs
  }

  /** When the row of this index was created, at the earliest; undefined: it comes from a restored state. */
  cameUs(index: number): number | undefined {
    return this.#cameUs.get(index)
  }

  countedUs(index: number): number {
    return this.#cameUs.get(index) ?? this.#restoredUs
  }

  /** No row up to this index exists any more. */
  #forget(index: number): void {
    for (const each of this.#cameUs.keys()) {
      if (each >= index) return
      this.#cameUs.delete(each)
    }
  }
}

/**
 * K5. Tombstones of deleted keys, and lock delays of ended sessions, stay for as long as clients need them, and are
 * removed soon after their time, however many there are. That holds while one server leads, because a new leader counts
 * anew.
 */
export class KeysCaredFor {
  readonly #run: Pick<CheckedRun, 'nowUs'> & Judge<{ K5: Excuse }>
  readonly #tombstones = new AgedRows()
  readonly #delays = new AgedRows()
  #care: KeyCare = keyCare
  #isOld = false
  #leaderSinceUs = 0
  #told = false

  constructor(run: Pick<CheckedRun, 'nowUs'> & Judge<{ K5: Excuse }>) {
    this.#run = run
  }

  configured(release: Release, care: KeyCare = keyCare): void {
    this.#care = care
    if (!hasBehaviour(release, 'kv-tombstones')) this.#isOld = true
  }

  leaderBegan(atUs: number): void {
    this.#leaderSinceUs = atUs
  }

  /** The log's entries from some index on were lost. */
  lost(): void {
    for (const rows of [this.#tombstones, this.#delays]) rows.changed()
  }

  restored(): void {
    this.#run.excused('K5', 'restored')
    for (const rows of [this.#tombstones, this.#delays]) rows.restored(this.#run.nowUs())
  }

  tookEffect({ command: { kind, body }, index, outcome, tx }: Facts['command took effect']): void {
    const through = (body as { readonly through?: number }).through ?? 0
    if (kind === kvReapTombstones.kind) this.#reaped(through, Number(outcome))
    if (tx.lastChange(tombstoneTable) === index && kind !== kvReapTombstones.kind) {
      this.#tombstones.came(index, this.#run.nowUs())
    }
    if (tx.lastChange(lockDelaysTable) === index && kind !== kvForgetLockDelays.kind) {
      this.#delays.came(index, this.#run.nowUs())
    }
    this.#look(tx, tombstoneTable, this.#tombstones, tombstoneBounds(this.#care))
    this.#look(tx, lockDelaysTable, this.#delays, delayBounds(this.#care))
  }

  /** Checks that the newest removable row has existed for its time. */
  #reaped(through: number, count: number): void {
    const cameUs = this.#tombstones.cameUs(through)
    if (cameUs === undefined || count === 0) return
    this.#run.judged('K5')
    const livedMs = (this.#run.nowUs() - cameUs) / 1000
    const { leastMs } = tombstoneBounds(this.#care)
    if (livedMs >= leastMs * (1 - clockAllowance)) return
    this.#run.report(
      'K5',
      `tombstones of index ${through} were reaped after ${seconds(livedMs)}, before the minimum of ${seconds(leastMs)}`,
    )
  }

  /** Checks that the oldest row is not overdue. */
  #look<Row extends { readonly index: number }>(
    tx: ReadTransaction,
    table: TableDefinition<Row>,
    rows: AgedRows,
    { mostMs }: Bounds,
  ): void {
    const oldest = rows.oldest(tx, table)
    if (oldest === undefined) return
    if (this.#isOld) return this.#run.excused('K5', 'older releases')
    this.#run.judged('K5')
    const sinceUs = Math.max(rows.countedUs(oldest), this.#leaderSinceUs)
    const lateMs = (this.#run.nowUs() - sinceUs) / 1000 - mostMs * (1 + clockAllowance) - slackMs
    if (lateMs <= 0 || this.#told) return
    this.#told = true
    const what = `${tx.count(table)} rows of ${table.name}, the oldest of index ${oldest}`
    this.#run.report('K5', `${what}, should have been removed ${seconds(lateMs)} ago, time for a new leader included`)
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`
}

export const keysCaredFor = checker({
  codes: {
    K5: {
      text: 'reaping: tombstones and lock delays are removed soon after their time, and no tombstone before it',
      sources: ['docs/reference/configuration.md#tombstone-ttl', 'docs/reference/keys.md#lock-delay'],
      evidence: ['commands', 'elections'],
      judges: ['look at the oldest', 'looks at the oldest'],
      excuses: {
        restored: 'Rows that a restored snapshot has count from the restore; those of later commands from these.',
        'older releases':
          'Leaders of a release without the care of tombstones keep them; until all servers are newer, in another run.',
      },
    },
  },
  make: (run) => new KeysCaredFor(run),
  takes: {
    'settings read': (it, { config }) => it.configured(config.release, config.keyCare),
    'leader began': (it, { atUs }) => it.leaderBegan(atUs),
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it) => it.restored(),
    'entries lost': (it) => it.lost(),
  },
})
