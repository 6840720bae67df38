import { fromBase64 } from '../../base/bytes.ts'
import { parseJsonInput } from '../../base/json-input.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { isList } from '../../base/shape.ts'
import { inputBytesMax } from '../../env/terminal.ts'
import { kvValueBytesMax } from '../../model/limits.ts'
import { sightOf, warnOfNoSight } from '../acl/missing-rules.ts'
import {
  ApiClient,
  failed,
  keyOf,
  keyPath,
  misused,
  serverFlags,
  surplusOperands,
  unexpectedText,
} from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { dataOperand } from '../flags/values.ts'

/** An entry as export writes it and import reads it. */
interface Transferred {
  readonly key: string
  readonly flags: number | bigint
  /** Base64. */
  readonly value: string
}

export const kvExportCommand: CliCommand = {
  path: ['kv', 'export'],
  summary: 'Exports a tree from the KV store as JSON',
  operands: '[PREFIX]',
  flags: serverFlags,
  async run(invocation) {
    const surplus = surplusOperands(invocation, 1)
    if (surplus !== undefined) return misused(invocation, `Error! ${surplus}`)
    const prefix = keyOf(invocation.args[0] ?? '')
    const answer = await new ApiClient(invocation).send('GET', keyPath(prefix), [['recurse', '']])
    if (!answer.ok) return failed(invocation, `Error querying ${invocation.naming.title} agent: ${answer.error}`)
    const { status, body } = answer.value
    if (status !== 200 && status !== 404) {
      return failed(invocation, `Error querying ${invocation.naming.title} agent: ${unexpectedText(answer.value)}`)
    }
    const entries = status === 404 ? ok([]) : transferredOf(body, { key: 'Key', flags: 'Flags', value: 'Value' })
    if (!entries.ok) return failed(invocation, `Error querying ${invocation.naming.title} agent: ${entries.error}`)
    invocation.terminal.out(exportText(entries.value))
    if (entries.value.length === 0) await warnOfNoSight(invocation, 'key', [sightOf.keys(prefix)])
    return 0
  },
}

export const kvImportCommand: CliCommand = {
  path: ['kv', 'import'],
  summary: 'Imports a tree stored as JSON to the KV store',
  operands: '[DATA]',
  about: 'DATA is what kv export wrote; it may be - for standard input or @FILE for the content of a file.',
  flags: serverFlags,
  async run(invocation) {
    const [given] = invocation.args
    const surplus = surplusOperands(invocation, 1)
    if (surplus !== undefined) return misused(invocation, `Error! ${surplus}`)
    if (given === undefined) return misused(invocation, 'Error! Missing DATA argument')
    const data = await dataOperand(invocation, given, inputBytesMax)
    if (!data.ok) return failed(invocation, data.error)
    const entries = transferredOf(data.value, { key: 'key', flags: 'flags', value: 'value' })
    if (!entries.ok) return failed(invocation, `Cannot unmarshal data: ${entries.error}`)
    const writes = writesOf(entries.value)
    if (!writes.ok) return failed(invocation, writes.error)
    const client = new ApiClient(invocation)
    for (const { key, flags, bytes } of writes.value) {
      const done = await client.expect('PUT', keyPath(key), [['flags', String(flags)]], bytes)
      if (!done.ok) return failed(invocation, `Error! Failed writing data for key ${key}: ${done.error}`)
      invocation.terminal.out(`Imported: ${key}\n`)
    }
    return 0
  },
}

interface KeyWrite extends Pick<Transferred, 'key' | 'flags'> {
  readonly bytes: Uint8Array
}

/** Checks all entries before one is written, because half an import is worse than none. */
function writesOf(entries: readonly Transferred[]): Result<readonly KeyWrite[], string> {
  const writes: KeyWrite[] = []
  for (const { key, flags, value } of entries) {
    const bytes = fromBase64(value)
    if (bytes === undefined) return err(`Error base 64 decoding value for key ${key}`)
    const write = { key, flags, bytes }
    const flaw = flawOf(write)
    if (flaw !== undefined) return err(flaw)
    writes.push(write)
  }
  return ok(writes)
}

/** Why the API would not take the entry. */
function flawOf({ key, flags, bytes }: KeyWrite): string | undefined {
  // The API would read such a key as another path.
  if (key.startsWith('/')) return `Invalid key. Key must not begin with a '/': ${key}`
  if (/(?:^|\/)(?:\/|\.\.?(?:\/|$))/.test(key)) return `Invalid key. Key must have no segment '', '.' or '..': ${key}`
  if (!isUint64(flags)) return `the flags of ${key} are not an unsigned number of 64 bits`
  if (bytes.length <= kvValueBytesMax) return undefined
  return `Value for key ${JSON.stringify(key)} is too large (${bytes.length} > ${kvValueBytesMax} bytes)`
}

function isUint64(value: number | bigint): boolean {
  return typeof value === 'bigint' ? value >= 0n && value < 1n << 64n : Number.isSafeInteger(value) && value >= 0
}

/** Flags are 64 bits: they are read, and written again, digit for digit. */
function transferredOf(
  bytes: Uint8Array,
  names: Readonly<Record<keyof Transferred, string>>,
): Result<readonly Transferred[], string> {
  const parsed = parseJsonInput(bytes)
  if (!parsed.ok) return parsed
  if (!isList(parsed.value)) return err('not a list of entries')
  const entries: Transferred[] = []
  for (const item of parsed.value) {
    if (!(item instanceof Map)) return err(`entry ${entries.length + 1} is not an object`)
    const [key, flags, value] = [item.get(names.key), item.get(names.flags) ?? 0, item.get(names.value) ?? '']
    if (typeof key !== 'string' || key === '') return err(`entry ${entries.length + 1} has no key`)
    if (typeof value !== 'string') return err(`the value of ${key} is not a text`)
    if (typeof flags !== 'number' && typeof flags !== 'bigint') return err(`the flags of ${key} are not a number`)
    entries.push({ key, flags, value })
  }
  return ok(entries)
}

function exportText(entries: readonly Transferred[]): string {
  if (entries.length === 0) return '[]\n'
  const shown = entries.map(({ key, flags, value }) => {
    const members = [
      ['key', JSON.stringify(key)],
      ['flags', String(flags)],
      ['value', JSON.stringify(value)],
    ]
    return `\t{\n${members.map(([name, text]) => `\t\t"${name}": ${text}`).join(',\n')}\n\t}`
  })
  return `[\n${shown.join(',\n')}\n]\n`
}
