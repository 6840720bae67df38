import { describe, expect, it } from 'vitest'
import { OpenStates } from '../../../src/agent/replication/open-states.ts'
import { concatBytes, emptyBytes, utf8 } from '../../../src/base/bytes.ts'
import { GzipWriter } from '../../../src/base/gzip.ts'
import { err, ok } from '../../../src/base/result.ts'
import { tarHeader } from '../../../src/base/tar.ts'
import { ArchiveReader, ArchiveWriter } from '../../../src/features/snapshot/archive.ts'
import { stateBytesMax } from '../../../src/features/snapshot/model.ts'
import { saveState } from '../../../src/features/snapshot/transfer.ts'
import { comingState, lastReplaced } from '../../../src/features/snapshot/views.ts'
import { modifyIndexOf, noChange } from '../../../src/model/log-position.ts'
import { SnapshotWriter } from '../../../src/store/snapshot.ts'
import { env, saved, textAt, told, withKeys } from './archives.ts'
import { LoneServer } from './lone-server.ts'

const anyRead = { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' } as const

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

  it('keeps no result older than the restore, and wakes waiting reads', async () => {
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

  it('survives a start: what is restored from a Raft snapshot continues with the same indexes', async () => {
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
    const response = await server.request('PUT', '/v1/snapshot', concatBytes(writer.finish(told, 0)))
    expect(response).toMatchObject({ kind: 'failure', failure: { kind: 'bad-request' } })
    expect(await textAt(server, 'a')).toBe('x')
    expect(comingState(server.read())).toBeUndefined()
  })

  it('whose indexes are beyond those of any log is refused at the last step, with the state as it was', async () => {
    const server = await withKeys({ a: 'x' })
    const writer = new ArchiveWriter(env.crypto)
    const state = new SnapshotWriter({ index: modifyIndexOf(Number.MAX_SAFE_INTEGER), tables: new Map() }).next()
    writer.state(state ?? emptyBytes)
    expect(await server.request('PUT', '/v1/snapshot', concatBytes(writer.finish(told, 0)))).toMatchObject({
      kind: 'failure',
      failure: { kind: 'bad-request', message: 'snapshot: its index is outside the range of a log' },
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

describe('a state that one reads', () => {
  it('is closed when no further piece is read, even if a caller asks for the same piece again and again', async () => {
    const timers: { readonly afterMs: number; readonly use: () => void; closed: boolean }[] = []
    let nowMs = 0
    const timed = {
      ...env,
      clock: { ...env.clock, monoMs: () => nowMs },
      timers: {
        after: (afterMs: number, use: () => void) => {
          const timer = { afterMs, use, closed: false }
          timers.push(timer)
          return {
            close: () => {
              timer.closed = true
            },
          }
        },
      },
    } as unknown as typeof env
    const { store } = (await withKeys({ a: 'x' })).state
    const states = new OpenStates(timed, store)
    const opened = [1, 2, 3, 4].map(() => states.open())
    const [first] = opened
    if (first?.ok !== true) throw new Error('not open')
    states.next(first.value.id, 0)
    const running = () => timers.filter(({ closed }) => !closed).length
    expect(running()).toBe(4)
    for (let n = 0; n < 10; n++) states.next(first.value.id, 0)
    expect(timers).toHaveLength(5)
    // All places are taken: the one that was opened first makes room, but not before its time.
    nowMs = 299_999
    expect(states.open()).toMatchObject({ ok: false, error: { kind: 'overloaded' } })
    nowMs = 300_000
    expect(states.open()).toMatchObject({ ok: true })
    expect(states.next(first.value.id, 0)).toMatchObject({ ok: false })
    states.close('nobody has opened this one')
    for (const each of opened.slice(1)) if (each.ok) states.close(each.value.id)
    expect(running()).toBe(1)
    states.stop()
  })

  it('gives its last answer again to a reader that did not get it, and keeps no state open for that', async () => {
    let running = 0
    const after = () => {
      running += 1
      return { close: () => (running -= 1) }
    }
    const timed = { ...env, timers: { after } } as unknown as typeof env
    const states = new OpenStates(timed, (await withKeys({ a: 'x' })).state.store)
    const opened = states.open()
    if (!opened.ok) throw new Error('not open')
    let offset = 0
    for (;;) {
      const piece = states.next(opened.value.id, offset)
      if (!piece.ok) throw new Error('not read')
      if (piece.value.length === 0) break
      offset += piece.value.length
    }
    expect(running).toBe(0)
    expect(states.next(opened.value.id, offset)).toEqual(ok(emptyBytes))
    expect(states.next(opened.value.id, 0)).toMatchObject({ ok: false })
  })

  it('is closed when its caller has gone', async () => {
    const server = await withKeys({ a: 'x' })
    for (let n = 0; n < 6; n++) {
      const gone = await saveState(server.agent, anyRead, { onAbort: (use) => use() })
      expect(gone).toEqual(err({ kind: 'cancelled' }))
    }
    expect(await saveState(server.agent, anyRead, {})).toMatchObject({ ok: true })
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
  it('is read step by step also where it is all members without a byte', () => {
    const empty = concatBytes(Array.from({ length: 3_200 }, () => gzipped([])))
    const reader = new ArchiveReader(env.crypto, empty)
    let steps = 0
    while (reader.step() === undefined) steps++
    expect(steps).toBeGreaterThanOrEqual(100)
  })

  it('that says of its state that it is longer than any is refused at its first piece', () => {
    const header = tarHeader('state.bin', stateBytesMax + 1, 0)
    const reader = new ArchiveReader(env.crypto, gzipped([header, new Uint8Array(512)]))
    expect(reader.step()).toMatchObject({
      ok: false,
      error: 'failed to read snapshot file: state.bin exceeds 1073741824 bytes',
    })
  })

  it('is padded after its end by some writers, but not without end', async () => {
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
