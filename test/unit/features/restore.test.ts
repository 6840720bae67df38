import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { features } from '../../../src/agent/assembly/features.ts'
import { encodeCommand } from '../../../src/agent/replication/command-codec.ts'
import { ReplicatedState } from '../../../src/agent/replication/state-machine.ts'
import { concatBytes, emptyBytes, utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { CommandDefinition } from '../../../src/features/contract/command.ts'
import { ArchiveWriter } from '../../../src/features/snapshot/archive.ts'
import {
  restoreAbandon,
  restoreBegin,
  restoreCommit,
  restorePiece,
  restoreTake,
} from '../../../src/features/snapshot/commands.ts'
import { commitEndpoint } from '../../../src/features/snapshot/endpoint.ts'
import { restoreState } from '../../../src/features/snapshot/transfer.ts'
import { comingState, lastReplaced } from '../../../src/features/snapshot/views.ts'
import { logIndexOf, modifyIndexOf, noChange, termOf } from '../../../src/model/log-position.ts'
import { SnapshotWriter } from '../../../src/store/snapshot.ts'
import type { Row, TableDefinition } from '../../../src/store/types.ts'
import { emptyTable, type Version } from '../../../src/store/version.ts'
import { env, saved, textAt, told, withKeys } from './archives.ts'
import { LoneServer } from './lone-server.ts'

function archiveOf(version: Version): Uint8Array {
  const writer = new ArchiveWriter(env.crypto)
  const state = new SnapshotWriter(version)
  for (let piece = state.next(); piece !== undefined; piece = state.next()) writer.state(piece)
  return concatBytes(writer.finish(told, 0))
}

/** Of a state as its snapshot has it. */
function tablesOf(state: Uint8Array): Version['tables'] {
  const reader = new LoneServer(env).state.store.reader()
  reader.write(state)
  const version = reader.finish()
  if (!version.ok) throw new Error(version.error)
  return version.value.tables
}

function stateOf(server: LoneServer): Uint8Array {
  const [archive, parts] = [server.state.store.archive(), [] as Uint8Array[]]
  for (let piece = archive.next(); piece !== undefined; piece = archive.next()) parts.push(piece)
  return concatBytes(parts)
}

describe('a restore', () => {
  it('goes no further when its caller has gone, wherever it is', async () => {
    const archive = await saved(await withKeys({ a: 'other' }))
    for (const left of [0, 1, 2]) {
      const server = await withKeys({ a: 'x' })
      const gone: (() => void)[] = []
      let asked = 0
      const agent = Object.create(server.agent, {
        write: {
          value: (...given: Parameters<typeof server.agent.write>) => {
            if (++asked === left) for (const use of gone) use()
            return server.agent.write(...given)
          },
        },
      }) as typeof server.agent
      const call = { onAbort: (use: () => void) => (left === 0 ? use() : gone.push(use)) }
      expect(await restoreState(agent, archive, call)).toEqual(err({ kind: 'cancelled' }))
      expect(asked).toBe(left === 0 ? 0 : left + 1)
      expect([await textAt(server, 'a'), comingState(server.read()), lastReplaced(server.read())]).toEqual([
        'x',
        undefined,
        undefined,
      ])
    }
  })

  it('of a table that the leader does not know is refused with its first piece', async () => {
    const server = await withKeys({ a: 'x' })
    const before = server.index
    const definition: TableDefinition<Row> = { name: 'of-a-later-release', key: () => '', decode: () => ({}) }
    const tables = new Map([[definition.name, emptyTable(definition, false)]])
    const response = await server.request('PUT', '/v1/snapshot', archiveOf({ index: modifyIndexOf(1), tables }))
    expect(response).toMatchObject({
      failure: {
        kind: 'bad-request',
        message: 'snapshot: table of-a-later-release is unknown here: it is of a newer release',
      },
    })
    // It began, had one piece, and was abandoned: nothing was to be replaced.
    expect([server.index, await textAt(server, 'a'), lastReplaced(server.read())]).toEqual([before + 3, 'x', undefined])
  })

  it('of rows with indexes beyond that of the state is refused, and nothing is committed', async () => {
    const old = await withKeys({ a: '1', b: '2' })
    const archive = old.state.store.archive()
    const state = archive.next() ?? emptyBytes
    const server = await withKeys({ z: 'z' })
    const forged = new Map([...tablesOf(state)].map(([name, table]) => [name, { ...table, lastChange: noChange }]))
    const response = await server.request('PUT', '/v1/snapshot', archiveOf({ index: modifyIndexOf(1), tables: forged }))
    expect(response).toMatchObject({
      failure: { message: 'snapshot: table kv: a row of an index that the state has not come to' },
    })
    expect([await textAt(server, 'z'), lastReplaced(server.read())]).toEqual(['z', undefined])
  })

  it('that the leader has read stops a server that cannot, before it goes on without it', async () => {
    const archive = (await withKeys({ a: '1' })).state.store.archive()
    const bytes = archive.next() ?? emptyBytes
    const of = (more: readonly TableDefinition<Row>[]) => {
      const all = features.flatMap((feature) => feature.tables ?? [])
      const tables = all.filter(({ name }) => name !== 'prepared-queries' && name !== 'queries')
      expect(tables.length).toBeLessThan(all.length)
      return new ReplicatedState({
        tables: [...tables, ...more],
        commands: features.flatMap((feature) => feature.commands ?? []),
      })
    }
    const entries = (last: CommandDefinition<{ id: string }>) =>
      [
        encodeCommand(restoreBegin, { id: 'r', sizeBytes: bytes.length }),
        encodeCommand(restorePiece, { id: 'r', offset: 0, bytes }),
        encodeCommand(last, { id: 'r' }),
      ].map((payload, at) => ({ index: logIndexOf(at + 1), term: termOf(1), kind: 'command', payload }) as const)
    const older = of([])
    expect(() => {
      for (const entry of entries(restoreTake)) older.apply(entry)
    }).toThrow('a restored state that this release cannot read')
    const ofOldLog = of([])
    const outcomes = entries(restoreCommit).map((entry) => ofOldLog.apply(entry)?.result)
    expect(outcomes.at(-1)).toMatchObject(ok({ kind: 'refused' }))
  })

  it('is checked by a new leader when it has applied what is of its own term, and not before', async () => {
    const state = stateOf(await withKeys({ a: '1' }))
    const server = await withKeys({ z: 'z' })
    await server.context.propose(restoreBegin, { id: 'r', sizeBytes: state.length })
    const leads = async () => {
      await server.context.propose(restorePiece, { id: 'r', offset: 0, bytes: state })
      return ok(undefined)
    }
    expect(
      await commitEndpoint.serve({ ...server.context, leads }, { id: 'r' }, undefined, unrestricted),
    ).toMatchObject({ ok: true })
    expect(await textAt(server, 'a')).toBe('1')
  })

  it('is checked by a leader that has the pieces from its own snapshot alone', async () => {
    const state = stateOf(await withKeys({ a: '1', b: '2' }))
    const steady = await withKeys({ z: 'z' })
    await steady.context.propose(restoreBegin, { id: 'r', sizeBytes: state.length })
    await steady.context.propose(restorePiece, { id: 'r', offset: 0, bytes: state })
    const started = new LoneServer(env)
    const restore = started.state.restore()
    const snapshot = steady.state.snapshot()
    for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
    restore.finish()
    expect(await started.context.coming.check()).toEqual(ok(undefined))
    expect(await commitEndpoint.serve(started.context, { id: 'r' }, undefined, unrestricted)).toMatchObject({
      ok: true,
    })
    expect(await textAt(started, 'b')).toBe('2')
  })
})

describe('the steps of a restore', () => {
  it('of one that another overtakes are refused', async () => {
    const server = await withKeys({ a: 'x' })
    const { context } = server
    await context.propose(restoreBegin, { id: 'one', sizeBytes: 3 })
    await context.propose(restoreBegin, { id: 'two', sizeBytes: 3 })
    expect(await context.propose(restorePiece, { id: 'one', offset: 0, bytes: utf8('abc') })).toEqual(ok('superseded'))
    expect(await context.propose(restorePiece, { id: 'two', offset: 1, bytes: utf8('bc') })).toEqual(ok('gap'))
    expect(await context.propose(restorePiece, { id: 'two', offset: 0, bytes: utf8('abcd') })).toEqual(ok('gap'))
    expect(await context.propose(restoreCommit, { id: 'two' })).toMatchObject({ value: { kind: 'refused' } })
    expect(comingState(server.read())).toMatchObject({ id: 'two' })
    await context.propose(restoreAbandon, { id: 'one' })
    expect(comingState(server.read())).toMatchObject({ id: 'two' })
    await context.propose(restoreAbandon, { id: 'two' })
    expect(comingState(server.read())).toBeUndefined()
  })

  it('give the same on a server that read the pieces from its own snapshot, in the middle', async () => {
    const old = await withKeys({ a: '1', b: '2' })
    const state = stateOf(old)
    const half = Math.trunc(state.length / 2)
    const steady = await withKeys({ z: 'z' })
    await steady.context.propose(restoreBegin, { id: 'r', sizeBytes: state.length })
    await steady.context.propose(restorePiece, { id: 'r', offset: 0, bytes: state.slice(0, half) })
    const started = new LoneServer(env)
    const restore = started.state.restore()
    const snapshot = steady.state.snapshot()
    for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
    restore.finish()
    for (const { context } of [steady, started]) {
      await context.propose(restorePiece, { id: 'r', offset: half, bytes: state.slice(half) })
      expect(await context.propose(restoreCommit, { id: 'r' })).toMatchObject({ value: { kind: 'replaced' } })
    }
    expect(started.state.store.digest()).toEqual(steady.state.store.digest())
    expect(lastReplaced(started.read())).toEqual(lastReplaced(steady.read()))
    expect(await textAt(started, 'b')).toBe('2')
  })
})
