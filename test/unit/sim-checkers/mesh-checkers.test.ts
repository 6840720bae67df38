import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RotationFacts } from '../../../sim/checkers/mesh/mesh-facts.ts'
import { MeshSecrets } from '../../../sim/checkers/mesh/mesh-secrets.ts'
import { type Card, crossing, leaf, meshWorld, pem, root } from './mesh-world.ts'
import { recorder } from './reports.ts'

/** One root, and a leaf of it that lives for an hour. */
function begun() {
  const world = meshWorld()
  world.state([root(1, true)])
  const first = world.laws.given('web at c1', 'web', pem(leaf(1, 'R1', -20, 3_600, { service: 'web' })), 'key')
  return { ...world, first }
}

/** The second root is active, with its crossing. */
const rotated = [root(1, false), root(2, true, [crossing(2)])]

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
    laws.told('c1', 'r2', [{ id: 'r1', active: true, certificate: root(1, true).certificate }])
    expect(lines).toEqual(['C2: c1 names r2 as the active root, and lists as active: r1'])
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

describe('C4, keys', () => {
  const line = 'MHcCAQEEIBase64OfSomeKeyThatIsLongEnoughToFillOneWholeLineOfPEM0'
  const other = 'MHcCAQEEIAnotherKeyWithAsManyCharactersSoThatItFillsALineAsWell0'
  const key = (text: string): string => `-----BEGIN EC PRIVATE KEY-----\n${text}\n-----END EC PRIVATE KEY-----\n`
  function secrets() {
    const { judge, lines } = recorder()
    const checker = new MeshSecrets(judge)
    checker.authorityKey(key(line))
    checker.leafKey('web', key(other))
    const said = (where: string, text: string): void => checker.said({ node: 's1', where, text: () => text })
    return { said, lines }
  }

  it('of an authority are in no log and no answer, however they are wrapped', () => {
    const { said, lines } = secrets()
    said('log', `a key: ${key(line)}`)
    said('/v1/connect/ca/configuration', JSON.stringify({ Config: { PrivateKey: key(line) } }))
    said('/v1/agent/connect/ca/leaf/web', `{"k":"${line}"}`)
    expect(lines).toEqual([
      'C4: s1 gives away a key of the authority: in its log',
      'C4: s1 gives away a key of the authority: in its answer to /v1/connect/ca/configuration',
      'C4: s1 gives away a key of the authority: in its answer to /v1/agent/connect/ca/leaf/web',
    ])
  })

  it.each(['ec', 'rsa'] as const)('of an authority are known in whatever form they are written: %s', (kind) => {
    const { privateKey } =
      kind === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pemOf = (type: 'pkcs8' | 'sec1' | 'pkcs1'): string => privateKey.export({ type, format: 'pem' }).toString()
    const older = kind === 'ec' ? 'sec1' : 'pkcs1'
    const der = privateKey.export({ type: older as 'sec1', format: 'der' })
    const { d = '', p = '' } = privateKey.export({ format: 'jwk' })
    const secret = Buffer.from(p === '' ? d : p, 'base64url')
    const forms = {
      pkcs8: pemOf('pkcs8'),
      older: pemOf(older),
      'in one line': der.toString('base64'),
      'for a URL': der.toString('base64url'),
      hexadecimal: der.toString('hex').toUpperCase(),
      'as a JWK': JSON.stringify({ kty: 'EC', d: secret.toString('base64url') }),
      'its number': `the number ${secret.toString('hex')} is it`,
      'its number in base64': secret.toString('base64'),
    }
    for (const [name, text] of Object.entries(forms)) {
      const { judge, lines } = recorder()
      const checker = new MeshSecrets(judge)
      checker.authorityKey(pemOf('pkcs8'))
      checker.said({ node: 's1', where: 'log', text: () => JSON.stringify({ said: text }) })
      expect([name, ...lines]).toEqual([name, 'C4: s1 gives away a key of the authority: in its log'])
    }
  })

  it.each(['ec', 'rsa'] as const)('of an authority may show their public half, wherever it stands: %s', (kind) => {
    const { privateKey, publicKey } =
      kind === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { judge, lines } = recorder()
    const checker = new MeshSecrets(judge)
    checker.authorityKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    const open = publicKey.export({ type: 'spki', format: 'der' })
    const { x = '', n = '' } = publicKey.export({ format: 'jwk' })
    // What stands before it in a certificate is of any length: 48 bytes are a line of PEM.
    const texts = Array.from({ length: 48 }, (_, before) =>
      Buffer.concat([Buffer.alloc(before), open])
        .toString('base64')
        .replace(/.{64}/g, '$&\n'),
    )
    checker.said({ node: 's1', where: 'log', text: () => JSON.stringify([x, n]) })
    for (const text of texts) {
      checker.said({ node: 's1', where: 'log', text: () => JSON.stringify({ said: text }) })
      checker.said({ node: 's1', where: 'log', text: () => text.replaceAll('\n', '') })
    }
    expect(lines).toEqual([])
  })

  it('of a leaf are with that leaf alone', () => {
    const { said, lines } = secrets()
    said('/v1/agent/connect/ca/leaf/web?index=7&wait=5s', JSON.stringify({ PrivateKeyPEM: key(other) }))
    said('/v1/agent/connect/ca/leaf/db', JSON.stringify({ PrivateKeyPEM: key(other) }))
    expect(lines).toEqual(['C4: s1 gives away a key of a leaf of web: in its answer to /v1/agent/connect/ca/leaf/db'])
  })

  it('may be in snapshots, and what is no key may be anywhere', () => {
    const { said, lines } = secrets()
    said('/v1/snapshot', key(line))
    said('log', 'nothing')
    said('/v1/connect/ca/roots', key('MIIBASE64ofACertificateThatIsNoKeyAndIsAsLongAsALineOfOneWouldBe'))
    expect(lines).toEqual([])
  })
})

describe('a state that is put back', () => {
  const putBack = (roots: Parameters<ReturnType<typeof meshWorld>['state']>[0]) => ({
    rotations: [],
    signingKeys: [],
    configuration: undefined,
    roots,
  })
  const secondLeaf = leaf(2, 'R2', -20, 3_600, { service: 'db' })

  it('does not let numbers come twice that were given since', () => {
    const { laws, lines } = begun()
    laws.replaced(putBack([root(1, true)]))
    laws.given('db at c2', 'db', pem(leaf(1, 'R1', -20, 3_700, { service: 'db' })), 'key')
    expect(lines).toEqual(['C3: leaf of db at c2 has the serial number 1, which another has from the same issuer'])
  })

  it('does not let a root go before a leaf that it signed since', () => {
    const { laws, lines, until, state } = begun()
    laws.replaced(putBack([root(1, true)]))
    state(rotated)
    until(3_500)
    state([root(2, true)])
    expect(lines[0]).toBe('C3: root 1 was removed, and a leaf of it lives until 3600.000s')
    expect(lines[1]).toMatch(/^C1: an agent that has the roots of 3500\.000s \(2\) does not accept leaf 1 of web at c1/)
  })

  it('owes nothing to leaves of a root that is lost, but where they lead to one that is back', () => {
    const { laws, lines, state, first, wallMs } = begun()
    const roots = laws.told('c1', 'r1', [root(1, true)])
    state(rotated)
    state([root(2, true)])
    lines.length = 0
    const bare = laws.given('db at c2', 'db', pem(secondLeaf), 'key')
    const crossed = laws.given('db at c2', 'db', pem({ ...secondLeaf, serial: '3' }, crossing(2)), 'key')
    lines.length = 0
    laws.replaced(putBack([root(1, true)]))
    expect(lines).toEqual([])
    if (first === undefined || bare === undefined || crossed === undefined) throw new Error('cannot be read')
    const end = (name: string, held: typeof first) => ({ name, leaf: held, roots, wallMs: wallMs() })
    expect(laws.meetings.met(end('a', first), end('b', bare))).toBe(false)
    expect(lines).toEqual([])
    expect(laws.meetings.met(end('a', first), end('c', crossed))).toBe(true)
    // One of a lost root that an agent has kept, and gives out only now.
    laws.given('late at c2', 'late', pem(leaf(4, 'R2', -20, 3_600, { service: 'late' })), 'key')
    expect(lines).toEqual([])
    // But what is signed from now on is owed to all.
    laws.given('new at c2', 'new', pem(leaf(5, 'R9', -20, 3_600, { service: 'new' })), 'key')
    expect(lines.filter((line) => line.startsWith('C1: an agent'))).not.toEqual([])
  })

  it('owes nothing to a verifier that knows only lost roots, and everything to one that knows a restored one', () => {
    const { laws, lines, until, state } = begun()
    state([root(1, false), root(2, true, [crossing(2)])])
    until(3_650)
    state([root(2, true)])
    laws.replaced(putBack([root(1, true)]))
    laws.given('db at c2', 'db', pem(leaf(6, 'R1', 3_620, 7_000, { service: 'db' })), 'key')
    expect(lines).toEqual([])
  })

  it('lets a datacenter that follows the one where it was let go of the lost root, and of no other', () => {
    const lostKeys = new Set<string>()
    const [there, here] = [meshWorld(lostKeys), meshWorld(lostKeys)]
    for (const { state } of [there, here]) state(rotated)
    const below: Card = { serial: '77', key: 'D2', by: 'R2', fromS: -20, toS: 3_600 }
    here.laws.given('db at c2', 'db', pem(leaf(2, 'D2', -20, 3_600, { service: 'db' }), below, crossing(2)), 'key')
    there.laws.replaced(putBack([root(1, true)]))
    here.state([root(1, true)])
    expect(here.lines).toEqual([])
    here.laws.given('web at c2', 'web', pem(leaf(3, 'R1', -20, 3_600, { service: 'web' })), 'key')
    here.state([root(3, true)])
    expect(here.lines).toContain('C3: root 1 was removed while it was active')
    expect([...lostKeys]).toEqual(['R2'])
    // It is given again: what goes from now on is looked at.
    there.state([root(1, false), root(2, true, [crossing(2)])])
    expect([...lostKeys]).toEqual([])
  })

  it('goes on with a rotation that it found under way, though that had ended since', () => {
    const { laws, lines, state } = begun()
    const at = (step: RotationFacts['step']): readonly RotationFacts[] => [{ id: 9, step }]
    for (const step of ['begun', 'requested', 'crossed'] as const) state([root(1, true)], { rotations: at(step) })
    state(rotated, { rotations: at('activated') })
    laws.replaced({ ...putBack([root(1, true)]), rotations: at('crossed') })
    state(rotated, { rotations: at('activated') })
    expect(lines).toEqual([])
  })
})
