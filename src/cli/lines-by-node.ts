import { concatBytes, emptyBytes, textOf } from '../base/bytes.ts'
import { byteAt } from '../base/items.ts'

/** Bytes of one line that are held back; a longer line is printed in parts. */
const lineBytesMax = 64 << 10
const newline = 0x0a

/** Output of many nodes, that comes in pieces cut anywhere, as text of whole lines that each begin with the node's name. */
export class LinesByNode {
  /** What came of each node's last line. */
  readonly #rests = new Map<string, Uint8Array>()

  /** The lines that are whole now; '' while there is none. */
  push(node: string, piece: Uint8Array): string {
    const bytes = concatBytes([this.#rests.get(node) ?? emptyBytes, piece])
    const whole = bytes.lastIndexOf(newline) + 1
    const end = bytes.length - whole > lineBytesMax ? characterStart(bytes, bytes.length) : whole
    this.#rests.set(node, bytes.slice(end))
    return linesOf(node, bytes.subarray(0, end))
  }

  /** What is left of a node that says no more. */
  end(node: string): string {
    const rest = this.#rests.get(node) ?? emptyBytes
    this.#rests.delete(node)
    return linesOf(node, rest)
  }

  /** What is left of all. */
  endAll(): string {
    return [...this.#rests.keys()].map((node) => this.end(node)).join('')
  }
}

function linesOf(node: string, bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  const lines = textOf(bytes).replace(/\n$/, '').split('\n')
  return lines.map((line) => `    ${node}: ${line}\n`).join('')
}

/** Where the last character before `end` begins, if it may go on behind it; else `end`. RFC 3629, section 3. */
function characterStart(bytes: Uint8Array, end: number): number {
  for (let at = end - 1; at >= end - 3 && at >= 0; at--) {
    const byte = byteAt(bytes, at)
    if (byte < 0x80) return end
    if (byte >= 0xc0) return at
  }
  return end
}
