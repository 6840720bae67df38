import { describe, expect, it } from 'vitest'
import type { IssuedLeaf } from '../../../src/features/connect/model.ts'
import * as views from '../../../src/features/connect/views.ts'
import { fc } from '../../fast-check.ts'
import { AuthorityWorld, anotherKey, certificatesOf, hourMs, refusal } from '../../unit/features/authority-world.ts'

/** Commands of a rotation and of a leaf, after each of which a leader may be lost. */
const kinds = [
  'connect.update',
  'connect.serials',
  'connect.rotation-requested',
  'connect.rotation-crossed',
  'connect.rotation-activate',
  'connect.leaves',
  'connect.prune',
] as const

const move = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('sign' as const), service: fc.constantFrom('web', 'db') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rotate' as const), hours: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('two rotations' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('shorten' as const), hours: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 150 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('lose' as const), after: fc.constantFrom(...kinds) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('change' as const), wrongByMs: fc.integer({ min: -6e4, max: 6e4 }) }),
  },
)
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never

const cases = process.env['SVC_TEST_LONG'] === '1' ? 1_000 : 6

/** Everything that was handed out, and what must hold of it. */
class Mesh {
  readonly world: AuthorityWorld
  readonly leaves: IssuedLeaf[] = []
  #sequence = 0

  constructor(world: AuthorityWorld) {
    this.world = world
  }

  async move(next: Move): Promise<void> {
    const { world } = this
    switch (next.do) {
      case 'sign': {
        const leaf = await world.sign(next.service)
        if (leaf.ok) this.#given(leaf.value)
        return
      }
      case 'rotate':
        return this.#update({ LeafCertTTL: `${next.hours}h`, PrivateKey: anotherKey() })
      case 'two rotations':
        await Promise.all([this.#update({ PrivateKey: anotherKey() }), this.#update({ PrivateKey: anotherKey() })])
        return
      case 'shorten': {
        const now = views.authorityOf(world.server.read())?.options ?? {}
        return this.#update({ ...now, LeafCertTTL: `${next.hours}h` })
      }
      case 'wait':
        return world.advance(next.minutes * 60_000)
      case 'lose':
        world.crashAfter = next.after
        return
      case 'change':
        world.wrongByMs = next.wrongByMs
        world.change()
        return world.rest()
    }
  }

  async #update(options: Parameters<AuthorityWorld['update']>[0]): Promise<void> {
    const done = await this.world.update(options, { identity: { origin: 'a', sequence: ++this.#sequence } })
    if (!done.ok) expect(['refused', 'bad-request']).toContain(done.error.kind)
  }

  /** A verifier that trusts any one of the listed roots accepts a new leaf. */
  #given(leaf: IssuedLeaf): void {
    const { world } = this
    this.leaves.push(leaf)
    for (const root of world.roots) expect(refusal(leaf, [root], world.nowMs)).toBeUndefined()
    const [certificate, ...behind] = certificatesOf(leaf.certificates)
    for (const above of behind) expect(certificate?.notAfterMs).toBeLessThanOrEqual(above.notAfterMs)
    expect(certificate?.notAfterMs).toBe(leaf.notAfterMs)
  }

  check(): void {
    const { world } = this
    expect(world.roots.filter(({ active }) => active)).toHaveLength(1)
    const open = [...views.allRotations(world.server.read())].filter(views.isOpen)
    expect(open.length).toBeLessThanOrEqual(1)
    const listed = new Set(world.roots.map(({ id }) => id))
    for (const leaf of this.leaves) if (leaf.notAfterMs >= world.nowMs) expect(listed).toContain(leaf.rootId)
    for (const crossing of views.allCrossings(world.server.read())) {
      expect(views.lastLeafExpiry(world.server.read(), crossing.byRootId) ?? 0).toBeLessThanOrEqual(crossing.notAfterMs)
    }
  }

  /** Beyond so many roots that leaves lead back to, a rotation waits until a leaf has run out. */
  async room(): Promise<void> {
    const { world } = this
    if (views.openRotation(world.server.read()) === undefined) return
    const beginsMs = world.forecast().rotation?.beginsMs ?? 0
    expect(beginsMs).toBeGreaterThan(world.nowMs)
    await world.advance(beginsMs - world.nowMs + 2 * 60_000)
  }

  uniqueSerials(): void {
    const crossings = [...views.allCrossings(this.world.server.read())].flatMap(({ certificates }) => certificates)
    const authorities = [...this.world.roots.map(({ certificate }) => certificate), ...crossings].flatMap(
      certificatesOf,
    )
    const all = [
      ...this.leaves.map(({ certificates }) => certificatesOf(certificates)[0]?.serial),
      ...authorities.map(({ serial }) => serial),
    ]
    expect(new Set(all).size).toBe(all.length)
  }
}

describe('the authority, whatever comes in whatever order', () => {
  it('has one active root, keeps every root for as long as its leaves live, and leads back to each that is listed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
        const mesh = new Mesh(await AuthorityWorld.begun({ LeafCertTTL: '2h' }))
        for (const next of moves) {
          await mesh.move(next)
          mesh.check()
        }
        await mesh.world.advance(2 * 60_000)
        await mesh.room()
        expect(views.openRotation(mesh.world.server.read())).toBeUndefined()
        await mesh.world.advance(hourMs * 76)
        expect(mesh.world.roots).toHaveLength(1)
        mesh.uniqueSerials()
      }),
      { numRuns: cases },
    )
  })
})
