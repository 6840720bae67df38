import { emptyBytes, textOf, utf8 } from '../../base/bytes.ts'
import { parseDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import type { FlagValue, Invocation } from '../command.ts'

/** The value of a text flag; empty if it was not given. */
export function textFlag({ flags }: Pick<Invocation, 'flags'>, name: string): string {
  const value = flags.get(name)
  return typeof value === 'string' ? value : ''
}

/** The values of a flag that may be repeated. */
export function listFlag({ flags }: Pick<Invocation, 'flags'>, name: string): readonly string[] {
  const value = flags.get(name)
  return Array.isArray(value) ? value : []
}

/** A flag in milliseconds, 0 or more; `examples` are shown in the error. */
export function durationFlag(
  flags: Invocation['flags'],
  name: string,
  otherwise: number,
  examples: string,
): Result<number, string> {
  const given = flags.get(name)
  if (typeof given !== 'string') return ok(otherwise)
  const duration = parseDuration(given)
  return duration.ok && duration.value >= 0 ? duration : err(`-${name} ${given}: not a duration such as ${examples}`)
}

/** The values of a flag that may be repeated, each as `key=value`. */
export function pairsOf(given: FlagValue | undefined, flag: string): Result<Readonly<Record<string, string>>, string> {
  const pairs: (readonly [string, string])[] = []
  for (const pair of typeof given === 'object' ? given : []) {
    const equals = pair.indexOf('=')
    if (equals < 1) return err(`-${flag} "${pair}" is not key=value`)
    pairs.push([pair.slice(0, equals), pair.slice(equals + 1)])
  }
  return ok(Object.fromEntries(pairs))
}

/**
 * The data argument of a command: `-` is standard input, `@FILE` the content of a file, and anything else is itself. A
 * missing argument is empty. More than `bytesMax` bytes are refused: a part of them would be taken for the whole.
 */
export async function dataOperand(
  { env, terminal }: Invocation,
  given: string | undefined,
  bytesMax: number,
): Promise<Result<Uint8Array, string>> {
  if (given === undefined) return ok(emptyBytes)
  if (given === '-') {
    const input = await terminal.readInput()
    if (input.ok && input.value.length <= bytesMax) return input
    return err(`Error! Standard input has more than ${bytesMax} bytes`)
  }
  if (!given.startsWith('@')) return ok(utf8(given))
  const bytes = await wholeFile(env.disk, given.slice(1), bytesMax)
  return bytes.ok ? bytes : err(`Error! Failed to read file: ${bytes.error.why}`)
}

/** Maximum size in bytes of a file that a flag or an operand names. */
const fileBytesMax = 8 << 20

/** The text of a file; the error is why it cannot be read. */
export async function fileText(disk: Disk, path: string): Promise<Result<string, string>> {
  const bytes = await wholeFile(disk, path)
  return bytes.ok ? ok(textOf(bytes.value)) : err(`${bytes.error.step} ${path}: ${bytes.error.why}`)
}

interface Unread {
  readonly step: 'open' | 'read'
  readonly why: string
}

/** The content of a file; one with more than `bytesMax` bytes is refused. */
export async function wholeFile(
  disk: Disk,
  path: string,
  bytesMax = fileBytesMax,
): Promise<Result<Uint8Array, Unread>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err({ step: 'open', why: file.error.message })
  const bytes = await file.value.read(0, bytesMax + 1)
  await file.value.close()
  if (!bytes.ok) return err({ step: 'read', why: bytes.error.message })
  return bytes.value.length <= bytesMax ? bytes : err({ step: 'read', why: `it has more than ${bytesMax} bytes` })
}
