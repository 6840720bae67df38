import { describe, expect, it } from 'vitest'
import type { LockFacts } from '../../../sim/checkers/clients/lock-facts.ts'
import { RestoredLocks } from '../../../sim/checkers/clients/restored-locks.ts'
import type { Facts } from '../../../sim/checkers/facts.ts'
import { packAfter } from '../../../src/base/msgpack.ts'
import { recorder } from './reports.ts'

/** `held`: the key that each session holds since its index, or none. */
function facts(index: number, held: Readonly<Record<string, string>>, lockIndex = 1): LockFacts {
  const locks = Object.entries(held).filter(([, lock]) => lock !== '')
  return {
    index,
    atUs: 0,
    expiry: false,
    operations: [],
    sessions: new Map(Object.keys(held).map((id) => [id, { ttlMs: 10_000, lockDelayMs: 1_000 }])),
    holds: new Map(
      locks.map(([session, lock]) => [lock.split('@')[0] ?? '', { session, fence: Number(lock.split('@')[1]) }]),
    ),
    lockableOf: (key) => ({ lockIndex, session: locks.find(([, lock]) => lock.startsWith(key))?.[0] ?? '' }),
    counted: () => new Map(),
  }
}

function piece(index: number, offset = 0, outcome = 'done'): Facts['command took effect'] {
  const bytes = packAfter(4, { format: 1, index, tables: [] })
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, bytes.length - 4)
  const command = { kind: 'snapshot.restore-piece', body: { id: 'x', offset, bytes }, identity: undefined }
  return { node: 's1', command, index: 0, outcome, tx: undefined as never }
}

/** Sessions a and b, of which a holds a key at index 6, and b at index 8. */
function saved(at: number): { readonly law: RestoredLocks; readonly reports: ReturnType<typeof recorder> } {
  const reports = recorder()
  const law = new RestoredLocks(reports.judge)
  law.changed(facts(5, { a: '', b: '' }))
  law.changed(facts(6, { a: 'k@6', b: '' }))
  law.shown('/v1/snapshot', 200)
  law.changed(facts(7, { a: '', b: '' }))
  law.changed(facts(8, { b: 'k@8' }, 2))
  law.arrives(piece(at))
  law.arrives(piece(9, 262_144))
  return { law, reports }
}

describe('S5, sessions and locks after a restore', () => {
  it('are those of the index of the snapshot', () => {
    for (const [at, held] of [
      [4, {}],
      [6, { a: 'k@6', b: '' }],
      [7, { a: '', b: '' }],
    ] as const) {
      const { law, reports } = saved(at)
      law.replaced(facts(12, held))
      expect(reports.lines).toEqual([])
    }
  })

  it('refuses a restore that loses a session, a lock, or both', () => {
    const lost = saved(6)
    lost.law.replaced(facts(12, { a: 'k@6' }))
    expect(lost.reports.lines).toEqual([
      'S5: sessions after the restore by entry 12 are a (10000 ms, delay 1000 ms), and they were a (10000 ms, delay 1000 ms), b (10000 ms, delay 1000 ms) at index 6 of the snapshot',
    ])
    const free = saved(6)
    free.law.replaced(facts(12, { a: '', b: '' }))
    expect(free.reports.lines).toEqual([
      'S5: locks after the restore by entry 12 are none, and they were k a@6 (1) at index 6 of the snapshot',
    ])
    const all = saved(6)
    all.law.replaced(facts(12, {}))
    expect(all.reports.lines).toHaveLength(2)
  })

  it('refuses a restore that leaves a lock of the present, another fencing number or another LockIndex', () => {
    for (const now of [
      facts(12, { a: '', b: 'k@8' }),
      facts(12, { a: 'k@12', b: '' }),
      facts(12, { a: 'k@6', b: '' }, 2),
    ]) {
      const { law, reports } = saved(6)
      law.replaced(now)
      expect(reports.lines).toHaveLength(1)
    }
  })

  it('refuses what a second restore leaves of the first', () => {
    const { law, reports } = saved(6)
    law.replaced(facts(12, { a: 'k@6', b: '' }))
    law.arrives(piece(7))
    law.replaced(facts(14, { a: 'k@6', b: '' }))
    expect(reports.lines).toHaveLength(1)
  })

  it('are not those of a snapshot whose pieces were refused, because another restore had begun', () => {
    const { law, reports } = saved(6)
    law.arrives(piece(7, 0, 'superseded'))
    law.replaced(facts(12, { a: 'k@6', b: '' }))
    expect(reports.lines).toEqual([])
  })

  it('does not judge a snapshot that another cluster has given out', () => {
    const stranger = saved(6)
    stranger.law.replaced(facts(12, { c: 'k@3' }))
    expect(stranger.reports.lines).toEqual([])
    const reports = recorder()
    const law = new RestoredLocks(reports.judge)
    law.changed(facts(5, { a: '' }))
    law.arrives(piece(5))
    law.replaced(facts(12, {}))
    expect(reports.lines).toEqual([])
  })
})
