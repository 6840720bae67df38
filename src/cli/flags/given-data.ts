import { emptyBytes, textOf, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import type { Invocation } from '../command.ts'

/**
 * The data argument of a command: `-` is standard input, `@FILE` the content of a file, of which at most `bytesMax`
 * bytes are read, and anything else is itself. A missing argument is empty.
 */
export async function dataOperand(
  { env, terminal }: Invocation,
  given: string | undefined,
  bytesMax: number,
): Promise<Result<Uint8Array, string>> {
  if (given === undefined) return ok(emptyBytes)
  if (given === '-') {
    const input = await terminal.readInput()
    return input.ok ? input : err('Error! Standard input is too large')
  }
  if (!given.startsWith('@')) return ok(utf8(given))
  const file = await env.disk.open(given.slice(1), 'read')
  if (!file.ok) return err(`Error! Failed to read file: ${file.error.message}`)
  const bytes = await file.value.read(0, bytesMax)
  await file.value.close()
  return bytes.ok ? bytes : err(`Error! Failed to read file: ${bytes.error.message}`)
}

/** A file that a command is named may be this long, bytes. */
const fileBytesMax = 8 << 20

/** The text of a file; the error is why it cannot be read. */
export async function fileText(disk: Disk, path: string): Promise<Result<string, string>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err(`open ${path}: ${file.error.message}`)
  const bytes = await file.value.read(0, fileBytesMax)
  await file.value.close()
  return bytes.ok ? ok(textOf(bytes.value)) : err(`read ${path}: ${bytes.error.message}`)
}
