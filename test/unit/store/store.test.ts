import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { touchesMax } from '../../../src/store/recording.ts'
import { Store } from '../../../src/store/store.ts'
import type { Row, TableDefinition } from '../../../src/store/types.ts'
import { quietSamples, type Sample, sample, samples } from './sample-table.ts'

function newStore(options = {}): Store {
  return new Store([samples, quietSamples] as readonly TableDefinition<Row>[], options)
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

function ids(rows: Iterable<Sample>): string[] {
  return [...rows].map((row) => row.id)
}

describe('transactions', () => {
  it('a command that throws leaves no trace, neither in rows nor in the index', () => {
    const store = newStore({ digest: true })
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('a', 1, 'g')))
    const before = store.digest()
    expect(() =>
      store.apply(modifyIndexOf(2), (tx) => {
        tx.put(samples, sample('b', 2, 'g'))
        tx.delete(samples, 'a')
        throw new Error('half-way')
      }),
    ).toThrow('half-way')
    expect(store.index).toBe(1)
    expect(ids(store.read().byIndex(samples, 'group', 'g'))).toEqual(['a'])
    expect(store.read().lastChange(samples)).toBe(1)
    expect(store.digest()).toEqual(before)
    store.apply(modifyIndexOf(2), (tx) => tx.put(samples, sample('c', 2)))
    expect(ids(store.read().all(samples))).toEqual(['a', 'c'])
  })

  it('a reader goes on seeing the version it was made of', () => {
    const store = newStore()
    store.apply(modifyIndexOf(1), (tx) => {
      for (const id of ['a', 'b', 'c']) tx.put(samples, sample(id, 1, 'g'))
    })
    const reader = store.read()
    const iterator = reader.all(samples)[Symbol.iterator]()
    expect(iterator.next().value?.id).toBe('a')
    store.apply(modifyIndexOf(2), (tx) => {
      tx.delete(samples, 'b')
      tx.put(samples, sample('bb', 2, 'g'))
    })
    expect([iterator.next().value?.id, iterator.next().value?.id]).toEqual(['b', 'c'])
    expect(ids(reader.byIndex(samples, 'group', 'g'))).toEqual(['a', 'b', 'c'])
    expect(reader.index).toBe(1)
    expect(ids(store.read().all(samples))).toEqual(['a', 'bb', 'c'])
  })

  it('a command may change the rows that it iterates over', () => {
    const store = newStore()
    store.apply(modifyIndexOf(1), (tx) => {
      for (let i = 0; i < 500; i++) tx.put(samples, sample(`k${i}`, 1, 'g'))
    })
    store.apply(modifyIndexOf(2), (tx) => {
      tx.put(samples, sample('first', 2))
      for (const row of tx.byIndex(samples, 'group', 'g')) tx.delete(samples, row.id)
      for (const row of tx.prefix(samples, 'k')) throw new Error(`${row.id} is left`)
    })
    expect(ids(store.read().all(samples))).toEqual(['first'])
  })

  it('a command sees what it has done so far, with indexes and count', () => {
    const store = newStore()
    store.apply(modifyIndexOf(3), (tx) => {
      tx.put(samples, sample('b', 3, 'g', 2))
      tx.put(samples, sample('a', 3, 'g', 5))
      tx.put(samples, sample('b', 3, 'h', 9))
      expect(ids(tx.byIndex(samples, 'group', 'g'))).toEqual(['a'])
      expect(ids(tx.byIndex(samples, 'group', 'h'))).toEqual(['b'])
      expect(ids(tx.inIndexOrder(samples, 'weight'))).toEqual(['a', 'b'])
      expect(tx.count(samples)).toBe(2)
      expect(tx.lastChange(samples)).toBe(3)
      expect(tx.delete(samples, 'missing')).toBe(false)
    })
  })

  it('index keys that begin with one another, or hold zero bytes, are told apart', () => {
    const store = newStore()
    const groups = ['a', 'a\0', 'a\0\0', 'a\0b', 'a\x01', 'ab', '\0']
    store.apply(modifyIndexOf(1), (tx) => {
      for (const [i, group] of groups.entries()) tx.put(samples, sample(`\0${i}`, 1, group))
    })
    for (const [i, group] of groups.entries()) {
      expect(ids(store.read().byIndex(samples, 'group', group))).toEqual([`\0${i}`])
    }
    const ordered = [...groups].sort((a, b) => (a < b ? -1 : 1))
    expect([...store.read().inIndexOrder(samples, 'group')].map((row) => row.group)).toEqual(ordered)
  })

  it('what is live is the state as of each question, also after commands that no read has followed', () => {
    const store = newStore()
    const { live } = store
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('a', 1, 'g', 2)))
    expect([live.index, live.lastChange(samples), live.lastChange(quietSamples)]).toEqual([1, 1, 0])
    expect(() =>
      store.apply(modifyIndexOf(2), (tx) => {
        tx.put(samples, sample('b', 2))
        throw new Error('half-way')
      }),
    ).toThrow('half-way')
    expect([live.index, live.lastChange(samples), live.count(samples)]).toEqual([1, 1, 1])
    store.apply(modifyIndexOf(2), (tx) => tx.put(samples, sample('b', 2, 'g', 1)))
    expect([live.index, live.lastChange(samples), live.get(samples, 'b')?.modifyIndex]).toEqual([2, 2, 2])
    expect([ids(live.all(samples)), ids(live.prefix(samples, 'b'))]).toEqual([['a', 'b'], ['b']])
    expect(ids(live.byIndex(samples, 'group', 'g'))).toEqual(['a', 'b'])
    expect(ids(live.inIndexOrder(samples, 'weight'))).toEqual(['b', 'a'])
    expect(live.covered((tx) => tx.count(samples))).toBe(2)
    store.apply(modifyIndexOf(3), (tx) =>
      expect(() => live.lastChange(samples) + tx.index).toThrow('from within a command'),
    )
  })

  it('touch moves the last change up to the index given, never down, and never beyond the command', () => {
    const store = newStore()
    store.apply(modifyIndexOf(5), (tx) => tx.touch(samples, modifyIndexOf(3)))
    expect(store.read().lastChange(samples)).toBe(3)
    store.apply(modifyIndexOf(6), (tx) => tx.touch(samples, modifyIndexOf(2)))
    expect(store.read().lastChange(samples)).toBe(3)
    store.apply(modifyIndexOf(7), (tx) => tx.touch(samples))
    expect(store.read().lastChange(samples)).toBe(7)
    expect(() => store.apply(modifyIndexOf(8), (tx) => tx.touch(samples, modifyIndexOf(9)))).toThrow('future')
  })

  it('refuses what only a bug can ask for', () => {
    const store = newStore()
    store.apply(modifyIndexOf(4), () => undefined)
    expect(() => store.apply(modifyIndexOf(4), () => undefined)).toThrow('out of order')
    expect(() => store.apply(modifyIndexOf(5), () => store.apply(modifyIndexOf(6), () => undefined))).toThrow(
      'within another',
    )
    expect(() => store.read().get({ ...samples, name: 'other' }, 'a')).toThrow('not told of')
    expect(() => store.read().byIndex(samples, 'colour', 'a')).toThrow('does not have')
    const kept = store.apply(modifyIndexOf(5), (tx) => tx)
    expect(() => kept.put(samples, sample('late', 5))).toThrow('after its end')
    expect(() => new Store([samples, samples] as readonly TableDefinition<Row>[])).toThrow('one name')
  })
})

describe('watches', () => {
  it('a parked query is woken once per batch, at committed and not before', () => {
    const store = newStore()
    let woken = 0
    const { touched } = store.query((tx) => tx.get(samples, 'a'))
    store.park(touched, () => woken++)
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('b', 1)))
    store.apply(modifyIndexOf(2), (tx) => tx.put(samples, sample('a', 2)))
    store.apply(modifyIndexOf(3), (tx) => tx.put(samples, sample('a', 3)))
    expect(woken).toBe(0)
    store.committed()
    expect(woken).toBe(1)
    expect(store.waiting).toBe(0)
    store.apply(modifyIndexOf(4), (tx) => tx.put(samples, sample('a', 4)))
    store.committed()
    expect(woken).toBe(1)
  })

  it('a parked query holds until what it read changes, not until it is woken, and no longer once it is closed', () => {
    const store = newStore()
    const parked = ['key-1', 'key-2'].map((key) =>
      store.park(store.query((tx) => tx.get(samples, key)).touched, () => {}),
    )
    const current = (): boolean[] => parked.map((each) => each.ok && each.value.isCurrent())
    expect(current()).toEqual([true, true])
    store.apply(modifyIndexOf(8), (tx) => tx.put(samples, sample('key-1', 8)))
    expect(current()).toEqual([false, true])
    store.committed()
    for (const each of parked) if (each.ok) each.value.close()
    expect(current()).toEqual([false, false])
  })

  it('a query made after a change, but before the end of its batch, is not woken by it', () => {
    const store = newStore()
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('a', 1)))
    let woken = 0
    store.park(store.query((tx) => tx.get(samples, 'a')).touched, () => woken++)
    store.committed()
    expect(woken).toBe(0)
  })

  it('a parked query keeps no row alive that it did not read', async () => {
    const store = newStore()
    const put = (index: number): WeakRef<Sample> => {
      const row = sample('unread', index, 'g')
      store.apply(modifyIndexOf(index), (tx) => tx.put(samples, row))
      return new WeakRef(row)
    }
    const replaced = put(1)
    const parked = store.park(store.query((tx) => tx.get(samples, 'read')).touched, () => undefined)
    put(2)
    store.read()
    // What was read in one turn stays until its end.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    expect([replaced.deref(), parked.ok && parked.value.isCurrent()]).toEqual([undefined, true])
  })

  it('parking a query after the state has moved on is refused as a bug, for the wake-up would be lost', () => {
    const store = newStore()
    const { touched } = store.query((tx) => tx.get(samples, 'a'))
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('a', 1)))
    expect(() => store.park(touched, () => undefined)).toThrow('moved on')
  })

  it('a query of a prefix is woken although another one of the same prefix was closed', () => {
    const store = newStore()
    let woken = 0
    const park = () => store.park(store.query((tx) => tx.prefix(samples, 'a')).touched, () => woken++)
    const [first] = [park(), park(), park()] as const
    if (!first.ok) throw new Error('not parked')
    first.value.close()
    expect(store.waiting).toBe(2)
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('ab', 1)))
    store.committed()
    expect([woken, store.waiting]).toEqual([2, 0])
  })

  it('queries are called in the order in which they were parked, and one may close another', () => {
    const store = newStore()
    const calls: string[] = []
    const park = (name: string, use = (): void => undefined) =>
      store.park(store.query((tx) => tx.prefix(samples, 'a')).touched, () => {
        calls.push(name)
        use()
      })
    park('first', () => second.ok && third.ok && third.value.close())
    const second = park('second')
    const third = park('third')
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('ab', 1)))
    store.committed()
    expect(calls).toEqual(['first', 'second'])
    expect(store.waiting).toBe(0)
  })

  it('a query may be parked again from within its wake-up', () => {
    const store = newStore()
    let woken = 0
    const again = (): void => {
      woken++
      store.park(store.query((tx) => tx.get(samples, 'a')).touched, again)
    }
    store.park(store.query((tx) => tx.get(samples, 'a')).touched, again)
    for (const index of [1, 2]) {
      store.apply(modifyIndexOf(index), (tx) => tx.put(samples, sample('a', index)))
      store.committed()
      expect(woken).toBe(index)
      expect(store.waiting).toBe(1)
    }
  })

  it('a closed query is not called, whether it was parked or due, and closing twice is closing once', () => {
    const store = newStore()
    let woken = 0
    const parked = store.park(store.query((tx) => tx.get(samples, 'a')).touched, () => woken++)
    const due = store.park(store.query((tx) => tx.get(samples, 'a')).touched, () => woken++)
    if (!parked.ok || !due.ok) throw new Error('refused')
    parked.value.close()
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('a', 1)))
    due.value.close()
    due.value.close()
    parked.value.close()
    store.committed()
    expect(woken).toBe(0)
    expect(store.waiting).toBe(0)
  })

  it('more parked queries than the bound are refused as overload, and a place that is left can be taken', () => {
    const store = newStore({ waitersMax: 2 })
    const park = () => store.park(store.query((tx) => tx.all(samples)).touched, () => undefined)
    const first = park()
    expect(park().ok).toBe(true)
    expect(park()).toMatchObject({ ok: false, error: { kind: 'overloaded' } })
    if (first.ok) first.value.close()
    expect(park().ok).toBe(true)
  })

  it('a query that looks at very many keys is woken by any change of the table, rather than missing one', () => {
    const store = newStore()
    let woken = 0
    const { touched } = store.query((tx) => {
      for (let i = 0; i <= touchesMax; i++) tx.get(samples, `k${i}`)
    })
    store.park(touched, () => woken++)
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('never looked at', 1)))
    store.committed()
    expect(woken).toBe(1)
  })

  it.each([
    ['a whole table', undefined, ['a', 'b']],
    ['one row', { key: 'a' }, ['a']],
    ['the rows of an index key', { index: 'group', key: 'group-b' }, ['b']],
  ] as const)('a query may watch %s without reading it', (_of, part, waking) => {
    for (const changed of ['a', 'b'] as const) {
      const store = newStore()
      let woken = 0
      store.park(store.query((tx) => tx.watch(samples, part)).touched, () => woken++)
      store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample(changed, 1, `group-${changed}`)))
      store.committed()
      expect(woken, changed).toBe((waking as readonly string[]).includes(changed) ? 1 : 0)
    }
  })

  it('an unwatched table wakes no watcher, nor does the last change of a table', () => {
    const store = newStore()
    let woken = 0
    const { touched } = store.query((tx) => [tx.get(quietSamples, 'a'), tx.lastChange(samples), tx.count(quietSamples)])
    store.park(touched, () => woken++)
    store.apply(modifyIndexOf(1), (tx) => {
      tx.put(quietSamples, sample('a', 1))
      tx.put(samples, sample('a', 1))
    })
    store.committed()
    expect(woken).toBe(0)
  })

  it('a row that leaves one index key for another wakes the readers of either', () => {
    const store = newStore()
    store.apply(modifyIndexOf(1), (tx) => tx.put(samples, sample('a', 1, 'old')))
    const woken: string[] = []
    for (const group of ['old', 'new', 'other']) {
      store.park(store.query((tx) => tx.byIndex(samples, 'group', group)).touched, () => woken.push(group))
    }
    store.apply(modifyIndexOf(2), (tx) => tx.put(samples, sample('a', 2, 'new')))
    store.committed()
    expect(woken).toEqual(['old', 'new'])
  })
})
