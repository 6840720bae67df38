import { describe, expect, it } from 'vitest'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { certificateBytesMax, readCertificate, readCertificates } from '../../../src/pki/certificate.ts'
import { type CertificateParts, writeCertificate } from '../../../src/pki/certificate-writer.ts'
import { type Der, objectId, octets, sequence, utf8Text } from '../../../src/pki/der.ts'
import * as extension from '../../../src/pki/extensions.ts'
import { signRoot } from '../../../src/pki/mesh-certificates.ts'
import { nameOf } from '../../../src/pki/name.ts'
import { ids } from '../../../src/pki/object-ids.ts'
import { blocksMax, pem } from '../../../src/pki/pem.ts'
import { certificateOf, dayMs, keyOf, rootBy, signingId, term } from './mesh.ts'

const key = await keyOf('ec-256')
const root = rootBy(key).certificate

function made(change: Partial<CertificateParts>): Uint8Array {
  const { serial, ...times } = term(dayMs)
  const parts = {
    ...times,
    serial: Uint8Array.of(Number(serial)),
    issuer: nameOf('x'),
    subject: nameOf('x'),
    publicKey: key.publicKey,
    extensions: [],
  }
  return writeCertificate({ ...parts, ...change }, key)
}

const withExtensions = (...extensions: readonly Der[]): Uint8Array => made({ extensions })
const raw = (id: string, ...values: readonly Der[]): Der => sequence(objectId(id), ...values)
const no: Der = { tag: 1, parts: [], content: '\x00' }

describe('a certificate', () => {
  it('of the far future has its years in four digits, and times are cut to whole seconds', () => {
    const [notBeforeMs, notAfterMs] = [Date.UTC(2049, 11, 31, 23, 59, 59, 999), Date.UTC(2050, 0, 1, 0, 0, 0, 1)]
    const read = certificateOf(made({ notBeforeMs, notAfterMs }))
    expect([read.notBeforeMs, read.notAfterMs]).toEqual([notBeforeMs - 999, notAfterMs - 1])
    const wishes = { commonName: 'a', uri: signingId, serial: 1n, notBeforeMs: -5_000, notAfterMs: 8.64e15 }
    const endless = certificateOf(signRoot(hostCrypto, key, wishes))
    expect([endless.notBeforeMs, endless.notAfterMs]).toEqual([0, Date.UTC(9999, 11, 31, 23, 59, 59)])
  })

  it('has a serial number of up to 20 bytes, exactly', () => {
    const longest = 2n ** 159n - 1n
    for (const serial of [0n, 1n, 127n, 128n, 2n ** 63n, 2n ** 64n - 1n, longest]) {
      const wishes = { ...term(dayMs), commonName: 'a', uri: signingId, serial }
      expect(certificateOf(signRoot(hostCrypto, key, wishes)).serial).toBe(serial)
    }
  })

  it('names its key and its uses as they were said', () => {
    expect(root).toMatchObject({
      authority: true,
      pathLength: undefined,
      keyUsages: ['digitalSignature', 'keyCertSign', 'cRLSign'],
      extendedUses: undefined,
      uris: [signingId],
      signatureAlgorithm: 'ecdsa-sha256',
    })
    expect(root.subjectKeyId).toEqual(hostCrypto.sha256(key.publicKey).slice(0, 20))
    expect(root.authorityKeyId).toEqual(root.subjectKeyId)
    expect(certificateOf(withExtensions())).toMatchObject({
      authority: false,
      keyUsages: undefined,
      subjectKeyId: undefined,
      authorityKeyId: undefined,
      uris: [],
    })
    const all = extension.keyUsage(extension.keyUsageNames)
    expect(certificateOf(withExtensions(all)).keyUsages).toEqual(extension.keyUsageNames)
    const long = certificateOf(withExtensions(extension.basicConstraints(true, 300)))
    expect(long.pathLength).toBe(300)
  })

  it.each([
    [
      'one extension twice',
      withExtensions(
        extension.subjectKeyId(key.publicKey.slice(0, 9)),
        extension.subjectKeyId(key.publicKey.slice(0, 9)),
      ),
      'it has the same extension twice',
    ],
    [
      'more extensions than anybody uses',
      withExtensions(...Array.from({ length: 33 }, (_, at) => raw(`1.2.3.${at}`, octets(key.publicKey)))),
      'it has more than 32 extensions',
    ],
    [
      'an extension that is no DER',
      withExtensions(raw(ids.basicConstraints, octets(Uint8Array.of(1)))),
      'it has an extension that cannot be read: it is not valid DER, or nested too deeply',
    ],
    [
      'an extension without a value',
      withExtensions(raw(ids.basicConstraints)),
      'its field "extension\'s value" is missing or has the wrong type',
    ],
    [
      'an empty name of its key',
      withExtensions(extension.subjectKeyId(new Uint8Array(0))),
      'its key identifier must be 1 to 128 bytes long',
    ],
    [
      'a path length, and is no authority',
      withExtensions(raw(ids.basicConstraints, octets(Uint8Array.of(0x30, 3, 2, 1, 0)))),
      'it has a path length, which only a certificate authority may have',
    ],
    [
      'no alternative name in their list',
      withExtensions(extension.subjectNames({})),
      'it must have 1 to 64 subject alternative names',
    ],
    [
      'a serial number of 21 bytes',
      made({ serial: new Uint8Array(21).fill(0x41) }),
      'its field "serial number" is not an unsigned integer of at most 20 bytes',
    ],
    [
      'a subject that is none',
      made({ subject: sequence(utf8Text('x')) }),
      'its field "subject" is missing or has the wrong type',
    ],
    [
      'a subject with an attribute without a value',
      made({ subject: sequence({ ...sequence(sequence(objectId(ids.commonName))), tag: 0x31 }) }),
      'its subject has an attribute without a value',
    ],
    ['a time that is none', made({ notBeforeMs: 253_402_300_800_000 }), 'its field "not before" is not a valid time'],
  ])('with %s is refused', (_, der, reason) => {
    expect(readCertificate(der)).toEqual({ ok: false, error: `the certificate cannot be read: ${reason}` })
  })

  it('with a criticality that is said to be none is read nevertheless', () => {
    const spoken = raw(ids.basicConstraints, no, octets(Uint8Array.of(0x30, 3, 1, 1, 0)))
    expect(certificateOf(withExtensions(spoken))).toMatchObject({ authority: false, unknownCritical: [] })
    expect(certificateOf(withExtensions(raw('1.2.3', no, octets(key.publicKey)))).unknownCritical).toEqual([])
  })

  it('that names two algorithms for one signature is refused', () => {
    const text = Buffer.from(root.der).toString('latin1')
    const sha256 = '\x2a\x86\x48\xce\x3d\x04\x03\x02'
    const other = Buffer.from(text.replace(sha256, sha256.replace(/.$/, '\x03')), 'latin1')
    expect(readCertificate(new Uint8Array(other))).toMatchObject({
      error: expect.stringContaining('two fields for the algorithm of its signature differ'),
    })
  })

  it('longer than any is not looked at', () => {
    expect(readCertificate(new Uint8Array(certificateBytesMax + 1))).toMatchObject({
      error: expect.stringContaining(`longer than ${certificateBytesMax} bytes`),
    })
  })
})

describe('certificates in PEM', () => {
  it('are read in order, and what stands around them is passed over', () => {
    const other = certificateOf(made({}))
    const read = readCertificates(`subject: x\n${root.pem}\nissuer: y\r\n${other.pem.replace(/\n/g, '\r\n')}end`)
    expect(read).toEqual({ ok: true, value: [root, other] })
  })

  it.each([
    ['no certificate', 'nothing', 'the PEM text contains no certificate'],
    [
      'a key among them',
      `${root.pem}${pem('PRIVATE KEY', root.der)}`,
      'the PEM text contains a block of type PRIVATE KEY, but only certificates are allowed',
    ],
    ['too many', root.pem.repeat(blocksMax + 1), `the PEM text has more than ${blocksMax} blocks`],
    [
      'one that is none',
      pem('CERTIFICATE', Uint8Array.of(5, 0)),
      'the certificate cannot be read: its field "outer sequence" is missing or has the wrong type',
    ],
    [
      'one that is cut off',
      root.pem.slice(0, 100),
      'the PEM text has a block of type CERTIFICATE without its END line',
    ],
    [
      'an empty one',
      '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----',
      'the PEM text has a block of type CERTIFICATE that is not base64',
    ],
  ])('with %s are refused', (_, text, error) => {
    expect(readCertificates(text)).toEqual({ ok: false, error })
  })
})
