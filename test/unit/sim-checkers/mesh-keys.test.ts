import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RotationFacts } from '../../../sim/checkers/mesh/mesh-facts.ts'
import { MeshSecrets } from '../../../sim/checkers/mesh/mesh-secrets.ts'
import { begun, type Card, crossing, leaf, meshWorld, pem, root, rotated } from './mesh-world.ts'
import { recorder } from './reports.ts'

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
      'C4: s1 reveals a key of the authority: in its log',
      'C4: s1 reveals a key of the authority: in its answer to /v1/connect/ca/configuration',
      'C4: s1 reveals a key of the authority: in its answer to /v1/agent/connect/ca/leaf/web',
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
      expect([name, ...lines]).toEqual([name, 'C4: s1 reveals a key of the authority: in its log'])
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
    expect(lines).toEqual(['C4: s1 reveals a key of a leaf of web: in its answer to /v1/agent/connect/ca/leaf/db'])
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

  it('continues with a rotation that it found under way, though that had ended since', () => {
    const { laws, lines, state } = begun()
    const at = (step: RotationFacts['step']): readonly RotationFacts[] => [{ id: 9, step }]
    for (const step of ['begun', 'requested', 'crossed'] as const) state([root(1, true)], { rotations: at(step) })
    state(rotated, { rotations: at('activated') })
    laws.replaced({ ...putBack([root(1, true)]), rotations: at('crossed') })
    state(rotated, { rotations: at('activated') })
    expect(lines).toEqual([])
  })
})
