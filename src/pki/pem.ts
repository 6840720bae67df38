import { base64, fromBase64 } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'

/** The textual form of DER bytes. RFC 7468. */
export function pem(label: string, der: Uint8Array): string {
  const lines = base64(der).match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

export function certificatePem(certificate: Uint8Array): string {
  return pem('CERTIFICATE', certificate)
}

/** Longer texts are refused unread. */
export const pemMax = 256 * 1024
/** Maximum number of blocks in one text. */
export const blocksMax = 32

export interface PemBlock {
  readonly label: string
  readonly der: Uint8Array
}

const begin = /-----BEGIN ([A-Z0-9 ]{1,40})-----/g

/** All blocks of a text, in order. Text around them is ignored, because explanations may stand there. */
export function pemBlocks(text: string): Result<readonly PemBlock[], string> {
  if (text.length > pemMax) return err(`the PEM text is longer than ${pemMax} characters`)
  const blocks: PemBlock[] = []
  for (const found of text.matchAll(begin)) {
    if (blocks.length === blocksMax) return err(`the PEM text has more than ${blocksMax} blocks`)
    const [line, label = ''] = found
    const from = found.index + line.length
    const to = text.indexOf(`-----END ${label}-----`, from)
    if (to < 0) return err(`the PEM text has a block of type ${label} without its END line`)
    const der = fromBase64(text.slice(from, to).replace(/\s/g, ''))
    if (der === undefined || der.length === 0) {
      return err(`the PEM text has a block of type ${label} that is not base64`)
    }
    blocks.push({ label, der })
  }
  return ok(blocks)
}

/** The first certificate that a PEM text holds, in DER. */
export function certificateIn(text: string): Uint8Array | undefined {
  const blocks = pemBlocks(text)
  return blocks.ok ? blocks.value.find(({ label }) => label === 'CERTIFICATE')?.der : undefined
}
