import { describe, expect, it } from 'vitest'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import type { TableDefinition, WriteTransaction } from '../../../src/store/types.ts'

interface Row {
  readonly key: string
  readonly kind: string
}

const table: TableDefinition<Row> = {
  name: 'rows',
  key: (row) => row.key,
  indexes: { kind: { key: (row) => row.kind } },
  decode: (stored) => stored as Row,
}
const other: TableDefinition<Row> = { ...table, name: 'others' }

function withRow(): Store {
  const store = new Store([table, other], { digest: true })
  store.apply(modifyIndexOf(1), (tx) => tx.put(table, { key: 'a', kind: 'old' }))
  return store
}

describe('a part of a command that is taken back', () => {
  it('leaves what was before it, rows, indexes and last change, and goes on from there', () => {
    const store = withRow()
    store.apply(modifyIndexOf(2), (tx) => {
      tx.put(table, { key: 'b', kind: 'before' })
      const done = tx.attempt(() => {
        tx.put(table, { key: 'a', kind: 'new' })
        tx.delete(table, 'b')
        tx.put(other, { key: 'x', kind: 'x' })
        tx.touch(other)
        return false
      })
      expect(done).toBe(false)
      expect(tx.get(table, 'a')).toEqual({ key: 'a', kind: 'old' })
      tx.put(table, { key: 'c', kind: 'after' })
    })
    const tx = store.read()
    expect([...tx.all(table)].map(({ key, kind }) => `${key}=${kind}`)).toEqual(['a=old', 'b=before', 'c=after'])
    expect([...tx.byIndex(table, 'kind', 'new')]).toEqual([])
    expect([...tx.byIndex(table, 'kind', 'old')]).toHaveLength(1)
    expect(tx.lastChange(other)).toBe(0)
  })

  it('wakes no watcher for what was taken back, and gives the state that never saw it', () => {
    const store = withRow()
    const plain = withRow()
    let woken = 0
    store.watch(
      (tx) => tx.get(table, 'a'),
      () => woken++,
    )
    store.apply(modifyIndexOf(2), (tx) =>
      tx.attempt(() => {
        tx.put(table, { key: 'a', kind: 'new' })
        return false
      }),
    )
    store.committed()
    plain.apply(modifyIndexOf(2), () => undefined)
    expect(woken).toBe(0)
    expect(store.digest()).toEqual(plain.digest())
  })

  it('leaves the state right for a later command that fails', () => {
    const [store, plain] = [withRow(), withRow()]
    const put = (tx: WriteTransaction, kind: string): void => tx.put(table, { key: 'a', kind })
    store.apply(modifyIndexOf(2), (tx) => {
      put(tx, 'one')
      tx.attempt(() => {
        put(tx, 'two')
        return true
      })
    })
    expect(() =>
      store.apply(modifyIndexOf(3), (tx) => {
        put(tx, 'three')
        throw new Error('a bug')
      }),
    ).toThrow('a bug')
    plain.apply(modifyIndexOf(2), (tx) => put(tx, 'two'))
    expect(store.digest()).toEqual(plain.digest())
  })

  it('stays when it succeeds, whatever a part of it took back', () => {
    const store = withRow()
    let woken = 0
    store.watch(
      (tx) => tx.get(table, 'a'),
      () => woken++,
    )
    store.apply(modifyIndexOf(2), (tx) =>
      tx.attempt(() => {
        tx.put(table, { key: 'a', kind: 'new' })
        tx.attempt(() => {
          tx.delete(table, 'a')
          return false
        })
        return true
      }),
    )
    store.committed()
    expect(store.read().get(table, 'a')).toEqual({ key: 'a', kind: 'new' })
    expect(woken).toBe(1)
  })
})

describe('a watch of the server’s own', () => {
  it('is called once, and is not bounded by how many queries are parked', () => {
    const store = new Store([table], { waitersMax: 0 })
    let woken = 0
    store.watch(
      (tx) => tx.count(table),
      () => woken++,
    )
    for (const index of [1, 2]) {
      store.apply(modifyIndexOf(index), (tx) => tx.put(table, { key: 'a', kind: String(index) }))
      store.committed()
    }
    expect(woken).toBe(1)
  })
})
