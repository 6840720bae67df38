import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import { takeSerialNumbers } from '../../../src/features/connect/commands.ts'
import { signIntermediateEndpoint } from '../../../src/features/connect/federation/intermediates.ts'
import type { IssuedLeaf } from '../../../src/features/connect/model.ts'
import { firstSerial } from '../../../src/features/connect/restoring.ts'
import * as views from '../../../src/features/connect/views.ts'
import { restoreBegin, restorePiece, restoreTake } from '../../../src/features/snapshot/commands.ts'
import { AuthorityWorld, anotherKey, certificatesOf, granted, hourMs, refusal, trustDomain } from './authority-world.ts'
import { knownThere } from './two-datacenters.ts'

const minuteMs = 60_000

function saved(world: AuthorityWorld): Uint8Array {
  const archive = world.server.state.store.archive()
  const pieces: Uint8Array[] = []
  for (let piece = archive.next(); piece !== undefined; piece = archive.next()) pieces.push(piece)
  return concatBytes(pieces)
}

interface Wishes {
  readonly drawn?: number
  /** As in earlier logs: without the time, and without drawn values. */
  readonly asBefore?: boolean
}

/** Puts it back as a leader does, whose duties begin anew. */
async function putBack(world: AuthorityWorld, bytes: Uint8Array, { drawn = 7, asBefore }: Wishes = {}): Promise<void> {
  const { context } = world.server
  await context.propose(restoreBegin, { id: 'r', sizeBytes: bytes.length })
  await context.propose(restorePiece, { id: 'r', offset: 0, bytes })
  const by = { nowMs: world.nowMs, drawn: new Uint8Array(16).fill(drawn) }
  const taken = await context.propose(restoreTake, { id: 'r', ...(asBefore === true ? {} : { by }) })
  expect(taken).toMatchObject({ value: { kind: 'replaced' } })
  world.change()
  await world.rest()
}

const serialOf = (leaf: IssuedLeaf): bigint => certificatesOf(leaf.certificates)[0]?.serial ?? 0n

async function serials(world: AuthorityWorld, count: number): Promise<readonly bigint[]> {
  const all: bigint[] = []
  for (let n = 0; n < count; n++) all.push(serialOf(granted(await world.sign('web'))))
  return all
}

describe('a snapshot that is put back', () => {
  it('lets no serial number come twice that was given since it was saved', async () => {
    const world = await AuthorityWorld.begun()
    const archive = saved(world)
    const before = await serials(world, 3)
    await putBack(world, archive)
    const after = await serials(world, 3)
    expect(new Set([...before, ...after]).size).toBe(6)
    await putBack(world, archive, { drawn: 8 })
    const later = await serials(world, 3)
    expect(new Set([...before, ...after, ...later]).size).toBe(9)
    expect(later.map((serial) => serial - (later[0] ?? 0n))).toEqual([0n, 1n, 2n])
  })

  it('nor in a cluster of new servers, that has its root and knows nothing of what was given', async () => {
    const world = await AuthorityWorld.begun()
    await serials(world, 2)
    const archive = saved(world)
    const before = await serials(world, 3)
    const others = new AuthorityWorld()
    await putBack(others, archive)
    expect(others.roots.map(({ id }) => id)).toEqual(world.roots.map(({ id }) => id))
    const after = await serials(others, 3)
    expect(new Set([...before, ...after]).size).toBe(6)
  })

  it('counts on from what was drawn over a save and a start', async () => {
    const world = await AuthorityWorld.begun()
    await putBack(world, saved(world))
    const [first = 0n] = await serials(world, 1)
    expect(first).toBe(firstSerial(new Uint8Array(16).fill(7)))
    const again = new AuthorityWorld()
    const restore = again.server.state.restore()
    const snapshot = world.server.state.snapshot()
    for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
    expect(restore.finish()).toEqual(ok(undefined))
    expect(views.restoredOf(again.server.read())).toEqual(views.restoredOf(world.server.read()))
    expect(await again.server.context.propose(takeSerialNumbers, { count: 2 })).toEqual(
      ok({ first: String(first + 1n) }),
    )
    expect(await again.server.context.propose(takeSerialNumbers, { count: 1 })).toEqual(
      ok({ first: String(first + 3n) }),
    )
  })

  it('begins numbers between 2^61 and 2^62, whatever is drawn', () => {
    expect(firstSerial(new Uint8Array(16))).toBe(1n << 61n)
    expect(firstSerial(new Uint8Array(16).fill(255))).toBe((1n << 62n) - 1n)
  })

  it('takes no root out before leaves that it does not know of have expired', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '2h' })
    const [first] = world.roots
    const archive = saved(world)
    await world.advance(90 * minuteMs)
    const leaf = granted(await world.sign('web'))
    await putBack(world, archive)
    expect(await world.update({ LeafCertTTL: '2h', PrivateKey: anotherKey() })).toEqual(ok(true))
    while (world.nowMs < leaf.notAfterMs - minuteMs) {
      expect(world.roots.map(({ id }) => id)).toContain(first?.id)
      expect(refusal(leaf, world.roots, world.nowMs)).toBeUndefined()
      await world.advance(Math.min(10 * minuteMs, leaf.notAfterMs - minuteMs - world.nowMs))
    }
    await world.advance(10 * minuteMs)
    expect(world.roots.map(({ id }) => id)).not.toContain(first?.id)
  })

  it('nor does one that was put into new servers, where leaves have become shorter since, and the root another', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '8h' })
    const archive = saved(world)
    await world.advance(hourMs)
    const leaf = granted(await world.sign('web'))
    const others = new AuthorityWorld()
    await others.advance(hourMs)
    await putBack(others, archive)
    expect(await others.update({ LeafCertTTL: '1h' })).toEqual(ok(true))
    expect(await others.update({ LeafCertTTL: '1h', PrivateKey: anotherKey() })).toEqual(ok(true))
    await others.advance(leaf.notAfterMs - others.nowMs - minuteMs)
    expect(refusal(leaf, others.roots, others.nowMs)).toBeUndefined()
    await others.advance(2 * hourMs)
    expect(others.roots).toHaveLength(1)
  })

  it('counts in authorities of other datacenters, which live longer than a leaf, though none was signed here', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '2h' })
    world.server.wanView = knownThere
    const csr = world.csr([`spiffe://${trustDomain}`], true)
    const signed = await world.server.agent.write(signIntermediateEndpoint, { csr, datacenter: 'dc2' }, {})
    expect(signed).toMatchObject({ ok: true })
    const others = new AuthorityWorld()
    await others.advance(hourMs)
    await putBack(others, saved(world))
    expect(views.restoredOf(others.server.read())?.leavesUntilMs).toBe(others.nowMs + 6 * hourMs)
  })

  it('keeps what was known of leaves that live longer than any of its own time', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '2h' })
    const archive = saved(world)
    expect(await world.update({ LeafCertTTL: '9h' })).toEqual(ok(true))
    const leaf = granted(await world.sign('web'))
    await putBack(world, archive)
    // A second one does not forget what the first has kept.
    await putBack(world, archive, { drawn: 9 })
    expect(views.restoredOf(world.server.read())?.leavesUntilMs).toBeGreaterThanOrEqual(leaf.notAfterMs)
  })

  it('loses roots made since, and the leader says which; leaves of theirs are accepted by the crossing they carry', async () => {
    const world = await AuthorityWorld.begun()
    granted(await world.sign('api'))
    const archive = saved(world)
    const [first] = world.roots
    expect(await world.update({ PrivateKey: anotherKey() })).toEqual(ok(true))
    const lost = world.active.id
    const leaf = granted(await world.sign('web'))
    await putBack(world, archive)
    expect(world.roots.map(({ id, active }) => [id, active])).toEqual([[first?.id, true]])
    expect(refusal(leaf, world.roots, world.nowMs)).toBeUndefined()
    const told = world.logged.filter(({ text }) => text.startsWith('a snapshot was restored'))
    expect(told).toMatchObject([{ fields: { roots_lost: lost } }])
    world.change()
    await world.advance(80 * hourMs)
    const before = world.logged.length
    world.change()
    await world.rest()
    expect(
      world.logged
        .slice(before)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('a snapshot was restored')
  })

  it('by a command of a log of before is as it was then: everything begins where the snapshot stood', async () => {
    const world = await AuthorityWorld.begun()
    const archive = saved(world)
    const before = await serials(world, 1)
    await putBack(world, archive, { asBefore: true })
    expect(await serials(world, 1)).toEqual(before)
    expect(views.restoredOf(world.server.read())).toBeUndefined()
  })
})
