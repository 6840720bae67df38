import { describe, expect, it } from 'vitest'
import { emptyBytes } from '../../../src/base/bytes.ts'
import { catalogDeregister, catalogRegister } from '../../../src/features/catalog/commands.ts'
import { catalogFeature } from '../../../src/features/catalog/feature.ts'
import { kvDelete, kvDeleteTree, kvLock, kvPut, kvUnlock } from '../../../src/features/kv/commands.ts'
import { kvFeature } from '../../../src/features/kv/feature.ts'
import { holdsTable, kvTable, lockDelaysTable } from '../../../src/features/kv/tables.ts'
import { sessionCreate, sessionDestroy } from '../../../src/features/session/commands.ts'
import { sessionFeature } from '../../../src/features/session/feature.ts'
import { sessionChecksTable, sessionsTable } from '../../../src/features/session/tables.ts'
import { transactionApply } from '../../../src/features/txn/commands.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import type { ReadTransaction, WriteTransaction } from '../../../src/store/types.ts'
import { fc } from '../../fast-check.ts'

const features = [catalogFeature, kvFeature, sessionFeature]
const runs = process.env['SVC_TEST_LONG'] === '1' ? 5000 : 150

const idOf = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`

const key = fc.constantFrom('a', 'ab', 'b')
const session = fc.nat({ max: 4 }).map(idOf)
const node = fc.constantFrom('n1', 'n2')
const delayOver = fc.constantFrom(0, 1_000_000)

const step = fc.oneof(
  fc.record({
    do: fc.constant('create' as const),
    session,
    node,
    behaviour: fc.constantFrom('release', 'delete'),
    delay: fc.constantFrom(0, 5e9),
  }),
  fc.record({ do: fc.constant('destroy' as const), session }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant('lock' as const), key, session, delayOver }) },
  fc.record({ do: fc.constant('unlock' as const), key, session }),
  fc.record({ do: fc.constant('put' as const), key }),
  fc.record({ do: fc.constant('delete' as const), key }),
  fc.record({ do: fc.constant('tree' as const), key }),
  fc.record({ do: fc.constant('check' as const), node, status: fc.constantFrom('passing', 'critical') }),
  fc.record({ do: fc.constant('leave' as const), node }),
  fc.record({
    do: fc.constant('transaction' as const),
    operations: fc.array(
      fc.record({
        verb: fc.constantFrom('lock', 'unlock', 'set', 'delete', 'check-not-exists'),
        key,
        session,
        delayOver,
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

function carryOut(tx: WriteTransaction, what: Step): void {
  const value = { value: emptyBytes, flags: 0n }
  switch (what.do) {
    case 'create': {
      // IDs are drawn anew each time: one that is there is not given again.
      if (tx.get(sessionsTable, what.session) !== undefined) return
      const ends = { name: '', ttl: '', ttlMs: 0, checks: ['alive'], lockDelayNs: what.delay }
      const behaviour = what.behaviour === 'delete' ? 'delete' : 'release'
      sessionCreate.apply(tx, { ...ends, id: what.session, node: what.node, behaviour })
      return
    }
    case 'destroy':
      sessionDestroy.apply(tx, { ids: [what.session] })
      return
    case 'lock':
      kvLock.apply(tx, { ...value, ...what })
      return
    case 'unlock':
      kvUnlock.apply(tx, { ...value, ...what })
      return
    case 'put':
      kvPut.apply(tx, { ...value, key: what.key })
      return
    case 'delete':
      kvDelete.apply(tx, { key: what.key })
      return
    case 'tree':
      kvDeleteTree.apply(tx, { prefix: what.key })
      return
    case 'check':
      register(tx, what.node, what.status)
      return
    case 'leave':
      catalogDeregister.apply(tx, { node: what.node, serviceId: '', checkId: '' })
      return
    case 'transaction':
      transactionApply.apply(tx, { operations: what.operations.map((one) => ({ ...value, index: 0n, ...one })) })
  }
}

function register(tx: WriteTransaction, name: string, status: string): void {
  const facts = { id: '', node: name, address: '10.0.0.1', taggedAddresses: null, meta: null }
  const check = { node: name, checkId: 'alive', name: 'alive', status, notes: '', output: '' }
  const checks = [{ ...check, serviceId: '', serviceName: '', serviceTags: [], definition: null }]
  catalogRegister.apply(tx, { node: facts, skipNodeUpdate: false, service: null, checks })
}

/** What holds of sessions and locks at every index. */
function problems(tx: ReadTransaction): readonly string[] {
  const found: string[] = []
  const rows = [...tx.all(kvTable)]
  const held = rows.filter((row) => row.session !== '').map((row) => `${row.session} ${row.key}`)
  const holds = [...tx.all(holdsTable)].map((row) => `${row.session} ${row.key}`)
  if (held.sort().join() !== holds.sort().join()) found.push(`keys say ${held.join()}, holds say ${holds.join()}`)
  for (const row of rows) {
    if (row.session === '') continue
    if (tx.get(sessionsTable, row.session) === undefined) found.push(`${row.key} is held by a session that is gone`)
    if (row.lockIndex === 0) found.push(`${row.key} is held with LockIndex 0`)
  }
  for (const { id, node: name, checks } of tx.all(sessionsTable)) {
    for (const checkId of checks) {
      const check = [...tx.byIndex(sessionChecksTable, 'check', `${name}\0\0${checkId}`)].map((row) => row.session)
      if (!check.includes(id)) found.push(`${id} is not found by its check`)
    }
  }
  if (tx.count(sessionChecksTable) !== tx.count(sessionsTable)) found.push('checks of sessions that are gone')
  return found
}

function newStore(): Store {
  return new Store(
    features.flatMap((feature) => feature.tables ?? []),
    { digest: true, hooks: features.flatMap((feature) => feature.hooks ?? []) },
  )
}

describe('sessions and locks, whatever is done', () => {
  it('agree with each other at every index, and survive a snapshot', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = newStore()
        let index = 1
        store.apply(modifyIndexOf(index++), (tx) => {
          register(tx, 'n1', 'passing')
          register(tx, 'n2', 'passing')
        })
        for (const what of steps) {
          store.apply(modifyIndexOf(index++), (tx) => carryOut(tx, what))
          expect(problems(store.read())).toEqual([])
        }
        const copy = newStore()
        const restore = copy.restore()
        const snapshot = store.snapshot()
        for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
        expect(restore.finish()).toMatchObject({ ok: true })
        expect(copy.digest()).toEqual(store.digest())
      }),
      { numRuns: runs },
    )
  })

  it('a key whose holder ended is locked only after the leader has said that its delay is over', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), key, (steps, wanted) => {
        const store = newStore()
        let index = 1
        store.apply(modifyIndexOf(index++), (tx) => register(tx, 'n1', 'passing'))
        for (const what of steps) store.apply(modifyIndexOf(index++), (tx) => carryOut(tx, what))
        const delay = store.read().get(lockDelaysTable, wanted)
        if (delay === undefined) return
        const outcome = store.apply(modifyIndexOf(index++), (tx) => {
          register(tx, 'n1', 'passing')
          const ends = { name: '', ttl: '', ttlMs: 0, checks: [], lockDelayNs: 0, behaviour: 'release' as const }
          sessionCreate.apply(tx, { ...ends, id: idOf(9), node: 'n1' })
          const asked = { key: wanted, value: emptyBytes, flags: 0n, session: idOf(9) }
          return kvLock.apply(tx, { ...asked, delayOver: delay.index - 1 })
        })
        expect(outcome).toEqual({ kind: 'delayed' })
      }),
      { numRuns: runs },
    )
  })
})
