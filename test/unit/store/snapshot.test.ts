import { describe, expect, it } from 'vitest'
import { concatBytes, equalBytes } from '../../../src/base/bytes.ts'
import { unpack } from '../../../src/base/msgpack.ts'
import { done } from '../../../src/base/result.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { headerFrom } from '../../../src/store/restore.ts'
import { snapshotPieceBytes } from '../../../src/store/snapshot.ts'
import { StateRecords } from '../../../src/store/state-records.ts'
import { Store } from '../../../src/store/store.ts'
import type { ReadTransaction, Row, TableDefinition } from '../../../src/store/types.ts'
import { quietSamples, sample, samples } from './sample-table.ts'

const unused: typeof samples = { ...samples, name: 'unused' }
const tables = [samples, quietSamples] as readonly TableDefinition<Row>[]

function filled(rows = 3): Store {
  const store = new Store(tables, { digest: true })
  store.apply(modifyIndexOf(7), (tx) => {
    for (let i = 0; i < rows; i++) tx.put(samples, sample(`key-${i}`, 7, `group-${i % 5}`, i % 100))
    tx.touch(quietSamples, modifyIndexOf(4))
  })
  return store
}

function piecesOf(store: Store): Uint8Array[] {
  const source = store.snapshot()
  const pieces: Uint8Array[] = []
  for (let piece = source.next(); piece !== undefined; piece = source.next()) pieces.push(piece)
  return pieces
}

function restoreAll(store: Store, pieces: readonly Uint8Array[]) {
  const sink = store.restore()
  for (const piece of pieces) {
    const written = sink.write(piece)
    if (!written.ok) return written
  }
  return sink.finish()
}

describe('snapshots', () => {
  it('come in pieces of 64 KiB, the last one shorter, and end with undefined for good', () => {
    const store = filled(10_000)
    const source = store.snapshot()
    const sizes: number[] = []
    for (let piece = source.next(); piece !== undefined; piece = source.next()) sizes.push(piece.length)
    expect(sizes.length).toBeGreaterThan(3)
    expect(new Set(sizes.slice(0, -1))).toEqual(new Set([snapshotPieceBytes]))
    expect(sizes.at(-1)).toBeLessThan(snapshotPieceBytes)
    expect(source.next()).toBeUndefined()
  })

  it('a restored store has the rows, indexes, last changes and index of the one it came from', () => {
    const from = filled(300)
    const to = new Store(tables, { digest: true })
    to.apply(modifyIndexOf(2), (tx) => tx.put(samples, sample('gone', 2, 'group-1')))
    expect(restoreAll(to, piecesOf(from))).toMatchObject({ ok: true })
    expect(to.digest()).toEqual(from.digest())
    expect(to.index).toBe(7)
    expect(to.read().lastChange(samples)).toBe(7)
    expect(to.read().lastChange(quietSamples)).toBe(4)
    expect([...to.read().byIndex(samples, 'group', 'group-1')]).toEqual([
      ...from.read().byIndex(samples, 'group', 'group-1'),
    ])
    to.apply(modifyIndexOf(8), (tx) => tx.delete(samples, 'key-1'))
    expect(to.read().count(samples)).toBe(299)
  })

  it('stands for the moment at which it was asked for, whatever is applied while it is written', () => {
    const store = filled(5_000)
    const quiet = concatBytes(piecesOf(store))
    const source = store.snapshot()
    const pieces: Uint8Array[] = []
    let index = 8
    for (let piece = source.next(); piece !== undefined; piece = source.next()) {
      pieces.push(piece)
      store.apply(modifyIndexOf(index), (tx) => {
        tx.put(samples, sample(`key-${index}`, index, 'moved'))
        tx.delete(samples, `key-${5_000 - index}`)
      })
      index++
    }
    expect(equalBytes(concatBytes(pieces), quiet)).toBe(true)
  })

  it('equal states give equal bytes, however their rows were built', () => {
    const [one, other] = [new Store(tables), new Store(tables)]
    one.apply(modifyIndexOf(3), (tx) => {
      tx.put(samples, { id: 'y', group: 'g', weight: 2, modifyIndex: 3 })
      tx.delete(samples, 'y')
      tx.put(samples, { id: 'a', group: 'g', weight: 1, modifyIndex: 3 })
      tx.put(samples, { id: 'b', group: 'g', weight: 2, modifyIndex: 3 })
    })
    other.apply(modifyIndexOf(3), (tx) => {
      tx.put(samples, { modifyIndex: 3, weight: 2, group: 'g', id: 'b' })
      tx.put(samples, { id: 'x', group: 'g', weight: 2, modifyIndex: 3 })
      tx.put(samples, { weight: 1, modifyIndex: 3, group: 'g', id: 'a' })
      tx.delete(samples, 'x')
    })
    expect(piecesOf(one)).toEqual(piecesOf(other))
  })

  it('digests and bytes do not change by going through a snapshot, whatever plain data rows hold', () => {
    const anything: TableDefinition<{ readonly id: string; readonly what: unknown }> = {
      name: 'anything',
      key: (row) => row.id,
      decode: (stored) => stored as { readonly id: string; readonly what: unknown },
    }
    const newStore = () => new Store([anything] as readonly TableDefinition<Row>[], { digest: true })
    const [from, to] = [newStore(), newStore()]
    const values = [
      0n,
      42n,
      -7n,
      2n ** 53n,
      -(2n ** 53n),
      2n ** 53n + 1n,
      2n ** 53n - 1n,
      2n ** 64n - 1n,
      2 ** 40,
      -1.5,
      null,
      true,
      'é\xff😀',
      [],
      { b: 1n, a: [2] },
    ]
    from.apply(modifyIndexOf(1), (tx) => {
      for (const [i, what] of [...values, undefined, new Uint8Array([1, 2]), { gone: undefined }].entries()) {
        tx.put(anything, { id: `k${i}`, what })
      }
    })
    expect(restoreAll(to, piecesOf(from)).ok).toBe(true)
    expect(to.digest()).toEqual(from.digest())
    expect(piecesOf(to)).toEqual(piecesOf(from))
    // Replaced, and so taken out of the running sum, in the form in which it came back.
    for (const store of [from, to]) store.apply(modifyIndexOf(2), (tx) => tx.put(anything, { id: 'k1', what: 1 }))
    expect(to.digest()).toEqual(from.digest())
  })

  it('have a digest that tells apart two states, and is the same again once they are equal', () => {
    const [one, other] = [filled(), filled()]
    const puts = (store: Store, index: number, group: string): void => {
      store.apply(modifyIndexOf(index), (tx) => tx.put(samples, sample('key-0', index, group)))
    }
    expect(one.digest()).toEqual(other.digest())
    puts(one, 8, 'a')
    puts(other, 8, 'b')
    expect(one.digest()).not.toEqual(other.digest())
    for (const store of [one, other]) puts(store, 9, 'c')
    expect(one.digest()).toEqual(other.digest())
  })

  it('have the digest of a release that lacks the tables which were never used', () => {
    const one = filled(0)
    const other = new Store([samples, quietSamples, unused] as readonly TableDefinition<Row>[], { digest: true })
    other.apply(modifyIndexOf(7), (tx) => tx.touch(quietSamples, modifyIndexOf(4)))
    expect(other.digest()).toEqual(one.digest())
    other.apply(modifyIndexOf(8), (tx) => tx.put(unused, sample('a', 8)))
    one.apply(modifyIndexOf(8), () => undefined)
    expect(other.digest()).not.toEqual(one.digest())
  })

  it('are read record by record without a store: each row with its table, and whether the whole is sound', () => {
    const store = filled()
    store.apply(modifyIndexOf(8), (tx) => tx.put(quietSamples, sample('q', 8)))
    const bytes = concatBytes(piecesOf(store))
    const read = (of: Uint8Array) => {
      const rows: unknown[] = []
      const records = new StateRecords((table, record) => {
        const row = unpack(record)
        rows.push([table, row.ok ? (row.value as { readonly id: string }).id : row.error])
      })
      for (let at = 0; at < of.length; at += 50) records.write(of.subarray(at, at + 50))
      return { rows, end: records.finish() }
    }
    const rows = [['quiet-samples', 'q'], ...['key-0', 'key-1', 'key-2'].map((id) => ['samples', id])]
    expect(read(bytes)).toEqual({ rows, end: done })
    expect(read(bytes.subarray(0, -1)).end.ok).toBe(false)
  })

  it('with a row as long as the longest value are restored', () => {
    const from = filled()
    const long = sample('long', 8, 'x'.repeat(512 << 10))
    from.apply(modifyIndexOf(8), (tx) => tx.put(samples, long))
    const to = new Store(tables, { digest: true })
    expect(restoreAll(to, piecesOf(from))).toMatchObject({ ok: true })
    expect(to.read().get(samples, 'long')).toEqual(long)
  })

  it('a restore wakes every parked query, also one that looked at nothing', () => {
    const store = filled()
    const woken: string[] = []
    store.park(store.query((tx) => tx.get(samples, 'key-1')).touched, () => woken.push('key'))
    store.park(store.query(() => undefined).touched, () => woken.push('nothing'))
    store.park(store.query((tx) => tx.byIndex(samples, 'group', 'x')).touched, () => woken.push('index'))
    expect(restoreAll(store, piecesOf(filled()))).toMatchObject({ ok: true })
    expect(woken).toEqual(['key', 'nothing', 'index'])
    expect(store.waiting).toBe(0)
  })
})

describe('a bad snapshot', () => {
  const good = concatBytes(piecesOf(filled()))

  function expectRefused(bytes: Uint8Array): string {
    const store = filled(1)
    const before = store.digest()
    const result = restoreAll(store, [bytes])
    expect(store.digest()).toEqual(before)
    expect(result.ok).toBe(false)
    return result.ok ? '' : result.error
  }

  it('with any one bit flipped is refused, and leaves the old state', () => {
    for (let at = 0; at < good.length; at++) {
      const bad = good.slice()
      bad[at] = (bad[at] as number) ^ (1 << (at % 8))
      expectRefused(bad)
    }
  })

  it('that is cut short anywhere is refused', () => {
    for (let length = 0; length < good.length; length++) expectRefused(good.slice(0, length))
  })

  it('with bytes after its end is refused', () => {
    expect(expectRefused(concatBytes([good, new Uint8Array(1)]))).toContain('after its end')
  })

  it('of another format or with a table of a newer release says so', () => {
    const other = new Store([{ ...samples, name: 'later' }] as readonly TableDefinition<Row>[])
    expect(expectRefused(concatBytes(piecesOf(other)))).toContain('table later is unknown')
  })

  it('that announces a record longer than any row is refused before it is gathered', () => {
    expect(expectRefused(new Uint8Array([0xff, 0xff, 0xff, 0xff]))).toContain('longer than any row')
  })

  it('with a row that its table cannot read names the table', () => {
    const other = new Store([{ ...samples, encode: () => ({ id: 'a' }) }] as readonly TableDefinition<Row>[])
    other.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('a', 1)))
    expect(expectRefused(concatBytes(piecesOf(other)))).toContain('table samples: a sample without id or group')
  })

  it('stays refused when the rest is written', () => {
    const store = filled(1)
    const sink = store.restore()
    expect(sink.write(new Uint8Array([0xff, 0xff, 0xff, 0xff])).ok).toBe(false)
    expect(sink.write(good).ok).toBe(false)
    expect(sink.finish().ok).toBe(false)
  })

  it('of a release that lacks a table restores, with that table empty', () => {
    const older = new Store([samples] as readonly TableDefinition<Row>[])
    older.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('a', 1)))
    const store = filled()
    store.apply(modifyIndexOf(8), (tx) => tx.put(quietSamples, sample('q', 8)))
    expect(restoreAll(store, piecesOf(older)).ok).toBe(true)
    expect(store.read().count(quietSamples)).toBe(0)
    expect(store.read().lastChange(quietSamples)).toBe(0)
  })

  it('of a build that kept no departures restores with those of the last change', () => {
    const plain = { ...samples, departures: {} }
    const older = new Store([plain, quietSamples] as readonly TableDefinition<Row>[])
    older.apply(modifyIndexOf(3), (tx) => tx.put(plain, sample('a', 3)))
    older.apply(modifyIndexOf(5), (tx) => tx.put(plain, sample('b', 5)))
    const store = filled()
    expect(restoreAll(store, piecesOf(older)).ok).toBe(true)
    expect(store.live.lastDeparture(samples, 'group')).toBe(5)
    store.apply(modifyIndexOf(8), (tx) => tx.put(samples, sample('a', 8, 'moved')))
    expect([store.live.lastDeparture(samples, 'group'), store.live.lastDeparture(samples, 'told')]).toEqual([8, 5])
  })

  it('with a departure later than the last change is refused', () => {
    const store = filled()
    store.apply(modifyIndexOf(8), (tx) => tx.delete(samples, 'key-1'))
    const bytes = concatBytes(piecesOf(store))
    const header = unpack(bytes.slice(4, 4 + new DataView(bytes.buffer).getUint32(0)))
    if (!header.ok) throw new Error(header.error)
    const read = headerFrom(header.value)
    expect(read).toMatchObject({ ok: true })
    const tables = read.ok ? read.value.tables.map((table) => ({ ...table, departures: { group: 9 } })) : []
    expect(headerFrom({ format: 1, index: 9, tables })).toMatchObject({ ok: false })
  })
})

describe('a departure', () => {
  it('is undone with a command that throws, and with a part of one that is taken back', () => {
    const store = filled()
    const fails = () =>
      store.apply(modifyIndexOf(8), (tx) => {
        tx.delete(samples, 'key-1')
        throw new Error('as planned')
      })
    expect(fails).toThrow('as planned')
    store.apply(modifyIndexOf(9), (tx) => {
      tx.attempt(() => tx.delete(samples, 'key-2') && false)
      tx.put(samples, sample('new', 9))
    })
    expect(store.read().lastDeparture(samples, 'group')).toBe(0)
  })

  it('is seen by the rest of the command that makes it, and by later ones', () => {
    const store = filled()
    const seen: number[] = []
    const looks = (tx: Pick<ReadTransaction, 'lastDeparture'>) => seen.push(tx.lastDeparture(samples, 'group'))
    store.apply(modifyIndexOf(8), (tx) => {
      looks(tx)
      tx.delete(samples, 'key-1')
      looks(tx)
    })
    store.apply(modifyIndexOf(9), looks)
    expect(seen).toEqual([0, 8, 8])
  })

  it('is of every row where another state takes the place of this one', () => {
    const store = filled()
    const reader = store.reader()
    for (const piece of piecesOf(filled(1))) reader.write(piece)
    const version = reader.finish()
    if (!version.ok) throw new Error(version.error)
    store.apply(modifyIndexOf(20), (tx) => tx.put(samples, sample('gone', 20)))
    store.replace(version.value, modifyIndexOf(20))
    expect(store.live.lastDeparture(samples, 'group')).toBe(20)
  })

  it('that a table does not declare, or that its rows show, is a bug to ask for or to make', () => {
    const store = filled()
    expect(() => store.live.lastDeparture(samples, 'other')).toThrow('does not declare')
    expect(() => store.apply(modifyIndexOf(8), (tx) => tx.depart(samples, 'group'))).toThrow(
      'a departure that rows show',
    )
  })
})
