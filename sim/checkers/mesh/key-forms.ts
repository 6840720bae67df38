import { base64, bytesOf, fromBase64, hex } from '../../../src/base/bytes.ts'
import { readDer } from '../../../src/pki/der.ts'
import { pemBlocks } from '../../../src/pki/pem.ts'
import { olderKeyPem } from '../../../src/pki/private-key.ts'

/** Shorter runs of characters are not looked up. */
export const runLength = 40
/** Longer runs are looked up in pieces of this many characters, which is the length of a line of PEM. */
export const pieceLength = 64
const keyBytesMax = 8 * 1024

/**
 * The pieces of text that give a private key away, in every form in which it may be written: the lines of its PEM text
 * (which are also those of the base64 of its bytes), in base64 and in hexadecimal, in PKCS#8 and in the older form of
 * its kind; and its secret numbers by themselves, in hexadecimal and base64, as a JWK has them.
 */
export function piecesOf(pem: string): readonly string[] {
  const older = olderKeyPem(pem)
  const texts = older === pem ? [pem] : [pem, older]
  return [...texts.flatMap(linesOf), ...numbersOf(older).flatMap((bytes) => [hex(bytes), plainBase64(base64(bytes))])]
    .map((piece) => piece.slice(0, pieceLength))
    .filter((piece) => piece.length >= runLength)
}

/** Both alphabets of base64 as one, without what fills it up; hexadecimal in lower case. */
export function plainRun(run: string): string {
  return /^[0-9A-Fa-f]+$/.test(run) ? run.toLowerCase() : plainBase64(run)
}

function plainBase64(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
}

/** Lines of a few characters tell nothing. */
function linesOf(pem: string): readonly string[] {
  const lines = pem.split('\n').filter((line) => !line.startsWith('-----') && line.length >= runLength)
  return lines.flatMap((line) => {
    const bytes = fromBase64(line)
    return bytes === undefined ? [line] : [plainBase64(line), hex(bytes)]
  })
}

/**
 * RFC 5915, section 3: the number of an elliptic curve; RFC 8017, appendix A.1.2: behind the modulus and the public
 * exponent.
 */
function numbersOf(older: string): readonly Uint8Array[] {
  const blocks = pemBlocks(older)
  const [block] = blocks.ok ? blocks.value : []
  const whole = block === undefined ? undefined : readDer(block.der, keyBytesMax)
  if (whole?.ok !== true) return []
  const { parts } = whole.value
  if (block?.label === 'EC PRIVATE KEY') return parts.slice(1, 2).map(({ content }) => bytesOf(content))
  // A zero in front says that a number is positive, and is no part of it.
  const isRsa = block?.label === 'RSA PRIVATE KEY'
  return isRsa ? parts.slice(3).map(({ content }) => bytesOf(content.replace(/^\0/, ''))) : []
}
