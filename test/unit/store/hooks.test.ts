import { describe, expect, it } from 'vitest'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import { onEvent, type StateEvent, type StateHook, type TableDefinition } from '../../../src/store/types.ts'

interface Named {
  readonly name: string
  readonly owner: string
}

const nodes: TableDefinition<Named> = { name: 'nodes', key: (row) => row.name, decode: (row) => row as Named }
const sessions: TableDefinition<Named> = {
  name: 'sessions',
  key: (row) => row.name,
  indexes: { owner: { key: (row) => row.owner } },
  decode: (row) => row as Named,
}
const nodeRemoved: StateEvent<{ readonly node: string }> = { name: 'nodes.removed' }
const sessionEnded: StateEvent<string> = { name: 'sessions.ended' }

const endSessions = onEvent(nodeRemoved, (tx, { node }) => {
  for (const session of [...tx.byIndex(sessions, 'owner', node)]) {
    tx.delete(sessions, session.name)
    tx.raise(sessionEnded, session.name)
  }
})

function storeWith(...hooks: readonly StateHook[]): Store {
  const store = new Store([nodes, sessions], { hooks })
  store.apply(modifyIndexOf(1), (tx) => {
    tx.put(nodes, { name: 'n1', owner: '' })
    tx.put(sessions, { name: 'a', owner: 'n1' })
    tx.put(sessions, { name: 'b', owner: 'n1' })
  })
  return store
}

describe('an event that a command raises', () => {
  it('is followed in the same transaction, and by what follows from that', () => {
    const ended: string[] = []
    const store = storeWith(
      endSessions,
      onEvent(sessionEnded, (_, name) => ended.push(name)),
    )
    store.apply(modifyIndexOf(2), (tx) => {
      tx.delete(nodes, 'n1')
      tx.raise(nodeRemoved, { node: 'n1' })
    })
    expect([...store.read().all(sessions)]).toEqual([])
    expect(ended).toEqual(['a', 'b'])
  })

  it('runs its hooks in the order in which the store was given them', () => {
    const order: number[] = []
    const hooks = [1, 2, 3].map((number) => onEvent(nodeRemoved, () => order.push(number)))
    storeWith(...hooks).apply(modifyIndexOf(2), (tx) => tx.raise(nodeRemoved, { node: 'n1' }))
    expect(order).toEqual([1, 2, 3])
  })

  it('leaves no trace of itself or of its hooks when one of them throws', () => {
    const store = storeWith(
      endSessions,
      onEvent(sessionEnded, () => {
        throw new Error('no')
      }),
    )
    const failing = () =>
      store.apply(modifyIndexOf(2), (tx) => {
        tx.delete(nodes, 'n1')
        tx.raise(nodeRemoved, { node: 'n1' })
      })
    expect(failing).toThrow('no')
    expect([...store.read().all(sessions)]).toHaveLength(2)
    expect(store.read().get(nodes, 'n1')).toBeDefined()
  })

  it('that raises itself is refused as a bug', () => {
    const store = storeWith(onEvent(nodeRemoved, (tx, payload) => tx.raise(nodeRemoved, payload)))
    expect(() => store.apply(modifyIndexOf(2), (tx) => tx.raise(nodeRemoved, { node: 'n1' }))).toThrow('without end')
  })

  it('may lead to others eight deep, and no deeper', () => {
    const step: StateEvent<number> = { name: 'sessions.step' }
    const deepest = (depth: number) => {
      const store = storeWith(onEvent(step, (tx, left) => (left > 1 ? tx.raise(step, left - 1) : undefined)))
      return () => store.apply(modifyIndexOf(2), (tx) => tx.raise(step, depth))
    }
    expect(deepest(8)).not.toThrow()
    expect(deepest(9)).toThrow('without end')
  })

  it('that no hook follows is no failure', () => {
    const store = storeWith()
    expect(store.apply(modifyIndexOf(2), (tx) => tx.raise(nodeRemoved, { node: 'n1' }))).toBeUndefined()
  })
})
