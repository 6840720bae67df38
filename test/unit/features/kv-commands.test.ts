import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import {
  kvDelete,
  kvDeleteCas,
  kvDeleteTree,
  kvPut,
  kvPutCas,
  kvReapTombstones,
} from '../../../src/features/kv/commands.ts'
import { kvFeature } from '../../../src/features/kv/feature.ts'
import { kvValue } from '../../../src/features/kv/model.ts'
import { kvTable, reapedFloor, tombstoneTable } from '../../../src/features/kv/tables.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import type { WriteTransaction } from '../../../src/store/types.ts'

class Keys {
  readonly store = new Store(kvFeature.tables ?? [])
  #index = 10

  /** Applies at the next index: 11, 12, 13 … */
  do<T>(command: (tx: WriteTransaction) => T): T {
    this.#index++
    return this.store.apply(modifyIndexOf(this.#index), command)
  }

  put(key: string, value = 'v', flags = 0n): boolean {
    return this.do((tx) => kvPut.apply(tx, { key, value: utf8(value), flags }))
  }

  get(key: string) {
    return this.store.read().get(kvTable, key)
  }

  tombstones(): string[] {
    return [...this.store.read().inIndexOrder(tombstoneTable, 'age')].map(({ key, index }) => `${key}@${index}`)
  }
}

describe('kv.put', () => {
  it('creates a key, and keeps its CreateIndex when it is written again', () => {
    const keys = new Keys()
    expect(keys.put('a', 'one', 7n)).toBe(true)
    expect(keys.get('a')).toEqual({
      key: 'a',
      value: kvValue(utf8('one')),
      flags: 7n,
      lockIndex: 0,
      session: '',
      createIndex: 11,
      modifyIndex: 11,
    })
    keys.put('a', 'two')
    expect(keys.get('a')).toMatchObject({ value: kvValue(utf8('two')), flags: 0n, createIndex: 11, modifyIndex: 12 })
  })

  it('raises ModifyIndex even if nothing differs', () => {
    const keys = new Keys()
    keys.put('a')
    keys.put('a')
    expect(keys.get('a')?.modifyIndex).toBe(12)
  })

  it('keeps the session that holds the key, and its LockIndex', () => {
    const keys = new Keys()
    keys.do((tx) => {
      tx.put(kvTable, {
        key: 'a',
        value: kvValue(utf8('')),
        flags: 0n,
        lockIndex: 3,
        session: 's',
        createIndex: 11,
        modifyIndex: 11,
      })
    })
    keys.put('a')
    expect(keys.get('a')).toMatchObject({ session: 's', lockIndex: 3 })
  })

  it('does not keep the bytes that it was given, which belong to the log', () => {
    const keys = new Keys()
    const value = utf8('mine')
    keys.do((tx) => kvPut.apply(tx, { key: 'a', value, flags: 0n }))
    value.fill(0)
    expect(keys.get('a')?.value).toEqual(kvValue(utf8('mine')))
  })
})

describe('kv.put-cas', () => {
  const cas = (keys: Keys, key: string, index: bigint) =>
    keys.do((tx) => kvPutCas.apply(tx, { key, value: utf8('cas'), flags: 0n, index }))

  it('with index 0 only creates', () => {
    const keys = new Keys()
    expect(cas(keys, 'a', 0n)).toBe(true)
    expect(cas(keys, 'a', 0n)).toBe(false)
    expect(keys.get('a')?.modifyIndex).toBe(11)
  })

  it('with another index writes only over the version that has it', () => {
    const keys = new Keys()
    keys.put('a')
    expect(cas(keys, 'a', 10n)).toBe(false)
    expect(cas(keys, 'a', 11n)).toBe(true)
    expect(keys.get('a')).toMatchObject({ value: kvValue(utf8('cas')), createIndex: 11, modifyIndex: 13 })
    expect(cas(keys, 'missing', 13n)).toBe(false)
    expect(cas(keys, 'a', 0xffff_ffff_ffff_ffffn)).toBe(false)
  })
})

describe('kv.delete and kv.delete-cas', () => {
  it('a deletion leaves a tombstone of its index, and one of a missing key leaves nothing', () => {
    const keys = new Keys()
    keys.put('a')
    expect(keys.do((tx) => kvDelete.apply(tx, { key: 'a' }))).toBe(true)
    expect(keys.get('a')).toBeUndefined()
    expect(keys.do((tx) => kvDelete.apply(tx, { key: 'a' }))).toBe(true)
    expect(keys.tombstones()).toEqual(['a@12'])
    expect(keys.store.read().lastChange(kvTable)).toBe(12)
  })

  it('delete-cas deletes only the version asked for, and a missing key counts as deleted', () => {
    const keys = new Keys()
    keys.put('a')
    expect(keys.do((tx) => kvDeleteCas.apply(tx, { key: 'a', index: 0n }))).toBe(false)
    expect(keys.do((tx) => kvDeleteCas.apply(tx, { key: 'a', index: 12n }))).toBe(false)
    expect(keys.do((tx) => kvDeleteCas.apply(tx, { key: 'a', index: 11n }))).toBe(true)
    expect(keys.do((tx) => kvDeleteCas.apply(tx, { key: 'a', index: 11n }))).toBe(true)
    expect(keys.tombstones()).toEqual(['a@14'])
  })
})

describe('kv.delete-tree', () => {
  it('deletes what is under the prefix and leaves one tombstone at the prefix', () => {
    const keys = new Keys()
    for (const key of ['a', 'a/1', 'a/2', 'ab', 'b']) keys.put(key)
    expect(keys.do((tx) => kvDeleteTree.apply(tx, { prefix: 'a/' }))).toBe(true)
    expect([...keys.store.read().all(kvTable)].map(({ key }) => key)).toEqual(['a', 'ab', 'b'])
    expect(keys.tombstones()).toEqual(['a/@16'])
  })

  it('of an empty prefix deletes everything, and of nothing leaves no tombstone', () => {
    const keys = new Keys()
    keys.do((tx) => kvDeleteTree.apply(tx, { prefix: 'x' }))
    expect(keys.tombstones()).toEqual([])
    keys.put('a')
    keys.do((tx) => kvDeleteTree.apply(tx, { prefix: '' }))
    expect(keys.store.read().count(kvTable)).toBe(0)
    expect(keys.tombstones()).toEqual(['@13'])
  })
})

describe('kv.reap-tombstones', () => {
  it('forgets the oldest up to the index, at most as many as it may, and leaves their greatest index as a floor', () => {
    const keys = new Keys()
    for (const key of ['c', 'b', 'a']) keys.put(key)
    for (const key of ['c', 'b', 'a']) keys.do((tx) => kvDelete.apply(tx, { key }))
    expect(keys.tombstones()).toEqual(['c@14', 'b@15', 'a@16'])
    const reap = (through: number, limit: number) => keys.do((tx) => kvReapTombstones.apply(tx, { through, limit }))
    expect(reap(15, 1)).toBe(1)
    expect(keys.store.read().lastChange(reapedFloor)).toBe(14)
    expect(reap(15, 10)).toBe(1)
    expect(keys.tombstones()).toEqual(['a@16'])
    expect(keys.store.read().lastChange(reapedFloor)).toBe(15)
    expect(reap(15, 10)).toBe(0)
  })
})
