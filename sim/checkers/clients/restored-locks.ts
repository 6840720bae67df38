import { unpack } from '../../../src/base/msgpack.ts'
import { restorePiece } from '../../../src/features/snapshot/commands.ts'
import { checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'
import type { LockFacts } from './lock-facts.ts'

type Excuse = 'another cluster' | 'long ago'

/** Changes of sessions and locks that are remembered. */
const keptMax = 4_096

/** Sessions and locks from one index on. */
interface Held {
  readonly index: number
  readonly sessions: string
  readonly locks: string
}

/**
 * S5. A restore puts sessions and locks in place as they were at the index of the snapshot: none is missing, none is
 * there that had ended or did not exist yet, and each has its holder, its fencing number and its LockIndex.
 */
export class RestoredLocks {
  readonly #judge: Judge<{ S5: Excuse }>
  #held: Held[] = [{ index: 0, sessions: '', locks: '' }]
  /** Every session that there was. */
  readonly #known = new Set<string>()
  /** An agent of this cluster has given out a snapshot. */
  #isSaved = false
  /** Index of the state that arrives in pieces, or was the last to do so. */
  #arriving: number | undefined

  constructor(judge: Judge<{ S5: Excuse }>) {
    this.#judge = judge
  }

  shown(where: string, status: number): void {
    if (status === 200 && where.startsWith('/v1/snapshot')) this.#isSaved = true
  }

  /** A piece of a restore after which another one has begun is refused. */
  arrives({ command: { kind, body }, outcome }: Facts['command took effect']): void {
    if (kind !== restorePiece.kind || outcome !== 'done') return
    const { offset, bytes } = body as { readonly offset: number; readonly bytes: Uint8Array }
    if (offset === 0) this.#arriving = indexIn(bytes)
  }

  changed(facts: LockFacts): void {
    for (const id of facts.sessions.keys()) this.#known.add(id)
    this.#held.push(heldIn(facts))
    if (this.#held.length > keptMax) this.#held = this.#held.slice(keptMax / 2)
  }

  /** What the log did from some index on was lost. */
  lost(from: number): void {
    this.#held = this.#held.filter(({ index }) => index < from)
  }

  replaced(facts: LockFacts): void {
    this.#look(facts, heldIn(facts))
    this.changed(facts)
  }

  #look({ index, sessions }: LockFacts, is: Held): void {
    const saved = this.#arriving
    const isOthers = !this.#isSaved || [...sessions.keys()].some((id) => !this.#known.has(id))
    if (saved === undefined || saved >= index || isOthers) return this.#judge.excused('S5', 'another cluster')
    const was = this.#held.findLast((each) => each.index <= saved)
    if (was === undefined) return this.#judge.excused('S5', 'long ago')
    this.#judge.judged('S5')
    for (const what of ['sessions', 'locks'] as const) {
      if (is[what] === was[what]) continue
      const were = `they were ${was[what] || 'none'} at index ${saved} of the snapshot`
      this.#judge.report('S5', `${what} after the restore by entry ${index} are ${is[what] || 'none'}, and ${were}`)
    }
  }
}

function heldIn({ index, sessions, holds, lockableOf }: LockFacts): Held {
  const lives = [...sessions].map(([id, { ttlMs, lockDelayMs }]) => `${id} (${ttlMs} ms, delay ${lockDelayMs} ms)`)
  const locks = [...holds].map(([key, { session, fence }]) => {
    const { lockIndex = 0, session: named = '' } = lockableOf(key) ?? {}
    return `${key} ${session}@${fence} (${lockIndex}${named === session ? '' : `, names '${named}'`})`
  })
  return { index, sessions: lives.toSorted(byText).join(', '), locks: locks.toSorted(byText).join(', ') }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

/** The index that a state is of; undefined: its beginning is not that of a snapshot. */
function indexIn(bytes: Uint8Array): number | undefined {
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0)
  const header = unpack(bytes.subarray(4, 4 + size))
  return header.ok ? (header.value as { readonly index?: number }).index : undefined
}

export const restoredLocks = checker({
  codes: {
    S5: {
      text: 'restored locks: after a restore, sessions and locks are those that there were at the index of the snapshot',
      sources: ['docs/operations.md#backup'],
      evidence: ['locks', 'commands', 'requests'],
      judges: ['restore', 'restores'],
      excuses: {
        'another cluster':
          'A snapshot that another cluster has given out, as no agent of this one did, or as it has sessions that were never here; until the next restore.',
        'long ago': 'A snapshot from before the last two thousand changes of locks; until the next restore.',
      },
    },
  },
  make: (judge) => new RestoredLocks(judge),
  takes: {
    'answer shown': (it, { where, status }) => it.shown(where, status),
    'command took effect': (it, fact) => it.arrives(fact),
    'locks changed': (it, facts) => it.changed(facts),
    'locks replaced': (it, facts) => it.replaced(facts),
    'entries lost': (it, { from }) => it.lost(from),
  },
})
