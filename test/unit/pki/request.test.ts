import { execFileSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesOf, utf8 } from '../../../src/base/bytes.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { signed } from '../../../src/pki/certificate-writer.ts'
import { around, type Der, encoded, integer, objectId, parsed, sequence, setOf } from '../../../src/pki/der.ts'
import * as extension from '../../../src/pki/extensions.ts'
import { nameOf } from '../../../src/pki/name.ts'
import { ids } from '../../../src/pki/object-ids.ts'
import { pem, pemMax } from '../../../src/pki/pem.ts'
import { olderKeyPem } from '../../../src/pki/private-key.ts'
import { makeRequest, readRequest, requestBytesMax, requestPem } from '../../../src/pki/request.ts'
import { opensslIsThere } from '../../contract/host/tls-material.ts'
import { got, keyOf, serviceId, signingId } from './mesh.ts'

const key = await keyOf('ec-256')
const kinds = ['ec-256', 'ec-384', 'ec-521', 'rsa-2048', 'rsa-4096'] as const

/** A request with attributes of any kind, signed as it should be. */
function requestWith(...attributes: readonly Der[]): Uint8Array {
  return signed(
    sequence(integer(Uint8Array.of(0)), nameOf('web'), parsed(key.publicKey), around(0, ...attributes)),
    key,
  )
}

const asked = (...extensions: readonly Der[]): Der =>
  sequence(objectId(ids.extensionRequest), setOf(sequence(...extensions)))

function refusal(given: Uint8Array | string): string {
  const read = readRequest(given, hostCrypto)
  return read.ok ? 'taken' : read.error
}

describe('a certificate request', () => {
  it.each(kinds)('of %s is read as it was made, from DER and from PEM', async (kind) => {
    const own = await keyOf(kind)
    const made = makeRequest(own, { commonName: 'web', uris: [serviceId('web')] })
    for (const form of [made, requestPem(made), `# from web\n${requestPem(made).replace(/\n/g, '\r\n')}`]) {
      expect(got(readRequest(form, hostCrypto))).toMatchObject({
        publicKey: own.publicKey,
        keyKind: kind.startsWith('ec') ? 'ec' : 'rsa',
        keyBits: Number(kind.slice(kind.indexOf('-') + 1)),
        subject: encoded(nameOf('web')),
        commonName: 'web',
        uris: [serviceId('web')],
        wantsAuthority: false,
      })
    }
  })

  it('may ask to be an authority, or for no name at all', () => {
    const made = makeRequest(key, { commonName: 'Svc CA dc2', uris: [signingId], authority: true })
    expect(got(readRequest(made, hostCrypto))).toMatchObject({ wantsAuthority: true, uris: [signingId] })
    const bare = makeRequest(key, { commonName: '', uris: [] })
    expect(got(readRequest(bare, hostCrypto))).toMatchObject({ commonName: '', uris: [], wantsAuthority: false })
  })

  it.skipIf(!opensslIsThere())('is understood by openssl, and one of openssl’s is understood here', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-csr-'))
    const openssl = (...words: readonly string[]) =>
      execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }).toString()
    try {
      writeFileSync(join(folder, 'ours.pem'), requestPem(makeRequest(key, { commonName: 'web', uris: [signingId] })))
      expect(openssl('req', '-in', 'ours.pem', '-noout', '-verify', '-subject')).toBe('subject=CN = web\n')
      writeFileSync(join(folder, 'ec.key'), olderKeyPem(key.privateKeyPem))
      const names = ['-addext', `subjectAltName=URI:${serviceId('web')},DNS:web.local,IP:10.0.0.1`]
      const subject = ['-subj', '/C=DE/O=Für alle/CN=web', '-utf8']
      openssl('req', '-new', '-key', 'ec.key', '-out', 'theirs.pem', '-sha512', ...subject, ...names)
      expect(got(readRequest(readFileSync(join(folder, 'theirs.pem'), 'utf8'), hostCrypto))).toMatchObject({
        publicKey: key.publicKey,
        commonName: 'web',
        uris: [serviceId('web')],
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  const made = makeRequest(key, { commonName: 'web', uris: [serviceId('web')] })
  const uris = (count: number) => extension.subjectNames({ uris: Array.from({ length: count }, () => 'spiffe://a.b') })
  const changed = Uint8Array.from(made)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  it.each([
    ['is signed by another key', changed, 'the certificate request is not signed with its own key'],
    [
      'is empty',
      new Uint8Array(0),
      'the certificate request cannot be read: it is not valid DER, or nested too deeply',
    ],
    ['is an empty text', '', 'the PEM text contains no certificate request'],
    [
      'is too long',
      new Uint8Array(requestBytesMax + 1),
      `the certificate request cannot be read: it is longer than ${requestBytesMax} bytes`,
    ],
    ['is too long a text', 'a'.repeat(pemMax + 1), `the PEM text is longer than ${pemMax} characters`],
    [
      'is there twice',
      requestPem(made).repeat(2),
      'the PEM text contains more than one block, but only one certificate request is allowed',
    ],
    [
      'is a certificate',
      pem('CERTIFICATE', made),
      'the PEM text contains a block of type CERTIFICATE instead of a certificate request',
    ],
    [
      'is cut off',
      requestPem(made).slice(0, 200),
      'the PEM text has a block of type CERTIFICATE REQUEST without its END line',
    ],
    [
      'is no base64',
      '-----BEGIN CERTIFICATE REQUEST-----\nno!!\n-----END CERTIFICATE REQUEST-----',
      'the PEM text has a block of type CERTIFICATE REQUEST that is not base64',
    ],
    [
      'has something behind it',
      Uint8Array.of(...made, 0),
      'the certificate request cannot be read: it is not valid DER, or nested too deeply',
    ],
    [
      'asks for extensions twice',
      requestWith(asked(uris(1)), asked(uris(1))),
      'the certificate request cannot be read: it has more than one list of requested extensions',
    ],
    [
      'asks for one extension twice',
      requestWith(asked(uris(1), uris(1))),
      'the certificate request cannot be read: it has the same extension twice',
    ],
    [
      'asks for too many names',
      requestWith(asked(uris(65))),
      'the certificate request cannot be read: it must have 1 to 64 subject alternative names',
    ],
    [
      'asks for a name that is no text',
      requestWith(asked(extension.subjectNames({ uris: ['spiffe://a.b/\n'] }))),
      'the certificate request cannot be read: it has a subject alternative name that is not printable ASCII of at most 2048 characters',
    ],
    [
      'has too many attributes',
      requestWith(...Array.from({ length: 17 }, (_, at) => sequence(objectId(`1.2.${at}`), setOf()))),
      'the certificate request cannot be read: it has more than 16 attributes',
    ],
    [
      'asks for extensions that are none',
      requestWith(asked(sequence(objectId(ids.subjectNames), nameOf('x')))),
      'the certificate request cannot be read: its field "extension\'s value" is missing or has the wrong type',
    ],
  ])('that %s is refused', (_, given, reason) => {
    expect(refusal(given)).toBe(reason)
  })

  it.each([
    ['of 1024 bits', rsaOf(1024)],
    ['of 16384 bits', rsaOf(16_384)],
    ['with an even exponent', rsaOf(2048, Uint8Array.of(2))],
    ['with an exponent as long as its modulus', rsaOf(2048, new Uint8Array(256).fill(0xff))],
    ['of a curve that is not used', curveOf('1.3.132.0.10')],
    ['on a curve that is spelled out', parsed(key.publicKey)],
  ])('with a key %s is refused without its signature being looked at', (what, publicKey) => {
    const algorithm = publicKey.parts[0] as Der
    const spelledOut = sequence(
      sequence(algorithm.parts[0] as Der, sequence(integer(Uint8Array.of(1)))),
      publicKey.parts[1] as Der,
    )
    const given = what.endsWith('spelled out') ? spelledOut : publicKey
    const request = signed(sequence(integer(Uint8Array.of(0)), nameOf('web'), given, around(0)), key)
    const crypto = {
      verify: () => {
        throw new Error('a signature was looked at')
      },
    }
    expect(readRequest(request, crypto)).toMatchObject({ error: expect.stringContaining('is not ECDSA') })
  })
})

function rsaOf(bits: number, exponent = Uint8Array.of(1, 0, 1)): Der {
  const modulus = new Uint8Array(bits / 8).fill(0xff)
  const inner = encoded(sequence(integer(modulus), integer(exponent)))
  return sequence(sequence(objectId(ids.rsa), { tag: 5, parts: [], content: '' }), {
    tag: 3,
    parts: [],
    content: `\x00${String.fromCharCode(...inner)}`,
  })
}

function curveOf(id: string): Der {
  const bytes = bytesOf(`\x04${'\x01'.repeat(64)}`)
  return sequence(sequence(objectId(ids.ecPublicKey), objectId(id)), {
    tag: 3,
    parts: [],
    content: `\x00${String.fromCharCode(...bytes)}`,
  })
}

describe('a private key in the older form', () => {
  it.each(kinds)('of %s is the one that Node would write', async (kind) => {
    const own = await keyOf(kind)
    const node = createPrivateKey(own.privateKeyPem)
    const form = kind.startsWith('ec') ? ('sec1' as const) : ('pkcs1' as const)
    expect(olderKeyPem(own.privateKeyPem)).toBe(node.export({ type: form as 'pkcs1', format: 'pem' }).toString())
    expect(hostCrypto.readSigningKey(olderKeyPem(own.privateKeyPem))?.publicKey).toEqual(own.publicKey)
  })

  it('is left as it is where there is none', () => {
    for (const other of ['', 'none', pem('PRIVATE KEY', utf8('x')), olderKeyPem(key.privateKeyPem)]) {
      expect(olderKeyPem(other)).toBe(other)
    }
  })
})
