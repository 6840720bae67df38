import { describe, expect, it } from 'vitest'
import { concatBytes, emptyBytes, textOf, utf8 } from '../../../src/base/bytes.ts'
import { GzipWriter } from '../../../src/base/gzip.ts'
import { ok } from '../../../src/base/result.ts'
import { tarHeader } from '../../../src/base/tar.ts'
import { ArchiveReader, ArchiveWriter } from '../../../src/features/snapshot/archive.ts'
import { restoreAbandon, restoreBegin, restoreCommit, restorePiece } from '../../../src/features/snapshot/commands.ts'
import { stateBytesMax } from '../../../src/features/snapshot/model.ts'
import { comingState, lastReplaced } from '../../../src/features/snapshot/views.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { SnapshotWriter } from '../../../src/store/snapshot.ts'
import { LoneServer } from './lone-server.ts'

const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

async function withKeys(keys: Readonly<Record<string, string>>): Promise<LoneServer> {
  const server = new LoneServer(env)
  for (const [key, value] of Object.entries(keys)) await server.request('PUT', `/v1/kv/${key}`, value)
  return server
}

async function saved(server: LoneServer): Promise<Uint8Array> {
  const response = await server.request('GET', '/v1/snapshot')
  if (response.kind !== 'bytes') throw new Error(JSON.stringify(response))
  expect(response).toMatchObject({
    contentType: 'application/x-gzip',
    meta: { index: server.index, knownLeader: true },
  })
  return response.bytes
}

async function textAt(server: LoneServer, key: string): Promise<string | undefined> {
  const response = await server.request('GET', `/v1/kv/${key}?raw`)
  return response.kind === 'bytes' ? textOf(response.bytes) : undefined
}

function stateOf(server: LoneServer): Uint8Array {
  const [archive, parts] = [server.state.store.archive(), [] as Uint8Array[]]
  for (let piece = archive.next(); piece !== undefined; piece = archive.next()) parts.push(piece)
  return concatBytes(parts)
}

describe('a snapshot', () => {
  it('put back is the whole state as it was, and nothing of what came after', async () => {
    const server = await withKeys({ a: 'before', b: 'gone later' })
    const archive = await saved(server)
    await server.request('PUT', '/v1/kv/a', 'after')
    await server.request('DELETE', '/v1/kv/b')
    await server.request('PUT', '/v1/kv/c', 'new')
    expect(await server.request('PUT', '/v1/snapshot', archive)).toEqual({ kind: 'empty', status: 200 })
    expect(await Promise.all(['a', 'b', 'c'].map((key) => textAt(server, key)))).toEqual([
      'before',
      'gone later',
      undefined,
    ])
    const read = await server.request('GET', '/v1/kv/a')
    expect(read).toMatchObject({ value: [{ CreateIndex: 1, ModifyIndex: 1 }] })
  })

  it('of a longer log brings its indexes: the next one is above both', async () => {
    const old = await withKeys(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'x'])))
    const archive = await saved(old)
    const server = await withKeys({ other: 'cluster' })
    await server.request('PUT', '/v1/snapshot', archive)
    expect(server.index).toBe(51)
    await server.request('PUT', '/v1/kv/k0', 'y')
    expect(await server.request('GET', '/v1/kv/k0')).toMatchObject({ value: [{ CreateIndex: 1, ModifyIndex: 52 }] })
    expect(await textAt(server, 'other')).toBeUndefined()
  })

  it('keeps no result older than the moment at which it was put back, and wakes who waits', async () => {
    const server = await withKeys({ a: 'x' })
    const archive = await saved(server)
    const { store } = server.state
    await server.request('PUT', '/v1/kv/a', 'y')
    let woken = 0
    const parked = store.park(store.query((tx) => tx.index).touched, () => woken++)
    expect(parked.ok).toBe(true)
    await server.request('PUT', '/v1/snapshot', archive)
    expect(woken).toBe(1)
    expect(store.floor).toBe(server.index)
  })

  it('survives a start: what is restored from a Raft snapshot goes on with the same indexes', async () => {
    const old = await withKeys({ a: '1', b: '2', c: '3', d: '4', e: '5', f: '6', g: '7', h: '8', i: '9' })
    const server = await withKeys({})
    await server.request('PUT', '/v1/snapshot', await saved(old))
    const again = new LoneServer(env)
    const restore = again.state.restore()
    const snapshot = server.state.snapshot()
    for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
    expect(restore.finish()).toEqual(ok(undefined))
    expect([again.index, again.state.store.floor]).toEqual([server.index, server.state.store.floor])
    expect(again.state.store.digest()).toEqual(server.state.store.digest())
  })

  it.each([
    ['not a snapshot', 'failed to decompress snapshot: gzip: invalid header'],
    ['', 'failed to decompress snapshot: EOF'],
  ])('that is none, %j, is refused and changes nothing', async (body, message) => {
    const server = await withKeys({ a: 'x' })
    const before = server.index
    expect(await server.request('PUT', '/v1/snapshot', body)).toEqual({
      kind: 'failure',
      failure: { kind: 'bad-request', message },
    })
    expect(server.index).toBe(before)
  })

  it('with one byte changed anywhere is refused before anything is written, or is the same state', async () => {
    const server = await withKeys({ a: 'x', b: 'y' })
    const archive = await saved(server)
    const before = server.state.store.digest()
    for (let at = 0; at < archive.length; at += 7) {
      const bad = archive.slice()
      bad[at] = (bad[at] as number) ^ 0x41
      const response = await server.request('PUT', '/v1/snapshot', bad)
      if (response.kind === 'empty') expect(await textAt(server, 'a')).toBe('x')
      else expect([at, server.state.store.digest()]).toEqual([at, before])
      if (response.kind === 'empty') break
    }
  })

  it('whose state is not one is refused by every server at the last step, with the state as it was', async () => {
    const server = await withKeys({ a: 'x' })
    const writer = new ArchiveWriter(env.crypto)
    writer.state(utf8('rubbish that has a right checksum'))
    const told = { id: '1-1-1', index: 1, term: 1, configurationIndex: 1, servers: [] }
    const response = await server.request('PUT', '/v1/snapshot', writer.finish(told, 0))
    expect(response).toMatchObject({ kind: 'failure', failure: { kind: 'bad-request' } })
    expect(await textAt(server, 'a')).toBe('x')
    expect(comingState(server.read())).toBeUndefined()
  })

  it('whose indexes are beyond those of any log is refused at the last step, with the state as it was', async () => {
    const server = await withKeys({ a: 'x' })
    const writer = new ArchiveWriter(env.crypto)
    const state = new SnapshotWriter({ index: Number.MAX_SAFE_INTEGER, tables: new Map() }).next()
    writer.state(state ?? emptyBytes)
    const told = { id: '1-1-1', index: 1, term: 1, configurationIndex: 1, servers: [] }
    expect(await server.request('PUT', '/v1/snapshot', writer.finish(told, 0))).toMatchObject({
      kind: 'failure',
      failure: { kind: 'bad-request', message: 'snapshot: an index that no log has' },
    })
    expect([await textAt(server, 'a'), lastReplaced(server.read())]).toEqual(['x', undefined])
  })

  it('says no more than so many at a time, and a bad place of reading', async () => {
    const server = await withKeys({ a: 'x' })
    const { archives } = server.context
    const opened = [1, 2, 3, 4].map(() => archives.open())
    expect(archives.open()).toMatchObject({ ok: false, error: { kind: 'overloaded' } })
    const [first] = opened
    if (first?.ok !== true) throw new Error('not open')
    expect(archives.next(first.value.id, 5)).toMatchObject({ ok: false })
    const piece = archives.next(first.value.id, 0)
    expect(archives.next(first.value.id, 0)).toEqual(piece)
    expect(archives.next(first.value.id, piece.ok ? piece.value.length : 0)).toEqual(ok(new Uint8Array(0)))
    expect(archives.open()).toMatchObject({ ok: true })
    for (const each of opened) if (each.ok) archives.next(each.value.id, 0)
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

function readToEnd(archive: Uint8Array) {
  const reader = new ArchiveReader(env.crypto, archive)
  let read = reader.step()
  while (read === undefined) read = reader.step()
  return read
}

function gzipped(parts: readonly Uint8Array[]): Uint8Array {
  const gzip = new GzipWriter()
  return concatBytes([...parts.map((part) => gzip.push(part)), gzip.end()])
}

describe('an archive', () => {
  it('that says of its state that it is longer than any is refused at its first piece', () => {
    const header = tarHeader('state.bin', stateBytesMax + 1, 0)
    const reader = new ArchiveReader(env.crypto, gzipped([header, new Uint8Array(512)]))
    expect(reader.step()).toMatchObject({
      ok: false,
      error: 'failed to read snapshot file: state.bin exceeds 1073741824 bytes',
    })
  })

  it('is filled up behind its end by some who write one, but not without end', async () => {
    const archive = await saved(await withKeys({ a: 'x' }))
    const filled = (blocks: number) => concatBytes([archive, gzipped([new Uint8Array(blocks * 512)])])
    expect(readToEnd(filled(20))).toMatchObject({ ok: true, value: { index: 1 } })
    expect(readToEnd(filled(4_096))).toEqual({
      ok: false,
      error: 'failed to read snapshot file: failed reading snapshot: too much behind its end',
    })
  })

  it('is a tar of three files that tar itself reads, with sums that hold', async () => {
    const archive = await saved(await withKeys({ a: 'x' }))
    const reader = new ArchiveReader(env.crypto, archive)
    let read = reader.step()
    while (read === undefined) read = reader.step()
    expect(read).toMatchObject({ ok: true, value: { index: 1, term: 2, servers: [{ id: 'id-a', voter: true }] } })
  })
})
