import { bytesOf } from '../base/bytes.ts'
import { around, bits, encoded, integer, octets, readDer, readDerText, sequence, tags } from './der.ts'
import { DerReader } from './der-reader.ts'
import { ids } from './object-ids.ts'
import { pem, pemBlocks } from './pem.ts'

const keyBytesMax = 8 * 1024

/**
 * A private key that stands in PEM as PKCS#8 (RFC 5208), in the older form that its kind has: `EC PRIVATE KEY` (RFC
 * 5915) or `RSA PRIVATE KEY` (RFC 8017), which clients of the field read. Others, and what is no key, as they are.
 */
export function olderKeyPem(pkcs8: string): string {
  const blocks = pemBlocks(pkcs8)
  const [block] = blocks.ok ? blocks.value : []
  const whole = block === undefined ? undefined : readDer(block.der, keyBytesMax)
  if (whole?.ok !== true) return pkcs8
  const read = new DerReader()
  const [, algorithm, key] = read.parts(whole.value, tags.sequence, 'outer sequence')
  const [kind, curve] = read.parts(algorithm, tags.sequence, 'algorithm')
  const id = read.objectId(kind, 'algorithm')
  const inner = read.text(key, tags.octets, 'key')
  if (read.problem !== undefined) return pkcs8
  if (id === ids.rsa) return pem('RSA PRIVATE KEY', bytesOf(inner))
  if (id !== ids.ecPublicKey || curve === undefined) return pkcs8
  const value = readDerText(inner)
  const [, secret, ...rest] = value.ok ? read.parts(value.value, tags.sequence, 'key') : []
  // Within PKCS#8 the curve stands outside; alone, the key must name it.
  const publicKey = rest.find(({ tag }) => tag === 0xa1)?.parts[0]
  const { bytes } = read.bits(publicKey, 'public key')
  const number = read.bytes(secret, tags.octets, 'key')
  if (read.problem !== undefined) return pkcs8
  const parts = [integer(Uint8Array.of(1)), octets(number), around(0, curve), around(1, bits(bytes))]
  return pem('EC PRIVATE KEY', encoded(sequence(...parts)))
}
