import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/base/bytes.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import type { ReadTransaction, Row, TableDefinition } from '../../../src/store/types.ts'
import { fc } from '../../fast-check.ts'
import { quietSamples, type Sample, sample, samples } from '../../unit/store/sample-table.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 5_000 : 100

/** Few and short, so that they collide and are prefixes of one another. */
const ids = fc.constantFrom('', 'a', 'ab', 'abc', 'abd', 'b', 'ba', '\xff', '\xff\xff', 'a\0', 'a\0b')
const groups = fc.constantFrom('', 'g', 'gh', 'g\0', 'h')

type Operation =
  | { readonly kind: 'put'; readonly id: string; readonly group: string; readonly weight: number }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'delete-prefix'; readonly prefix: string }

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('put' as const), id: ids, group: groups, weight: fc.nat(12) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: ids }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-prefix' as const), prefix: ids }) },
)

/** One command. `fails`: it throws at its end. `gap`: how much the index moves on. */
const command = fc.record({
  operations: fc.array(operation, { maxLength: 5 }),
  fails: fc.integer({ max: 9, min: 0 }).map((draw) => draw === 0),
  gap: fc.integer({ min: 1, max: 3 }),
})
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

interface ModelChange {
  readonly before: Sample | undefined
  readonly after: Sample | undefined
}

/** The same table as a plain map. */
class Model {
  rows = new Map<string, Sample>()
  lastChange = 0
  lastDeparture = 0
  lastTold = 0

  copy(): Model {
    const copy = new Model()
    copy.rows = new Map(this.rows)
    copy.lastChange = this.lastChange
    copy.lastDeparture = this.lastDeparture
    copy.lastTold = this.lastTold
    return copy
  }

  run(operations: readonly Operation[], index: number): ModelChange[] {
    const changes: ModelChange[] = []
    const set = (id: string, after: Sample | undefined): void => {
      const before = this.rows.get(id)
      if (before === undefined && after === undefined) return
      if (after === undefined) this.rows.delete(id)
      else this.rows.set(id, after)
      this.lastChange = index
      if (before !== undefined && before.group !== after?.group) this.lastDeparture = index
      changes.push({ before, after })
    }
    for (const op of operations) {
      if (op.kind === 'put') set(op.id, sample(op.id, index, op.group, op.weight))
      else if (op.kind === 'delete') set(op.id, undefined)
      else {
        for (const id of [...this.rows.keys()]) if (id.startsWith(op.prefix)) set(id, undefined)
        this.lastTold = index
        this.lastChange = index
      }
    }
    return changes
  }

  sorted(keep: (row: Sample) => boolean = () => true): Sample[] {
    return [...this.rows.values()].filter(keep).sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}

function runInStore(store: Store, given: Command, index: number): void {
  const run = () =>
    store.apply(modifyIndexOf(index), (tx) => {
      for (const op of given.operations) {
        if (op.kind === 'put') tx.put(samples, sample(op.id, index, op.group, op.weight))
        else if (op.kind === 'delete') tx.delete(samples, op.id)
        else for (const row of tx.prefix(samples, op.prefix)) tx.delete(samples, row.id)
        if (op.kind === 'delete-prefix') tx.depart(samples, 'told')
      }
      if (given.fails) throw new Error('as planned')
    })
  if (given.fails) expect(run).toThrow('as planned')
  else run()
}

/** Runs the commands on both; a command that fails leaves the model alone. */
function play(commands: readonly Command[], store: Store, model: Model): void {
  for (const given of commands) {
    const index = store.index + given.gap
    runInStore(store, given, index)
    if (!given.fails) model.run(given.operations, index)
  }
}

function newStore(): Store {
  return new Store([samples, quietSamples] as readonly TableDefinition<Row>[], { digest: true })
}

function bytesOf(store: Store): Uint8Array {
  const source = store.snapshot()
  const pieces: Uint8Array[] = []
  for (let piece = source.next(); piece !== undefined; piece = source.next()) pieces.push(piece)
  return concatBytes(pieces)
}

function expectSame(tx: ReadTransaction, model: Model): void {
  expect([...tx.all(samples)]).toEqual(model.sorted())
  expect(tx.count(samples)).toBe(model.rows.size)
  expect(tx.lastChange(samples)).toBe(model.lastChange)
  expect(tx.lastDeparture(samples, 'group')).toBe(model.lastDeparture)
  expect(tx.lastDeparture(samples, 'told')).toBe(model.lastTold)
  for (const id of ['', 'a', 'ab', 'a\0', '\xff', 'zz']) {
    expect(tx.get(samples, id)).toEqual(model.rows.get(id))
    expect([...tx.prefix(samples, id)]).toEqual(model.sorted((row) => row.id.startsWith(id)))
  }
  for (const group of ['g', 'gh', 'g\0', 'h', 'none']) {
    expect([...tx.byIndex(samples, 'group', group)]).toEqual(model.sorted((row) => row.group === group))
  }
  const byWeight = model.sorted().sort((a, b) => a.weight - b.weight)
  expect([...tx.inIndexOrder(samples, 'weight')]).toEqual(byWeight)
}

describe('the store against a plain map', () => {
  it('rows, prefixes, indexes, order and last change are those of the map after any commands', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const [store, model] = [newStore(), new Model()]
        for (const given of commands) {
          play([given], store, model)
          expectSame(store.read(), model)
        }
      }),
      { numRuns: runs },
    )
  })

  it('every reader goes on seeing its own version, however far the store has moved on', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        const [store, model] = [newStore(), new Model()]
        const kept: { readonly reader: ReadTransaction; readonly model: Model }[] = []
        for (const given of commands) {
          play([given], store, model)
          kept.push({ reader: store.read(), model: model.copy() })
        }
        for (const { reader, model: then } of kept) expectSame(reader, then)
      }),
      { numRuns: Math.ceil(runs / 2) },
    )
  })
})

describe('a store of many rows', () => {
  /** Enough for trees of several levels, whose nodes split, merge and are shared between versions. */
  const wideId = fc.nat(900).map((n) => `k${n}`)
  const wideOperation: fc.Arbitrary<Operation> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('put' as const), id: wideId, group: groups, weight: fc.nat(99) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: wideId }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-prefix' as const), prefix: wideId }) },
  )
  const wideCommand = fc.record({
    operations: fc.array(wideOperation, { minLength: 20, maxLength: 60 }),
    fails: fc.integer({ max: 4, min: 0 }).map((draw) => draw === 0),
    gap: fc.constant(1),
  })

  it('keeps its versions apart, and its indexes true', () => {
    fc.assert(
      fc.property(fc.array(wideCommand, { minLength: 5, maxLength: 15 }), (commands) => {
        const [store, model] = [newStore(), new Model()]
        const all = Array.from({ length: 900 }, (_, n) => {
          return { kind: 'put' as const, id: `k${n}`, group: n % 3 === 0 ? 'g' : 'h', weight: n % 50 }
        })
        play([{ operations: all, fails: false, gap: 1 }], store, model)
        const kept: { readonly reader: ReadTransaction; readonly model: Model }[] = []
        for (const given of commands) {
          play([given], store, model)
          kept.push({ reader: store.read(), model: model.copy() })
        }
        for (const { reader, model: then } of kept) expectSame(reader, then)
      }),
      { numRuns: Math.ceil(runs / 10) },
    )
  })
})

describe('snapshots and digests', () => {
  it('a snapshot cut anywhere restores to the same state, the same bytes and the same digest', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), fc.array(fc.nat(400)), (commands, cuts) => {
        const [store, model] = [newStore(), new Model()]
        play(commands, store, model)
        const bytes = bytesOf(store)
        const other = newStore()
        const sink = other.restore()
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        for (let i = 1; i < at.length; i++) expect(sink.write(bytes.slice(at[i - 1], at[i])).ok).toBe(true)
        expect(sink.finish().ok).toBe(true)
        expectSame(other.read(), model)
        expect(bytesOf(other)).toEqual(bytes)
        // The restored store has summed every row anew: the digest kept from command to command must be no other.
        expect(other.digest()).toEqual(store.digest())
      }),
      { numRuns: runs },
    )
  })

  it('digests are equal exactly where snapshots are', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 8 }), fc.array(command, { maxLength: 8 }), (some, others) => {
        const [one, other] = [newStore(), newStore()]
        play(some, one, new Model())
        play(others, other, new Model())
        const last = Math.max(one.index, other.index) + 1
        one.apply(modifyIndexOf(last), () => undefined)
        other.apply(modifyIndexOf(last), () => undefined)
        expect(one.digest()?.digest === other.digest()?.digest).toBe(Buffer.compare(bytesOf(one), bytesOf(other)) === 0)
      }),
      { numRuns: runs },
    )
  })
})

type Query =
  | { readonly kind: 'get' | 'prefix' | 'group'; readonly key: string }
  | { readonly kind: 'all' | 'count' | 'by-weight' }

const query: fc.Arbitrary<Query> = fc.oneof(
  fc.record({ kind: fc.constantFrom('get' as const, 'prefix' as const), key: ids }),
  fc.record({ kind: fc.constant('group' as const), key: groups }),
  fc.record({ kind: fc.constantFrom('all' as const, 'count' as const, 'by-weight' as const) }),
)

function evaluate(tx: ReadTransaction, asked: Query): unknown {
  switch (asked.kind) {
    case 'get':
      return tx.get(samples, asked.key)
    case 'prefix':
      return [...tx.prefix(samples, asked.key)]
    case 'group':
      return [...tx.byIndex(samples, 'group', asked.key)]
    case 'all':
      return [...tx.all(samples)]
    case 'count':
      return tx.count(samples)
    case 'by-weight':
      return [...tx.inIndexOrder(samples, 'weight')]
  }
}

/** Whether a row, by coming, going or being replaced, is within what the query asks for. */
function concerns(asked: Query, row: Sample): boolean {
  if (asked.kind === 'get') return row.id === asked.key
  if (asked.kind === 'prefix') return row.id.startsWith(asked.key)
  if (asked.kind === 'group') return row.group !== '' && row.group === asked.key
  return true
}

describe('parked queries', () => {
  it('are woken at the end of a batch if and only if something in their scope changed, and never miss a new result', () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 8 }),
        fc.array(query, { minLength: 1, maxLength: 12 }),
        fc.array(fc.array(command, { maxLength: 4 }), { maxLength: 4 }),
        (before, queries, batches) => {
          const [store, model] = [newStore(), new Model()]
          play(before, store, model)
          for (const batch of batches) {
            const woken: number[] = []
            const results = queries.map((asked, i) => {
              const { value, touched } = store.query((tx) => evaluate(tx, asked))
              expect(store.park(touched, () => woken.push(i)).ok).toBe(true)
              return value
            })
            const changes = batch.flatMap((given) => {
              const index = store.index + given.gap
              runInStore(store, given, index)
              return given.fails ? [] : model.run(given.operations, index)
            })
            expect(woken).toEqual([])
            store.committed()
            const touchedRows = changes
              .flatMap(({ before: old, after }) => [old, after])
              .filter((row) => row !== undefined)
            for (const [i, asked] of queries.entries()) {
              const concerned = touchedRows.some((row) => concerns(asked, row))
              expect(woken.filter((other) => other === i).length).toBe(concerned ? 1 : 0)
              const now = evaluate(store.read(), asked)
              if (JSON.stringify(now) !== JSON.stringify(results[i])) expect(woken).toContain(i)
            }
            expect(woken).toEqual([...woken].sort((a, b) => a - b))
            // Those left are dropped by a restore, which wakes them all.
            const left = store.waiting
            expect(left).toBe(queries.length - woken.length)
            const sink = store.restore()
            sink.write(bytesOf(store))
            sink.finish()
            expect(woken.length).toBe(queries.length)
            expect(store.waiting).toBe(0)
          }
        },
      ),
      { numRuns: runs },
    )
  })
})
