import { base64, byteStringOf, bytesOf, fromBase64, hex } from '../../../src/base/bytes.ts'
import { readDer } from '../../../src/pki/der.ts'
import { pemBlocks } from '../../../src/pki/pem.ts'
import { olderKeyPem } from '../../../src/pki/private-key.ts'

/** Shorter runs of characters are not searched for. */
export const runLength = 40
/** Longer runs are searched for in pieces of this many characters, the length of a line of PEM. */
export const pieceLength = 64
const keyBytesMax = 8 * 1024
/** A line with fewer bytes of a secret number reveals nothing. */
const secretBytesLeast = 8

/**
 * The pieces of text that reveal a private key, in every form in which it may be written: the lines of its PEM text
 * (which are also those of the base64 of its bytes), in base64 and in hexadecimal, in PKCS#8 and in the older form of
 * its kind; and its secret numbers by themselves, in hexadecimal and base64, as in a JWK.
 */
export function piecesOf(pem: string): readonly string[] {
  const older = olderKeyPem(pem)
  const texts = older === pem ? [pem] : [pem, older]
  const numbers = numbersOf(older)
  return [
    ...texts.flatMap((text) => linesOf(text, numbers.map(byteStringOf))),
    ...numbers.flatMap((bytes) => [hex(bytes), plainBase64(base64(bytes))]),
  ]
    .map((piece) => piece.slice(0, pieceLength))
    .filter((piece) => piece.length >= runLength)
}

/** Normalizes a run: both alphabets of base64 become one, without padding; hexadecimal becomes lower case. */
export function plainRun(run: string): string {
  return /^[0-9A-Fa-f]+$/.test(run) ? run.toLowerCase() : plainBase64(run)
}

function plainBase64(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
}

/**
 * Lines of a few characters reveal nothing. Nor do lines of the public half, which a private key contains as well: in a
 * certificate, the same bytes may stand at the same place of a line.
 */
function linesOf(pem: string, secrets: readonly string[]): readonly string[] {
  const lines = pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))
  const whole = byteStringOf(fromBase64(lines.join('')) ?? new Uint8Array(0))
  const ranges = secrets.map((secret) => ({ from: whole.indexOf(secret), length: secret.length }))
  const isSecret = (from: number, length: number): boolean =>
    ranges.length === 0 ||
    ranges.some((range) => {
      const both = Math.min(from + length, range.from + range.length) - Math.max(from, range.from)
      return range.from >= 0 && both >= secretBytesLeast
    })
  let at = 0
  return lines.flatMap((line) => {
    const bytes = fromBase64(line)
    const from = at
    at += bytes?.length ?? 0
    if (line.length < runLength) return []
    if (bytes === undefined) return [line]
    return isSecret(from, bytes.length) ? [plainBase64(line), hex(bytes)] : []
  })
}

/**
 * The secret numbers of a key. RFC 5915, section 3: the number of an elliptic curve; RFC 8017, appendix A.1.2: those
 * after the modulus and the public exponent.
 */
function numbersOf(older: string): readonly Uint8Array[] {
  const blocks = pemBlocks(older)
  const [block] = blocks.ok ? blocks.value : []
  const whole = block === undefined ? undefined : readDer(block.der, keyBytesMax)
  if (whole?.ok !== true) return []
  const { parts } = whole.value
  if (block?.label === 'EC PRIVATE KEY') return parts.slice(1, 2).map(({ content }) => bytesOf(content))
  // A leading zero marks a number as positive, and is not part of it.
  const isRsa = block?.label === 'RSA PRIVATE KEY'
  return isRsa ? parts.slice(3).map(({ content }) => bytesOf(content.replace(/^\0/, ''))) : []
}
