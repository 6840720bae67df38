import { bytesOf } from '../base/bytes.ts'
import { around, bits, encoded, integer, octets, readDer, readDerText, sequence, tags } from './der.ts'
import { DerReader } from './der-reader.ts'
import { ids } from './object-ids.ts'
import { pem, pemBlocks } from './pem.ts'

const keyBytesMax = 8 * 1024

/**
 * Converts a private key from PKCS#8 in PEM (RFC 5208) to the older form of its kind, which clients of the field read:
 * `EC PRIVATE KEY` (RFC 5915) or `RSA PRIVATE KEY` (RFC 8017). Other kinds of keys and other texts are returned
 * unchanged.
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
  // PKCS#8 names the curve outside of the key; the older form must name it in the key.
  const publicKey = rest.find(({ tag }) => tag === 0xa1)?.parts[0]
  const { bytes } = read.bits(publicKey, 'public key')
  const number = read.bytes(secret, tags.octets, 'key')
  if (read.problem !== undefined) return pkcs8
  const parts = [integer(Uint8Array.of(1)), octets(number), around(0, curve), around(1, bits(bytes))]
  return pem('EC PRIVATE KEY', encoded(sequence(...parts)))
}
