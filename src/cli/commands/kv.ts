import { base64, concatBytes, emptyBytes, fromBase64, textOf, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { sightOf, warnOfNoSight } from '../acl/missing-rules.ts'
import type { Entry } from '../api/answers.ts'
import {
  ApiClient,
  type ApiResponse,
  failed,
  keyOf,
  keyPath,
  serverFlags,
  surplusOperands,
  unexpectedText,
} from '../api/client.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { dataOperand } from '../flags/values.ts'
import { readLosses } from '../guards/reads.ts'
import { formatFlag, isTable, printListing } from '../listing.ts'
import { printBytes } from '../output.ts'

/** Most bytes of a file or of standard input that `kv put` takes: as many as an agent takes in the body of a request. */
const dataBytesMax = 1 << 20
/** The same in base64, which may be cut into lines. */
const base64BytesMax = 2 * dataBytesMax

const getFlags: readonly CommandFlag[] = [
  formatFlag,
  { name: 'base64', kind: 'bool', help: 'Print values in base64.' },
  { name: 'detailed', kind: 'bool', help: 'Print indexes, flags and session too.' },
  { name: 'keys', kind: 'bool', help: 'Print the keys that begin with KEY, up to the separator.' },
  { name: 'recurse', kind: 'bool', help: 'Print all entries whose key begins with KEY.' },
  { name: 'separator', kind: 'text', value: '<text>', help: 'The separator at which -keys cuts keys off. Default: /.' },
]

export const kvGetCommand: CliCommand = {
  path: ['kv', 'get'],
  summary: 'Retrieves or lists data from the KV store',
  operands: '[KEY_OR_PREFIX]',
  flags: [...getFlags, ...serverFlags],
  async run(invocation) {
    const isPrefix = ['recurse', 'keys'].some((flag) => invocation.flags.get(flag) === true)
    const key = operand(invocation, keyOf(invocation.args[0] ?? ''), isPrefix)
    if (!key.ok) return failed(invocation, key.error)
    if (invocation.flags.get('keys') === true) return printKeys(invocation, key.value)
    return printEntries(invocation, key.value, invocation.flags.get('recurse') === true)
  },
}

async function printKeys(invocation: Invocation, prefix: string): Promise<number> {
  const separator = invocation.flags.get('separator')
  const query: [string, string][] = [
    ['keys', ''],
    ['separator', typeof separator === 'string' ? separator : '/'],
  ]
  const answer = await new ApiClient(invocation).send('GET', keyPath(prefix), query)
  if (!answer.ok) return failed(invocation, `Error querying ${invocation.naming.title} agent: ${answer.error}`)
  if (answer.value.status === 404) return noneBelow(invocation, prefix)
  if (answer.value.status !== 200) return unexpected(invocation, answer.value)
  const { readKeys } = await import('../api/answers.ts')
  const keys = readKeys(answer.value.body)
  if (keys === undefined)
    return failed(invocation, `Error querying ${invocation.naming.title} agent: the answer is not a list of keys`)
  printListing(invocation, keys, keys.map((key) => `${key}\n`).join(''))
  return 0
}

async function noneBelow(invocation: Invocation, prefix: string): Promise<number> {
  printListing(invocation, [], '')
  await warnOfNoSight(invocation, 'key', [sightOf.keys(prefix)])
  return 0
}

async function printEntries(invocation: Invocation, key: string, recurse: boolean): Promise<number> {
  const answer = await new ApiClient(invocation).send('GET', keyPath(key), recurse ? [['recurse', '']] : [])
  if (!answer.ok) return failed(invocation, `Error querying ${invocation.naming.title} agent: ${answer.error}`)
  if (answer.value.status === 404) {
    return recurse ? noneBelow(invocation, key) : failed(invocation, `Error! No key exists at: ${key}`)
  }
  if (answer.value.status !== 200) return unexpected(invocation, answer.value)
  const { readEntries } = await import('../api/answers.ts')
  const entries = readEntries(answer.value.body)
  if (entries === undefined)
    return failed(invocation, `Error querying ${invocation.naming.title} agent: the answer is not a list of entries`)
  const detailed = invocation.flags.get('detailed') === true
  const shown = entries.flatMap((entry, at) => {
    if (detailed) return [utf8(at === 0 ? '' : '\n'), ...detail(invocation, entry)]
    return [utf8(recurse ? `${entry.Key}:` : ''), valueBytes(invocation, entry), lineEnd]
  })
  // A value need not be text: what goes to a file is what was stored.
  if (isTable(invocation)) printBytes(invocation.terminal, concatBytes(shown))
  else printListing(invocation, [...entries], '')
  return 0
}

const lineEnd = utf8('\n')

function detail(invocation: Invocation, entry: Entry): readonly Uint8Array[] {
  const rows: readonly (readonly [string, string])[] = [
    ['CreateIndex', String(entry.CreateIndex)],
    ['Flags', String(entry.Flags)],
    ['Key', entry.Key],
    ['LockIndex', String(entry.LockIndex)],
    ['ModifyIndex', String(entry.ModifyIndex)],
    ['Session', entry.Session ?? '-'],
    ['Value', ''],
  ]
  const width = 'CreateIndex'.length + 6
  const before = rows.map(([name, value]) => `${name.padEnd(width)}${value}`).join('\n')
  return [utf8(before), valueBytes(invocation, entry), lineEnd]
}

function valueBytes(invocation: Invocation, entry: Entry): Uint8Array {
  const bytes = fromBase64(entry.Value ?? '') ?? emptyBytes
  return invocation.flags.get('base64') === true ? utf8(base64(bytes)) : bytes
}

const putFlags: readonly CommandFlag[] = [
  { name: 'acquire', kind: 'bool', help: 'Lock the key with -session; the key is created if it does not exist.' },
  { name: 'base64', kind: 'bool', help: 'DATA is base64: decode it first.' },
  { name: 'cas', kind: 'bool', help: 'Write only if the entry is still at -modify-index.' },
  { name: 'flags', kind: 'text', value: '<n>', help: 'An unsigned number kept with the entry.' },
  { name: 'modify-index', kind: 'text', value: '<n>', help: 'ModifyIndex that -cas checks.' },
  { name: 'release', kind: 'bool', help: 'Release the lock that -session holds on the key.' },
  { name: 'session', kind: 'text', value: '<id>', help: 'ID of the session that locks or releases the key.' },
]

export const kvPutCommand: CliCommand = {
  path: ['kv', 'put'],
  summary: 'Sets or updates data in the KV store',
  operands: 'KEY [DATA]',
  about: 'DATA may be - for standard input or @FILE for the content of a file; without it the value is empty.',
  flags: [...putFlags, ...serverFlags],
  async run(invocation) {
    const key = operand(invocation, invocation.args[0] ?? '', false, 2)
    if (!key.ok) return failed(invocation, key.error)
    if (key.value.startsWith('/')) {
      return failed(invocation, `Error! Failed writing data: Invalid key. Key must not begin with a '/': ${key.value}`)
    }
    const query = casQuery(invocation)
    if (!query.ok) return failed(invocation, query.error)
    const lock = lockQuery(invocation)
    if (!lock.ok) return failed(invocation, lock.error)
    query.value.push(...lock.value)
    const flags = invocation.flags.get('flags')
    if (typeof flags === 'string') query.value.push(['flags', flags])
    const data = await dataOf(invocation, invocation.args[1])
    if (!data.ok) return failed(invocation, data.error)
    const answer = await new ApiClient(invocation).expect('PUT', keyPath(key.value), query.value, data.value)
    if (!answer.ok) return failed(invocation, `Error! Failed writing data: ${answer.error}`)
    const texts = putTexts(invocation, key.value)
    if (textOf(answer.value).trim() !== 'true') return failed(invocation, texts.refused)
    invocation.terminal.out(`${texts.done}\n`)
    return 0
  },
}

const deleteFlags: readonly CommandFlag[] = [
  { name: 'cas', kind: 'bool', help: 'Delete only if the entry is still at -modify-index.' },
  { name: 'modify-index', kind: 'text', value: '<n>', help: 'ModifyIndex that -cas checks.' },
  { name: 'recurse', kind: 'bool', help: 'Delete all entries whose key begins with KEY.' },
]

export const kvDeleteCommand: CliCommand = {
  path: ['kv', 'delete'],
  summary: 'Removes data from the KV store',
  operands: 'KEY_OR_PREFIX',
  flags: [...deleteFlags, ...serverFlags],
  guard: {
    when: '`-recurse` finds keys',
    says: 'the command deletes … keys with the prefix ….',
    losses: (invocation) =>
      readLosses(invocation, async (reads) =>
        (await import('../guards/data-losses.ts')).deletedKeys(reads, invocation),
      ),
  },
  async run(invocation) {
    const recurse = invocation.flags.get('recurse') === true
    const key = operand(invocation, keyOf(invocation.args[0] ?? ''), recurse)
    if (!key.ok) return failed(invocation, key.error)
    const query = casQuery(invocation)
    if (!query.ok) return failed(invocation, query.error)
    if (recurse) query.value.push(['recurse', ''])
    const answer = await new ApiClient(invocation).expect('DELETE', keyPath(key.value), query.value)
    if (!answer.ok) return failed(invocation, `Error! Did not delete key ${key.value}: ${answer.error}`)
    if (textOf(answer.value).trim() !== 'true')
      return failed(invocation, `Error! Did not delete key ${key.value}: CAS failed`)
    invocation.terminal.out(
      recurse ? `Success! Deleted keys with prefix: ${key.value}\n` : `Success! Deleted key: ${key.value}\n`,
    )
    return 0
  },
}

function operand(invocation: Invocation, key: string, mayBeEmpty: boolean, most = 1): Result<string, string> {
  const surplus = surplusOperands(invocation, most)
  if (surplus !== undefined) return err(`Error! ${surplus}`)
  if (key !== '' || mayBeEmpty) return ok(key)
  return err('Error! Missing KEY argument')
}

function putTexts({ flags }: Invocation, key: string): { readonly done: string; readonly refused: string } {
  if (flags.get('acquire') === true) {
    return { done: `Success! Lock acquired on: ${key}`, refused: 'Error! Did not acquire lock' }
  }
  if (flags.get('release') === true) {
    return { done: `Success! Lock released on: ${key}`, refused: 'Error! Did not release lock' }
  }
  return { done: `Success! Data written to: ${key}`, refused: `Error! Did not write to ${key}: CAS failed` }
}

function lockQuery({ flags }: Invocation): Result<[string, string][], string> {
  const asked = ['acquire', 'release'].filter((name) => flags.get(name) === true)
  const session = flags.get('session')
  if (asked.length === 0) return ok([])
  if (typeof session !== 'string' || session === '') {
    return err('Error! Missing -session (required with -acquire and -release)')
  }
  return ok(asked.map((name) => [name, session]))
}

function casQuery(invocation: Invocation): Result<[string, string][], string> {
  if (invocation.flags.get('cas') !== true) return ok([])
  const index = invocation.flags.get('modify-index')
  if (typeof index !== 'string' || index === '0') return err('Must specify -modify-index with -cas!')
  return ok([['cas', index]])
}

async function dataOf(invocation: Invocation, given: string | undefined): Promise<Result<Uint8Array, string>> {
  const isBase64 = invocation.flags.get('base64') === true
  const raw = await dataOperand(invocation, given, isBase64 ? base64BytesMax : dataBytesMax)
  if (!raw.ok || !isBase64) return raw
  const decoded = fromBase64(textOf(raw.value).trim())
  return decoded === undefined ? err('Error! DATA is not base64') : ok(decoded)
}

function unexpected(invocation: Invocation, answer: ApiResponse): number {
  return failed(invocation, `Error querying ${invocation.naming.title} agent: ${unexpectedText(answer)}`)
}
