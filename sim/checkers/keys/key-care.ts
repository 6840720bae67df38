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
/** Time for a command of the leader to be replicated, and tried again after a refusal. */
const slackMs = 5_000

/** What one table of rows of a certain age is bound to. */
interface Bounds {
  readonly leastMs: number
  /** Counted from the row, or from when its leader began, whichever is later. */
  readonly mostMs: number
}

function tombstoneBounds({ tombstoneTtlMs, tombstoneGranularityMs }: KeyCare): Bounds {
  return { leastMs: tombstoneTtlMs, mostMs: tombstoneTtlMs + 3 * tombstoneGranularityMs }
}

/** A delay may be short: that none is forgotten before its time is S1. */
function delayBounds({ lockDelayMaxMs, forgetEveryMs }: KeyCare): Bounds {
  return { leastMs: 0, mostMs: lockDelayMaxMs + 3 * forgetEveryMs }
}

/** The rows of one table, by what is known of when they came. */
class AgedRows {
  /** By index of each command that wrote rows, when it was carried out, in order of index. */
  readonly #cameUs = new Map<number, number>()
  /** Rows of before this time are as a restored state has them: they count from it. */
  #restoredUs = 0
  /** The table's last change when its oldest row was looked up, and that row's index; undefined: there was no row. */
  #lookedUpAt = -1
  #oldest: number | undefined

  /** Index of the oldest row of the table, which is looked up anew only when the table has changed. */
  oldest<Row extends { readonly index: number }>(tx: ReadTransaction, table: TableDefinition<Row>): number | undefined {
    const changedAt = tx.lastChange(table)
    if (changedAt === this.#lookedUpAt) return this.#oldest
    this.#lookedUpAt = changedAt
    const [row] = tx.count(table) === 0 ? [] : tx.inIndexOrder(table, 'age')
    this.#oldest = row?.index
    if (this.#oldest !== undefined) this.#forget(this.#oldest)
    return this.#oldest
  }

  /** Another state, or another log, has taken the place of the one that was looked at. */
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

  /** When the row of this index came, at the earliest; undefined: a restored state had it. */
  cameUs(index: number): number | undefined {
    return this.#cameUs.get(index)
  }

  countedUs(index: number): number {
    return this.#cameUs.get(index) ?? this.#restoredUs
  }

  /** Nothing of up to this index is there any more. */
  #forget(index: number): void {
    for (const each of this.#cameUs.keys()) {
      if (each >= index) return
      this.#cameUs.delete(each)
    }
  }
}

/**
 * K5. Of what deleted keys and the locks of ended sessions leave behind, tombstones stay for as long as readers need
 * them, and everything goes soon after its time, however much of it there is: while one server leads, for a change of
 * leader counts anew.
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

  /** What the log did from some index on was lost. */
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

  /** The newest of what may go now has been there for its time. */
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

  /** The oldest row is not overdue. */
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
