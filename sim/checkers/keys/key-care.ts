import { kvForgetLockDelays, kvReapTombstones } from '../../../src/features/kv/commands.ts'
import { lockDelaysTable, reapedFloor, tombstoneTable } from '../../../src/features/kv/tables.ts'
import { type KeyCare, keyCare } from '../../../src/model/limits.ts'
import { hasBehaviour, type Release } from '../../../src/model/release.ts'
import type { ReadTransaction, TableDefinition } from '../../../src/store/types.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type AgedRow, AgedRows } from './aged-rows.ts'
import { ForgottenDelays, type Removal } from './removed-rows.ts'

type Excuse = 'restored' | 'older releases'

/** Clocks of leaders differ from true time by at most this share. */
const clockAllowance = 0.06
/** Time in which a command of the leader is replicated, and retried after a refusal. */
const slackMs = 5_000
/** The same for a leader that nothing has disturbed: it may have to send several commands, one after the other. */
const calmSlackMs = 800
const calmExchanges = 20

/** Limits on the age of one table's rows. */
interface Bounds {
  readonly leastMs: number
  /** Counted from the row's creation or from its leader's election, whichever is later. */
  readonly mostMs: number
}

function tombstoneBounds({ tombstoneTtlMs, tombstoneGranularityMs }: KeyCare): Bounds {
  return { leastMs: tombstoneTtlMs, mostMs: tombstoneTtlMs + 2 * tombstoneGranularityMs }
}

/** A lock delay may be short; S1 checks that none is forgotten before its time. */
function delayBounds({ lockDelayMaxMs, forgetEveryMs }: KeyCare): Bounds {
  return { leastMs: 0, mostMs: lockDelayMaxMs + 3 * forgetEveryMs }
}

/**
 * K5. Tombstones of deleted keys, and lock delays of ended sessions, stay for as long as clients need them, and are
 * removed soon after their time, however many there are. That holds while one server leads, because a new leader counts
 * anew. A command that removes some removes what it says: the oldest, up to its index and its limit.
 */
export class KeysCaredFor {
  readonly #run: Run
  readonly #tombstones = new AgedRows()
  readonly #delays = new AgedRows()
  readonly #forgotten = new ForgottenDelays(clockAllowance)
  #care: KeyCare = keyCare
  #isOld = false
  #leader = ''
  #leaderSinceUs = 0
  #floor = 0
  #told = false

  constructor(run: Run) {
    this.#run = run
  }

  configured(release: Release, care: KeyCare = keyCare): void {
    this.#care = care
    if (!hasBehaviour(release, 'kv-tombstones')) this.#isOld = true
  }

  leaderBegan(leader: string, atUs: number): void {
    this.#leader = leader
    this.#leaderSinceUs = atUs
  }

  /** The log's entries from some index on were lost. */
  lost(): void {
    for (const rows of [this.#tombstones, this.#delays]) rows.changed()
    this.#forgotten.replaced()
  }

  restored(): void {
    this.#run.excused('K5', 'restored')
    for (const rows of [this.#tombstones, this.#delays]) rows.restored(this.#run.nowUs())
    this.#forgotten.replaced()
  }

  tookEffect(fact: Facts['command took effect']): void {
    const { command, index, tx } = fact
    const isReaped = command.kind === kvReapTombstones.kind
    const isForgotten = command.kind === kvForgetLockDelays.kind
    const removal = isReaped || isForgotten ? removalOf(fact) : undefined
    if (isReaped && removal !== undefined) this.#reaped(removal)
    if (tx.lastChange(tombstoneTable) === index && !isReaped) this.#tombstones.came(index, this.#run.nowUs())
    if (tx.lastChange(lockDelaysTable) === index && !isForgotten) this.#delays.came(index, this.#run.nowUs())
    this.#look(tx, tombstoneTable, this.#tombstones, tombstoneBounds(this.#care))
    this.#look(tx, lockDelaysTable, this.#delays, delayBounds(this.#care))
    this.#compare(fact, isReaped ? removal : undefined, isForgotten ? removal : undefined)
  }

  /** Checks what a removal has removed and left. */
  #compare({ index, tx }: Facts['command took effect'], reaped?: Removal, forgotten?: Removal): void {
    const left = (rows: AgedRows, table: TableDefinition<AgedRow>) => ({
      count: tx.count(table),
      oldest: rows.oldest(tx, table),
    })
    const floor = tx.lastChange(reapedFloor)
    const isTooNew = reaped !== undefined && floor !== this.#floor && floor > reaped.through
    this.#floor = floor
    const broken = [
      this.#tombstones.removed.after(left(this.#tombstones, tombstoneTable), reaped),
      isTooNew ? `has removed the row of index ${floor}, and may remove those up to ${reaped.through}` : undefined,
      this.#delays.removed.after(left(this.#delays, lockDelaysTable), forgotten),
      tx.lastChange(lockDelaysTable) === index
        ? this.#forgotten.after(tx.all(lockDelaysTable), forgotten, (row) => this.#ageMs(row))
        : undefined,
    ]
    if (reaped !== undefined || forgotten !== undefined) this.#run.judged('K5')
    for (const what of broken) {
      const command = forgotten === undefined ? kvReapTombstones.kind : kvForgetLockDelays.kind
      if (what !== undefined) this.#run.report('K5', `${command} at ${index} ${what}`)
    }
  }

  #ageMs(index: number): number | undefined {
    const cameUs = this.#delays.cameUs(index)
    return cameUs === undefined ? undefined : (this.#run.nowUs() - cameUs) / 1000
  }

  /** Checks that the newest removable row has existed for its time. */
  #reaped({ through, told }: Removal): void {
    const cameUs = this.#tombstones.cameUs(through)
    if (cameUs === undefined || told === 0) return
    this.#run.judged('K5')
    const livedMs = (this.#run.nowUs() - cameUs) / 1000
    const { leastMs } = tombstoneBounds(this.#care)
    if (livedMs >= leastMs * (1 - clockAllowance)) return
    this.#run.report(
      'K5',
      `tombstones of index ${through} were reaped after ${seconds(livedMs)}, before the minimum of ${seconds(leastMs)}`,
    )
  }

  /** How late a row may go that the leader has known since then. */
  #slackMs(sinceUs: number): number {
    const { network, disk } = this.#run
    const contactUs = this.#run.contactSinceUs(this.#leader)
    if (contactUs === undefined || contactUs > sinceUs || network.loss > 0) return slackMs
    return Math.min(slackMs, calmSlackMs + calmExchanges * (network.rttMaxMs + disk.syncMaxMs))
  }

  /** Checks that the oldest row is not overdue. */
  #look<Row extends AgedRow>(
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
    const lateMs = (this.#run.nowUs() - sinceUs) / 1000 - mostMs * (1 + clockAllowance) - this.#slackMs(sinceUs)
    if (lateMs <= 0 || this.#told) return
    this.#told = true
    const what = `${tx.count(table)} rows of ${table.name}, the oldest of index ${oldest}`
    this.#run.report('K5', `${what}, should have been removed ${seconds(lateMs)} ago, time for a new leader included`)
  }
}

type Run = Pick<CheckedRun, 'nowUs' | 'network' | 'disk' | 'contactSinceUs'> & Judge<{ K5: Excuse }>

function removalOf({ command: { body }, outcome }: Facts['command took effect']): Removal {
  return { ...(body as Pick<Removal, 'through' | 'limit'>), told: Number(outcome) }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`
}

export const keysCaredFor = checker({
  codes: {
    K5: {
      text: 'reaping: tombstones and lock delays are removed soon after their time and none before it, the oldest first, and as many as the command says',
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
    'leader began': (it, { node, atUs }) => it.leaderBegan(node, atUs),
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it) => it.restored(),
    'entries lost': (it) => it.lost(),
  },
})
