import { describe, expect, it } from 'vitest'
import { ecKey, rsaKey } from '../../../sim/platform/signing-keys.ts'
import { base64, concatBytes, equalBytes, fromBase64, hex } from '../../../src/base/bytes.ts'
import type { SigningKey } from '../../../src/env/crypto.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { type Certificate, readCertificate, readCertificates } from '../../../src/pki/certificate.ts'
import { verifyChain } from '../../../src/pki/chain.ts'
import { readDer } from '../../../src/pki/der.ts'
import { signCrossing, signIntermediate, signLeaf, signRoot } from '../../../src/pki/mesh-certificates.ts'
import { pem } from '../../../src/pki/pem.ts'
import { olderKeyPem } from '../../../src/pki/private-key.ts'
import { makeRequest, readRequest } from '../../../src/pki/request.ts'
import { fc } from '../../fast-check.ts'
import { madeByOpenssl } from './made-by-openssl.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
/** Of each of the two properties. */
const inputs = long ? 200_000 : 800
const longMs = long ? 7_200_000 : 30_000

const got = (der: Uint8Array): Certificate => {
  const read = readCertificate(der)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

/** Keys whose signatures are the same each time: so are the cases of a seed. */
const [oldKey, newKey, leafKey] = [1, 2, 3].map((seed) => ecKey('ec-256', Uint8Array.of(seed))) as [
  SigningKey,
  SigningKey,
  SigningKey,
]
const uri = 'spiffe://a.b'
const service = `${uri}/ns/default/dc/dc1/svc/web`
const nowMs = Date.UTC(2026, 5, 1)
const term = (serial: bigint) => ({ serial, notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 86_400_000 })
const rootOf = (key: SigningKey, serial: bigint): Certificate =>
  got(signRoot(hostCrypto, key, { ...term(serial), commonName: `Svc CA ${serial}`, uri }))

const [oldRoot, newRoot] = [rootOf(oldKey, 1n), rootOf(newKey, 2n)]
const old = { key: oldKey, certificate: oldRoot }
const next = { key: newKey, certificate: newRoot }
const crossing = got(signCrossing(hostCrypto, old, newRoot, term(3n)))
const request = makeRequest(leafKey, { commonName: 'web', uris: [service] })
const requestForAuthority = makeRequest(rsaKey('rsa-2048', 0), { commonName: 'dc2', uris: [uri], authority: true })
const leafWishes = {
  ...term(4n),
  publicKey: leafKey.publicKey,
  keyKind: 'ec',
  commonName: 'web',
  uri: service,
} as const
const leaf = got(signLeaf(hostCrypto, next, leafWishes))
const rsa = rsaKey('rsa-2048', 0).publicKey
const below = { publicKey: rsa, subject: newRoot.subject }
const intermediate = got(signIntermediate(hostCrypto, next, below, { ...term(5n), uri }))

const foreign = Object.values(madeByOpenssl).map((text) => fromBase64(text) ?? new Uint8Array(0))
const corpus: readonly Uint8Array[] = [
  oldRoot.der,
  crossing.der,
  leaf.der,
  intermediate.der,
  request,
  requestForAuthority,
  ...foreign,
]

type Mutation =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'set'; readonly at: number; readonly value: number }
  | { readonly kind: 'length'; readonly which: number; readonly bytes: Uint8Array }
  | { readonly kind: 'tag'; readonly which: number; readonly value: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'drop'; readonly at: number; readonly count: number }
  | { readonly kind: 'nest'; readonly which: number; readonly depth: number }
  | { readonly kind: 'repeat'; readonly which: number; readonly count: number }
  | { readonly kind: 'splice'; readonly which: number; readonly from: number; readonly value: number }

const place = fc.nat(65_535)
const byte = fc.nat(255)
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant('set' as const), at: place, value: byte }),
  fc.record({
    kind: fc.constant('length' as const),
    which: place,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }),
  }),
  fc.record({ kind: fc.constant('tag' as const), which: place, value: byte }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('insert' as const), at: place, bytes: fc.uint8Array({ minLength: 1, maxLength: 12 }) }),
  fc.record({ kind: fc.constant('drop' as const), at: place, count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('nest' as const), which: place, depth: fc.integer({ min: 1, max: 3_000 }) }),
  fc.record({ kind: fc.constant('repeat' as const), which: place, count: fc.integer({ min: 1, max: 2_000 }) }),
  fc.record({ kind: fc.constant('splice' as const), which: place, from: fc.nat(corpus.length - 1), value: place }),
)

const hostile = fc
  .record({ from: fc.nat(corpus.length - 1), mutations: fc.array(mutation, { minLength: 1, maxLength: 4 }) })
  .map(({ from, mutations }) => mutations.reduce(mutated, corpus[from] ?? new Uint8Array(0)))

/** More than any input may have, so that refusing by length is seen, too. */
const grownMax = 40_000

function mutated(bytes: Uint8Array, change: Mutation): Uint8Array {
  const out = changed(bytes, change)
  return out.length > grownMax ? out.subarray(0, grownMax) : out
}

function changed(bytes: Uint8Array, change: Mutation): Uint8Array {
  if (bytes.length === 0) return bytes
  switch (change.kind) {
    case 'flip':
      return withByte(bytes, change.at % bytes.length, (value) => value ^ (1 << change.bit))
    case 'set':
      return withByte(bytes, change.at % bytes.length, () => change.value)
    case 'tag':
      return withByte(bytes, valueIn(bytes, change.which).at, () => change.value)
    case 'length': {
      const { at, from } = valueIn(bytes, change.which)
      return concatBytes([bytes.subarray(0, at + 1), change.bytes, bytes.subarray(from)])
    }
    case 'cut':
      return bytes.slice(0, change.at % bytes.length)
    case 'insert':
      return replaced(bytes, change.at % bytes.length, change.at % bytes.length, change.bytes)
    case 'drop':
      return replaced(bytes, change.at % bytes.length, (change.at % bytes.length) + change.count, new Uint8Array(0))
    case 'nest':
      return nested(bytes, change.which, change.depth)
    case 'repeat': {
      const { at, to } = valueIn(bytes, change.which)
      const one = bytes.subarray(at, to)
      const count = Math.min(change.count, Math.ceil(grownMax / Math.max(1, one.length)))
      return replaced(bytes, at, to, concatBytes(Array.from({ length: count }, () => one)))
    }
    case 'splice': {
      const other = corpus[change.from] ?? bytes
      const [mine, theirs] = [valueIn(bytes, change.which), valueIn(other, change.value)]
      return replaced(bytes, mine.at, mine.to, other.subarray(theirs.at, theirs.to))
    }
  }
}

function withByte(bytes: Uint8Array, at: number, change: (value: number) => number): Uint8Array {
  const out = Uint8Array.from(bytes)
  out[at] = change(out[at] ?? 0)
  return out
}

function replaced(bytes: Uint8Array, from: number, to: number, by: Uint8Array): Uint8Array {
  return concatBytes([bytes.subarray(0, from), by, bytes.subarray(Math.min(to, bytes.length))])
}

function nested(bytes: Uint8Array, which: number, depth: number): Uint8Array {
  const { at, to } = valueIn(bytes, which)
  let inner = bytes.subarray(at, to)
  // Lengths of two bytes are right from the second level on, and wrong enough before.
  for (let level = 0; level < depth && inner.length < grownMax; level += 50) {
    const heads: Uint8Array[] = []
    let length = inner.length
    for (let each = 0; each < Math.min(50, depth - level); each++) {
      heads.unshift(Uint8Array.of(0x30, 0x82, length >> 8, length & 255))
      length += 4
    }
    inner = concatBytes([...heads, inner])
  }
  return replaced(bytes, at, to, inner)
}

interface Span {
  readonly at: number
  readonly from: number
  readonly to: number
}

/** One of the values in what may be DER: where it begins, where its content does, and where it ends. */
function valueIn(bytes: Uint8Array, which: number): Span {
  const found: Span[] = []
  const look = (at: number, to: number, depth: number): void => {
    for (let next = at; next + 2 <= to && found.length < 300; ) {
      const first = bytes[next + 1] ?? 0
      const digits = first < 0x80 ? 0 : first & 3
      let length = digits === 0 ? first & 0x7f : 0
      for (let i = 0; i < digits; i++) length = length * 256 + (bytes[next + 2 + i] ?? 0)
      const from = Math.min(next + 2 + digits, to)
      const end = Math.min(from + length, to)
      found.push({ at: next, from, to: end })
      if (((bytes[next] ?? 0) & 0x20) !== 0 && depth < 10) look(from, end, depth + 1)
      next = Math.max(end, next + 2)
    }
  }
  look(0, bytes.length, 0)
  return found[which % Math.max(1, found.length)] ?? { at: 0, from: 0, to: bytes.length }
}

/** One line of plain text, not long, that says what is wrong. */
function expectReason(error: string): void {
  expect(error).toMatch(/^[\x20-\x7e]{10,300}$/)
}

const originals = new Set(corpus.map((bytes) => hex(bytes)))
const signedContents = new Set(
  [oldRoot, newRoot, crossing, leaf, intermediate].map(({ signedBytes }) => hex(signedBytes)),
)

describe('hostile input', () => {
  it(
    'as a certificate is read or refused with a reason, and under a root nothing is accepted but what was signed',
    () => {
      let [taken, refused] = [0, 0]
      const look = (bytes: Uint8Array): void => {
        const read = readCertificate(bytes)
        if (!read.ok) {
          refused++
          expectReason(read.error)
          return
        }
        taken++
        const { value } = read
        expect(equalBytes(value.der, bytes)).toBe(true)
        const again = readCertificates(pem('CERTIFICATE', bytes))
        expect(again.ok && equalBytes(again.value[0]?.der ?? bytes.subarray(1), bytes)).toBe(true)
        const question = { atMs: nowMs, usage: 'server', trustDomain: 'a.b' } as const
        for (const verdict of [
          verifyChain(hostCrypto, value, [crossing], [oldRoot, newRoot], question),
          verifyChain(hostCrypto, leaf, [value], [oldRoot], question),
        ]) {
          if (!verdict.ok) expectReason(verdict.error)
          else for (const each of verdict.value) expect(signedContents.has(hex(each.signedBytes))).toBe(true)
        }
      }
      fc.assert(fc.property(hostile, look), { numRuns: inputs })
      // Neither is rare: otherwise the mutations would show little.
      expect(Math.min(taken, refused)).toBeGreaterThan(inputs / 100)
    },
    longMs,
  )

  it(
    'as a request is refused with a reason, unless its own key has signed it',
    () => {
      const look = (bytes: Uint8Array): void => {
        const read = readRequest(bytes, hostCrypto)
        if (!read.ok) {
          expectReason(read.error)
          return
        }
        // The remaining mutations do not change what was signed; a signature can be written in two ways.
        const same = corpus.find((each) => equalBytes(signedPart(each), signedPart(read.value.der)))
        expect(same, base64(bytes)).toBeDefined()
      }
      fc.assert(fc.property(hostile, look), { numRuns: inputs })
    },
    longMs,
  )

  it('as a text is read or refused with a reason', () => {
    const texts = corpus.map((bytes) => pem('CERTIFICATE REQUEST', bytes)).concat(oldRoot.pem, oldKey.privateKeyPem)
    const text = fc
      .tuple(fc.constantFrom(...texts), fc.nat(2_000), fc.nat(60), fc.string({ maxLength: 30 }), fc.boolean())
      .map(([given, at, count, by, twice]) => {
        const one = given.slice(0, at) + by + given.slice(at + count)
        return twice ? one + given : one
      })
    const look = (given: string): void => {
      for (const read of [readCertificates(given), readRequest(given, hostCrypto)])
        if (!read.ok) expectReason(read.error)
      expect(olderKeyPem(given)).toMatch(/^/)
    }
    fc.assert(fc.property(text, look), { numRuns: Math.ceil(inputs / 4) })
  })

  it('that is invalid is what the mutations begin with', () => {
    expect(originals.size).toBe(corpus.length)
    for (const bytes of corpus) {
      const [certificate, asked] = [readCertificate(bytes), readRequest(bytes, hostCrypto)]
      expect([certificate.ok, asked.ok].filter((each) => each)).toHaveLength(1)
    }
  })
})

function signedPart(der: Uint8Array): Uint8Array {
  const whole = readDer(der, grownMax)
  if (!whole.ok) throw new Error(whole.error)
  const { from } = valueIn(der, 0)
  const inner = der.subarray(from)
  return inner.subarray(0, valueIn(inner, 0).to)
}
