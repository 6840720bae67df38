import { describe, expect, it } from 'vitest'
import type { RotationFacts } from '../../../sim/checkers/mesh/mesh-facts.ts'
import { begun, type Card, crossing, leaf, meshWorld, pem, root, rotated } from './mesh-world.ts'

describe('C2, the roots that are listed', () => {
  it('have one that is active, the newest', () => {
    const { lines, state } = meshWorld()
    state([root(1, true, [crossing(2)]), root(2, true, [crossing(2)])])
    state([root(1, false), root(2, false)])
    state([root(1, true, [crossing(2)]), root(2, false)])
    expect(lines).toEqual([
      'C2: of 2 roots these are active: 1, 2',
      'C2: of 2 roots these are active: none',
      'C2: root 1 is active, and 2 is newer',
    ])
  })

  it('have crossings back to the oldest, with the active one alone', () => {
    const { lines, state, marks } = meshWorld()
    state([root(1, true)])
    state([root(1, false, [crossing(2)]), root(2, true)])
    state([root(1, false), root(2, false), root(3, true, [crossing(3)])])
    expect(lines).toEqual([
      'C2: root 1 is not active, but carries certificates that are sent with leaves',
      'C2: the active root does not carry the crossings from root 2 to root 1',
      'C2: the active root does not carry the crossings from root 3 to root 1',
    ])
    expect([...marks]).toEqual(['three roots listed'])
  })

  it('may lack one between, as long as crossings lead past it', () => {
    const { laws, lines, until, state } = begun()
    until(100)
    state(rotated)
    laws.given('db at c2', 'db', pem(leaf(2, 'R2', 80, 1_000, { service: 'db' }), crossing(2)), 'key')
    until(200)
    state([root(1, false), root(2, false), root(3, true, [crossing(3), crossing(2)])])
    until(1_100)
    state([root(1, false), root(3, true, [crossing(3), crossing(2)])])
    state([root(1, false), root(3, true, [crossing(3)])])
    expect(lines.filter((line) => line.startsWith('C2'))).toEqual([
      'C2: the active root does not carry the crossings from root 3 to root 1',
    ])
  })

  it('lead on from a root that is active for the second time by its earlier crossing', () => {
    const { lines, state } = meshWorld()
    state([root(1, true)])
    state([root(1, false), root(2, true, [crossing(2)])])
    state([root(1, false), root(2, false), root(3, true, [crossing(3), crossing(2)])])
    // The second is the newest again, crossed by the third.
    const byThird = crossing(2, { serial: '450', by: 'R3' })
    const again = (...rest: readonly Card[]) => ({ ...root(2, true, [byThird, crossing(3), ...rest]), generation: 4 })
    state([root(1, false), root(3, false), again(crossing(2))])
    state([root(1, false), root(3, false), again()])
    expect(lines.filter((line) => line.startsWith('C2'))).toEqual([
      'C2: the active root does not carry the crossings from root 4 to root 1',
    ])
  })

  it('are told by agents as they are', () => {
    const { laws, lines } = meshWorld()
    laws.told('c1', 'r2', [root(1, true)])
    expect(lines).toEqual(['C2: c1 names r2 as the active root, and lists as active: r1'])
  })

  it('are told with the intermediates of some time', () => {
    const { state, laws, lines } = begun()
    const [one, two] = [root(1, false), root(2, true, [crossing(2)])]
    state([one, two])
    const bare = { ...two, intermediates: [] }
    state([one, { ...two, intermediates: [...two.intermediates, ...two.intermediates] }])
    laws.told('c1', 'r2', [one, { ...two, intermediates: two.intermediates.map((pem) => `${pem}\n`) }])
    const before = lines.length
    laws.told('c1', 'r2', [one, bare])
    expect(lines.slice(before)).toEqual(['C2: c1 shows root r2 with 0 intermediates, which it never had'])
  })

  it('tell what happens to them', () => {
    const { until, state, lines } = begun()
    expect(state([root(1, true)], { rotations: [{ id: 7, step: 'begun' }] })).toEqual(['rotation begun'])
    expect(state([root(1, true)], { rotations: [{ id: 7, step: 'requested' }] })).toEqual(['root requested'])
    expect(state([root(1, true)], { rotations: [{ id: 7, step: 'crossed' }] })).toEqual(['root crossed'])
    expect(state(rotated, { rotations: [{ id: 7, step: 'activated' }] })).toEqual(['root activated'])
    until(3_700)
    expect(state([root(2, true)], { rotations: [{ id: 7, step: 'activated' }] })).toEqual(['root removed'])
    expect(lines).toEqual([])
  })
})

describe('C3, serial numbers', () => {
  it('are given once by one issuer, to leaves, roots and crossings', () => {
    const { laws, lines, state } = begun()
    laws.given('db at c2', 'db', pem(leaf(1, 'R1', -20, 3_000, { service: 'db' })), 'key')
    state([root(1, false), root(2, true, [crossing(2, { serial: '1' })])])
    expect(lines).toEqual([
      'C3: leaf of db at c2 has the serial number 1, which another has from the same issuer',
      'C3: the crossing of root 2 has the serial number 1, which another has from the same issuer',
    ])
  })

  it('may be seen again with the same certificate, and be those of another issuer', () => {
    const { laws, lines, state } = begun()
    laws.given('web at c1', 'web', pem(leaf(1, 'R1', -20, 3_600, { service: 'web' })), 'key')
    state(rotated)
    laws.given('db at c2', 'db', pem(leaf(1, 'R2', -20, 3_600, { service: 'db' }), crossing(2)), 'key')
    expect(lines).toEqual([])
  })
})

describe('C5, what is in force', () => {
  const rotation = (step: RotationFacts['step'], more: Partial<RotationFacts> = {}) => ({ id: 7, step, ...more })
  const by = (provider: string) => ({ configuration: { provider, options: {}, primary: '' } })
  /** A rotation that has crossed to this root. */
  const crossedTo = (id: string) => {
    const world = begun()
    for (const step of ['begun', 'requested', 'crossed'] as const)
      world.state([root(1, true)], { rotations: [rotation(step, { root: { id } })], ...by('svc') })
    return world
  }

  it('changes by the rotation that leads there, and by no other', () => {
    const { state, lines } = crossedTo('r2')
    state(rotated, { rotations: [rotation('activated')], ...by('svc') })
    expect(lines).toEqual([])
    state([root(1, false), root(2, false), root(3, true, [crossing(3), crossing(2)])], by('svc'))
    expect(lines).toEqual(['C5: root r3 became active, and no rotation led to it'])
  })

  it('is not that of another root than the rotation leads to', () => {
    const { state, lines } = crossedTo('r9')
    state(rotated, { rotations: [rotation('activated')], ...by('svc') })
    expect(lines).toEqual(['C5: root r2 became active, and no rotation led to it'])
  })

  it('may be that of another datacenter, which rotates by itself', () => {
    const { state, lines } = begun()
    const followed = { configuration: { provider: 'svc', options: {}, primary: 'dc9' } }
    state([root(1, true)], followed)
    state(rotated, followed)
    expect(lines).toEqual([])
  })

  it('stays as it was when a rotation is refused, for a reason', () => {
    const { state, lines } = begun()
    state([root(1, true)], { rotations: [rotation('begun')], ...by('svc') })
    state([root(1, true)], { rotations: [rotation('refused', { why: 'no rights' })], ...by('svc') })
    expect(lines).toEqual([])
    state([root(1, true)], { rotations: [{ id: 9, step: 'refused', why: '' }], ...by('vault') })
    expect(lines).toEqual([
      'C5: the rotation that began at 9 was refused, and has changed the authority',
      'C5: the rotation that began at 9 was refused without a reason',
    ])
  })

  it('is not blocked when all rests, unless its leader leads no more', () => {
    const { laws, lines } = begun()
    const { inForce } = laws
    inForce.told('s1', 'connect: the certificate authority is blocked')
    inForce.told('s1', 'connect: the certificate authority continues')
    inForce.told('s2', 'connect: the certificate authority is blocked')
    laws.leaderEnded('s2', false)
    inForce.told('s3', 'connect: the certificate authority is blocked')
    expect(inForce.blocked).toBe('s3')
    inForce.rests()
    expect(lines).toEqual(['C5: s3 leads, and its authority is still blocked although nothing is wrong any more'])
  })
})

describe('C5, a rotation', () => {
  const rotation = (id: number, step: 'begun' | 'requested' | 'crossed' | 'activated' | 'given-up') => ({ id, step })

  it('goes step by step, and a crossing that is too short is made anew', () => {
    const { state, lines, laws } = begun()
    for (const step of ['begun', 'requested', 'crossed', 'requested', 'crossed', 'activated'] as const) {
      state([root(1, true)], { rotations: [rotation(7, step)] })
    }
    laws.rotation.rests()
    expect(lines).toEqual([])
    expect(laws.rotation.completed).toBe(1)
  })

  it('leaves out no step, and does not come back', () => {
    const { state, lines } = begun()
    state([root(1, true)], { rotations: [rotation(7, 'begun')] })
    state([root(1, true)], { rotations: [rotation(7, 'activated')] })
    state([root(1, true)], { rotations: [rotation(7, 'begun')] })
    expect(lines).toEqual([
      'C5: the rotation that began at 7 made its root active when it was begun',
      'C5: the rotation that began at 7 had ended, and is begun again',
    ])
  })

  it('needs no crossing where it leads to the root that is active, and to no other', () => {
    const { state, lines } = begun()
    const requested = (id: number, to: string) => ({ ...rotation(id, 'requested'), root: { id: to } })
    for (const [id, to] of [
      [7, root(1, true).id],
      [9, root(2, true).id],
    ] as const) {
      state([root(1, true)], { rotations: [rotation(id, 'begun')] })
      state([root(1, true)], { rotations: [requested(id, to)] })
      state([root(1, true)], { rotations: [rotation(id, 'activated')] })
    }
    expect(lines).toEqual(['C5: the rotation that began at 9 made its root active when it was requested'])
  })

  it('is alone, and ends', () => {
    const { state, lines, laws } = begun()
    state([root(1, true)], { rotations: [rotation(7, 'begun'), rotation(9, 'begun')] })
    laws.rotation.rests()
    expect(lines).toEqual(['C5: 2 rotations are under way at once', 'C5: the rotation that began at 7 is still begun'])
  })

  it('leads to what was asked for', () => {
    const { state, laws } = begun()
    const configuration = (LeafCertTTL: string) => ({ provider: 'svc', options: { LeafCertTTL, PrivateKey: 'k' } })
    state([root(1, true)], { configuration: configuration('72h') })
    const before = laws.configurations.count
    state([root(1, true)], { configuration: configuration('1h') })
    state([root(1, true)], { configuration: configuration('2h') })
    expect(
      laws.configurations.includes(before, { provider: 'svc', options: { PrivateKey: 'k', LeafCertTTL: '1h' } }),
    ).toBe(true)
    expect(laws.configurations.includes(before, configuration('3h'))).toBe(false)
    for (const [step, isDone] of [
      ['begun', false],
      ['requested', false],
      ['crossed', true],
    ] as const) {
      state([root(1, true)], { rotations: [{ id: 9, step, root: { id: '2' }, ...configuration('4h') }] })
      expect([step, laws.configurations.includes(before, configuration('4h'))]).toEqual([step, isDone])
    }
  })
})

describe('C6, times', () => {
  it('end before those of all that goes with a leaf', () => {
    const { laws, lines, state } = begun()
    state(rotated)
    laws.given('db at c2', 'db', pem(leaf(2, 'R2', -20, 60_000, { service: 'db' }), crossing(2)), 'key')
    laws.given('dc at c2', 'dc', pem(leaf(3, 'R2', -20, 200_000, { service: 'dc' })), 'key')
    expect(lines.filter((line) => line.startsWith('C6'))).toEqual([
      'C6: leaf 2 of db at c2 outlives R2, serial 250, which is sent with it: until 60000.000s, and 50000.000s',
      'C6: leaf 3 of dc at c2 outlives R2, serial 200, which is sent with it: until 200000.000s, and 100000.000s',
    ])
  })

  it('of leaves last no longer than the longest that was ever configured, and a second for either end', () => {
    const { laws, lines, state } = begun()
    const given = (serial: number, toS: number) =>
      laws.given('web at c1', 'web', pem(leaf(serial, 'R1', -20, toS, { service: 'web' })), 'key')
    given(2, 90_000)
    for (const LeafCertTTL of ['2h', '1h'])
      state([root(1, true)], { configuration: { provider: 'svc', options: { LeafCertTTL } } })
    for (const [at, toS] of [3_580, 7_180, 7_182, 7_183].entries()) given(3 + at, toS)
    expect(lines).toEqual([
      'C6: leaf 6 of web at c1 is valid for 7203 s, and the configuration never allowed more than 7200 s',
    ])
  })

  it('of a crossing last as long as leaves of the root that signed it', () => {
    const { lines, state } = begun()
    state([root(1, false), root(2, true, [crossing(2, { toS: 3_000 })])])
    expect(lines).toEqual([
      'C6: the crossings from root 2 to root 1 end at 3000.000s, before the last leaf of the older one',
    ])
  })

  it('begin early enough for roots and crossings, too', () => {
    const { lines, state } = begun()
    state([root(1, false), root(2, true, [crossing(2, { fromS: 0 })], { fromS: -5 })])
    expect(lines.filter((line) => line.startsWith('C6'))).toEqual([
      'C6: root 2 is valid from -5.000s: a slow clock does not accept it yet',
      'C6: the crossing of root 2 is valid from 0.000s: a slow clock does not accept it yet',
    ])
  })
})
