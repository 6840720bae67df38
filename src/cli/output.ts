import { concatBytes, emptyBytes, textOf } from '../base/bytes.ts'
import { byteAt } from '../base/items.ts'
import type { Terminal } from '../env/terminal.ts'

/**
 * Columns separated by two spaces, each as wide as its widest cell, the last one unpadded.
 * Reference: command-line.md#fact-5.
 */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')
  return rows.map((row) => `${line(row)}\n`).join('')
}

/** Maximum number of bytes of one line that are held back; a longer line is printed in parts. */
const lineBytesMax = 64 << 10
const newline = 0x0a

/**
 * Turns the output of many nodes, which comes in pieces cut anywhere, into whole lines that each begin with the node's
 * name.
 */
export class LinesByNode {
  /** The incomplete last line of each node. */
  readonly #rests = new Map<string, Uint8Array>()

  /** The lines that are complete now; '' if there is none. */
  push(node: string, piece: Uint8Array): string {
    const bytes = concatBytes([this.#rests.get(node) ?? emptyBytes, piece])
    const whole = bytes.lastIndexOf(newline) + 1
    const end = bytes.length - whole > lineBytesMax ? characterStart(bytes, bytes.length) : whole
    this.#rests.set(node, bytes.slice(end))
    return linesOf(node, bytes.subarray(0, end))
  }

  /** The rest of a node that has ended. */
  end(node: string): string {
    const rest = this.#rests.get(node) ?? emptyBytes
    this.#rests.delete(node)
    return linesOf(node, rest)
  }

  /** The rest of all nodes. */
  endAll(): string {
    return [...this.#rests.keys()].map((node) => this.end(node)).join('')
  }
}

function linesOf(node: string, bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  const lines = textOf(bytes).replace(/\n$/, '').split('\n')
  return lines.map((line) => `    ${node}: ${line}\n`).join('')
}

/**
 * Start of the last character before `end` if its bytes may continue after `end`; otherwise `end`. RFC 3629, section 3.
 */
function characterStart(bytes: Uint8Array, end: number): number {
  for (let at = end - 1; at >= end - 3 && at >= 0; at--) {
    const byte = byteAt(bytes, at)
    if (byte < 0x80) return end
    if (byte >= 0xc0) return at
  }
  return end
}

/** Writes bytes to standard output as they are. */
export function printBytes(terminal: Pick<Terminal, 'out' | 'outBytes'>, bytes: Uint8Array): void {
  if (terminal.outBytes === undefined) terminal.out(textOf(bytes))
  else terminal.outBytes(bytes)
}
