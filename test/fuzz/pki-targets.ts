import { textOf, utf8 } from '../../src/base/bytes.ts'
import { readCertificate, readCertificates } from '../../src/pki/certificate.ts'
import { dottedId, encoded, readDer } from '../../src/pki/der.ts'
import { certificateIn, pemBlocks } from '../../src/pki/pem.ts'
import { publicKeyKindOf } from '../../src/pki/public-key.ts'
import { readRequest } from '../../src/pki/request.ts'
import { readSpiffeId } from '../../src/pki/spiffe.ts'
import type { FuzzTarget } from '../tools/fuzz/target.ts'

/** Signatures are looked at by native code, which is not what is tried here. */
const signed = { verify: () => true }

const der: FuzzTarget = {
  name: 'der',
  about: 'DER: certificates and requests',
  lengthMax: 16_384,
  run: (bytes) => {
    const whole = readDer(bytes, 32 * 1024)
    if (whole.ok) {
      dottedId(whole.value)
      encoded(whole.value)
    }
    readCertificate(bytes)
    readRequest(bytes, signed)
    publicKeyKindOf(bytes)
  },
  // Certificates and requests are in the corpus: none is made twice with the same bytes.
  seeds: () => [],
  bounds: { steps: (length) => 100_000 + 1_000 * length, bytes: (length) => (4 << 20) + 600 * length },
}

const uri = 'spiffe://11111111-2222-3333-4444-555555555555.svc'

const pemText: FuzzTarget = {
  name: 'pem',
  about: 'PEM texts and SPIFFE IDs',
  lengthMax: 16_384,
  run: (bytes) => {
    const text = textOf(bytes)
    pemBlocks(text)
    certificateIn(text)
    readCertificates(text)
    readRequest(text, signed)
    readSpiffeId(text)
  },
  seeds: () => [utf8(`${uri}/ns/default/dc/dc1/svc/web`), utf8(uri)],
  words: ['-----BEGIN CERTIFICATE-----\n', '-----END CERTIFICATE-----\n', 'spiffe://', '/ns/', '/dc/', '/svc/', '%2F'],
  bounds: { steps: (length) => 400_000 + 1_500 * length, bytes: (length) => (16 << 20) + 600 * length },
}

export const pkiTargets: readonly FuzzTarget[] = [der, pemText]
