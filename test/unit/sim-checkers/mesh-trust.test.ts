import { describe, expect, it } from 'vitest'
import { begun, type Card, crossing, leaf, meshWorld, pem, root, rotated } from './mesh-world.ts'

describe('C1, every chain that is out', () => {
  it('is accepted before, during and after a rotation that carries its crossings', () => {
    const { laws, lines, until, state } = begun()
    until(100)
    state(rotated)
    laws.given('db at c2', 'db', pem(leaf(2, 'R2', 80, 3_700, { service: 'db' }), crossing(2)), 'key')
    until(3_650)
    state([root(2, true)])
    until(4_000)
    expect(lines).toEqual([])
  })

  it('is found out when a new leaf comes without its crossing', () => {
    const { laws, lines, state } = begun()
    state(rotated)
    laws.given('db at c2', 'db', pem(leaf(2, 'R2', -20, 3_600, { service: 'db' })), 'key')
    expect(lines).toEqual([
      'C1: an agent that has the roots of 0.000s (1) does not accept leaf 2 of db at c2 at -10.000s: nobody signed it',
      'C1: an agent that has the roots of 0.000s (1) does not accept leaf 2 of db at c2 at 10.000s: nobody signed it',
    ])
  })

  it('is found out when a root goes before the last leaf of it', () => {
    const { lines, until, state } = begun()
    state(rotated)
    until(3_500)
    state([root(2, true)])
    expect(lines[0]).toBe('C3: root 1 was removed, and a leaf of it lives until 3600.000s')
    expect(lines[1]).toMatch(/^C1: an agent that has the roots of 3500\.000s \(2\) does not accept leaf 1 of web at c1/)
  })

  it('is found out when a root goes before the last leaf that a datacenter below it has signed', () => {
    const { laws, lines, until, state } = meshWorld()
    state([root(1, true)])
    const below: Card = { serial: '77', key: 'D2', by: 'R1', fromS: -20, toS: 50_000 }
    laws.given('web at c1', 'web', pem(leaf(1, 'D2', -20, 3_600, { service: 'web' }), below), 'key')
    state(rotated)
    until(3_500)
    state([root(2, true)])
    expect(lines[0]).toBe('C3: root 1 was removed, and a leaf of it lives until 3600.000s')
  })

  it('and when such a leaf outlives the root', () => {
    const { laws, lines, state } = meshWorld()
    state([root(1, true, [], { toS: 3_000 })])
    const below: Card = { serial: '77', key: 'D2', by: 'R1', fromS: -20, toS: 50_000 }
    laws.given('web at c1', 'web', pem(leaf(1, 'D2', -20, 3_600, { service: 'web' }), below), 'key')
    expect(lines).toContain(
      'C6: leaf 1 of web at c1 outlives R1, serial 100, which is sent with it: until 3600.000s, and 3000.000s',
    )
  })

  it('is found out when a crossing ends before the verifiers that need it, at that moment', () => {
    const { laws, lines, until, state } = begun()
    const short = crossing(2, { toS: 1_000 })
    state([root(1, false), root(2, true, [short])])
    laws.given('db at c2', 'db', pem(leaf(2, 'R2', -20, 3_600, { service: 'db' }), short), 'key')
    expect(lines.filter((line) => line.startsWith('C1'))).toEqual([])
    until(1_002)
    expect(lines.filter((line) => line.startsWith('C1'))[0]).toMatch(
      /does not accept leaf 2 of db at c2 at 1009\.000s: not now/,
    )
  })

  it('is found out when a leaf is not valid yet for a slow clock', () => {
    const { laws, lines } = begun()
    laws.given('db at c2', 'db', pem(leaf(2, 'R1', 0, 3_600, { service: 'db' })), 'key')
    expect(lines).toEqual([
      'C6: leaf 2 of db at c2 is valid from 0.000s: a slow clock does not accept it yet',
      'C1: an agent that has the roots of 0.000s (1) does not accept leaf 2 of db at c2 at -10.000s: not now',
    ])
  })

  it('is not asked of verifiers that could have roots only if they had been without a leaf', () => {
    const { laws, lines, until, state } = begun()
    until(100)
    state(rotated)
    until(3_700)
    state([root(2, true)])
    laws.given('db at c2', 'db', pem(leaf(2, 'R2', 3_680, 7_000, { service: 'db' })), 'key')
    expect(lines).toEqual([])
  })

  it('is owed nothing once it has expired, however late it is seen', () => {
    const { laws, lines, until } = begun()
    until(100)
    laws.given('db at c2', 'db', pem(leaf(2, 'R1', -20, 50, { service: 'db' })), 'key')
    expect(lines).toEqual([])
  })

  it('names the key that signed it', () => {
    const { laws, lines } = begun()
    laws.given('db at c2', 'db', pem(leaf(2, 'R1', -20, 3_600, { service: 'db', issuerKeyId: 'another' })), 'key')
    expect(lines).toEqual(['C1: leaf 2 of db at c2 names a signer key that no known certificate has'])
  })

  it('is for the service that it was asked for', () => {
    const { laws, lines } = begun()
    laws.given('db at c2', 'db', pem(leaf(2, 'R1', -20, 3_600, { service: 'web' })), 'key')
    expect(lines).toEqual(['C1: db at c2 was given leaf 2, which is for spiffe://mesh.svc/ns/default/dc/dc1/svc/web'])
  })

  it('can be read', () => {
    const { laws, lines } = begun()
    expect(laws.given('db at c2', 'db', 'junk', 'key')).toBeUndefined()
    expect(lines).toEqual(['C1: db at c2 was given a leaf that cannot be read'])
  })
})

describe('C1, connections of proxies', () => {
  function two() {
    const world = begun()
    const { laws, wallMs } = world
    const end = (name: string, cards: readonly Card[], roots: readonly number[], clockMs = 0) => {
      const held = laws.given(name, name, pem(...cards.map((card) => ({ ...card, service: name }))), `key of ${name}`)
      const listed = roots.map((n) => ({
        id: `r${n}`,
        active: n === Math.max(...roots),
        certificate: root(n, true).certificate,
        intermediates: rotated.find(({ id }) => id === `r${n}`)?.intermediates ?? [],
      }))
      const told = laws.told('c1', `r${Math.max(...roots)}`, listed)
      if (held === undefined) throw new Error('unreadable')
      return () => ({ name, leaf: held, roots: told, wallMs: wallMs() + clockMs })
    }
    return { ...world, end }
  }

  it('are made over the crossing by a verifier that knows the old root alone', () => {
    const { laws, lines, marks, state, end } = two()
    const old = end('old', [leaf(7, 'R1', -20, 3_600)], [1])
    state(rotated)
    const fresh = end('fresh', [leaf(8, 'R2', -20, 3_600), crossing(2)], [1, 2])
    expect(laws.meetings.met(old(), fresh())).toBe(true)
    expect([...marks]).toEqual(['met over a crossing'])
    expect(lines).toEqual([])
    expect(laws.meetings.connectionsMade).toBe(1)
  })

  it('are lost by a leaf without its crossing', () => {
    const { laws, lines, state, end } = two()
    const old = end('old', [leaf(7, 'R1', -20, 3_600)], [1])
    state(rotated)
    const fresh = end('fresh', [leaf(8, 'R2', -20, 3_600)], [1, 2])
    expect(laws.meetings.met(old(), fresh())).toBe(false)
    expect(lines.at(-1)).toBe('C1: old does not accept fresh, leaf 8, at 0.000s by its clock: nobody signed it')
  })

  it('are owed between datacenters that have learned of the same mesh, and between no others', () => {
    const { laws, lines, state, end } = two()
    const there = two()
    const old = end('old', [leaf(7, 'R1', -20, 3_600)], [1])
    for (const each of [state, there.state]) each(rotated)
    const fresh = end('fresh', [leaf(8, 'R2', -20, 3_600)], [1, 2])()
    const before = lines.length
    const certificate = { ...fresh.leaf.certificate, uris: ['spiffe://another.svc/ns/default/dc/dc2/svc/web'] }
    expect(laws.meetings.met(old(), { ...fresh, leaf: { ...fresh.leaf, certificate } }, there.laws.meetings)).toBe(
      false,
    )
    expect(lines).toHaveLength(before)
    expect(laws.meetings.met(old(), fresh, there.laws.meetings)).toBe(false)
    expect(lines.at(-1)).toMatch(/^C1: old does not accept fresh, leaf 8/)
    expect(lines).toHaveLength(before + 1)
  })

  it('are excused where a leaf has expired, or a clock is wrong by more than it may be', () => {
    const { laws, lines, until, state, end } = two()
    const old = end('old', [leaf(7, 'R1', -20, 1_000)], [1])
    const other = end('other', [leaf(9, 'R1', -20, 3_600)], [1], 5_000_000)
    expect(laws.meetings.met(old(), other())).toBe(false)
    until(1_100)
    state(rotated)
    const fresh = end('fresh', [leaf(8, 'R2', 1_000, 4_000), crossing(2)], [1, 2])
    expect(laws.meetings.met(old(), fresh())).toBe(false)
    expect(lines).toEqual([])
  })
})
