import { z } from 'zod'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { KeyOperation } from './key-history.ts'

/**
 * Histories of keys as files: JSON lines. The first line is a header, every other is one operation, in any order:
 *
 *     {"format":"svc-history","version":1,"about":"three clients","staleDefaultUs":0}
 *     {"client":"1","key":"k","op":"write","value":"a","outcome":"ok","call":0,"return":1500}
 *     {"client":"2","key":"k","op":"read","consistency":"consistent","outcome":"ok","found":"a","call":900,"return":2000}
 *     {"client":"1","key":"k","op":"cas","expected":"a","value":"b","outcome":"refused","call":3000,"return":3100}
 *     {"client":"3","key":"k","op":"delete","outcome":"unknown","call":3050}
 *
 * Times are whole microseconds of one clock for all clients. `null` as `found` or `expected` means that the key does
 * not exist. At first, no key exists.
 */
export interface History {
  /** Where the history comes from, for readers. */
  readonly about: string | undefined
  /** How stale a read of default consistency may be, in microseconds; 0 if no excuse is granted. */
  readonly staleDefaultUs: number
  readonly operations: readonly KeyOperation[]
}

export const historyBytesMax = 64 << 20
const operationsMax = 500_000
const lineCharactersMax = 64 << 10
/** Maximum number of wrong lines that are reported: the others mostly repeat them. */
const problemsMax = 20

const format = 'svc-history'
const version = 1

const headerSchema = z.strictObject({
  format: z.literal(format),
  version: z.literal(version),
  about: z.string().max(2000).optional(),
  staleDefaultUs: z.int().min(0).default(0),
})

const asked = {
  client: z.string().min(1).max(200),
  key: z.string().max(2000),
  call: z.int().min(0),
  /** Absent if the operation was never answered. */
  return: z.int().min(0).optional(),
}
const answered = z.enum(['ok', 'unknown'])
const value = z.string()

const operationSchema = z.discriminatedUnion('op', [
  z.strictObject({
    op: z.literal('read'),
    ...asked,
    consistency: z.enum(['default', 'consistent', 'stale']).default('consistent'),
    outcome: answered,
    found: value.nullable().optional(),
  }),
  z.strictObject({ op: z.literal('write'), ...asked, value, outcome: answered }),
  z.strictObject({
    op: z.literal('cas'),
    ...asked,
    expected: value.nullable(),
    value,
    outcome: z.enum(['ok', 'refused', 'unknown']),
  }),
  z.strictObject({ op: z.literal('delete'), ...asked, outcome: answered }),
])

type Line = z.infer<typeof operationSchema>

/** Parses a history, or returns what is wrong with it, one line each: `FILE:LINE: …`. */
export function parseHistory(file: string, text: string): Result<History, readonly string[]> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (lines.length > operationsMax + 1) {
    return err([`${file}: ${lines.length - 1} operations, and at most ${operationsMax} are read: cut it into parts`])
  }
  const header = parsed(headerSchema, lines[0] ?? '')
  if (!header.ok) return err([`${file}:1: ${header.error}; the first line is ${headerText({ staleDefaultUs: 0 })}`])
  const operations: KeyOperation[] = []
  const problems: string[] = []
  for (const [at, line] of lines.entries()) {
    if (at === 0) continue
    const operation = parsedOperation(line)
    if (operation.ok) operations.push(operation.value)
    else problems.push(`${file}:${at + 1}: ${operation.error}`)
    if (problems.length >= problemsMax) break
  }
  if (problems.length > 0) return err(problems)
  const { about, staleDefaultUs } = header.value
  return ok({ about, staleDefaultUs, operations })
}

/** The text of a history file. */
export function historyText(history: History): string {
  return `${[headerText(history), ...history.operations.map((one) => JSON.stringify(lineOf(one)))].join('\n')}\n`
}

function headerText({
  about,
  staleDefaultUs,
}: {
  readonly about?: string | undefined
  staleDefaultUs: number
}): string {
  return JSON.stringify({ format, version, ...(about === undefined ? {} : { about }), staleDefaultUs })
}

function lineOf({ client, key, kind, ...rest }: KeyOperation): Line {
  const { value: put = '', expected = null, found = null, consistency, outcome, callUs, returnUs } = rest
  const before = { client, key } as const
  const times = outcome === 'unknown' ? { call: callUs } : { call: callUs, return: returnUs }
  if (kind === 'cas') return { ...before, op: 'cas', expected, value: put, outcome, ...times }
  // Only a CAS can be refused.
  const end = outcome === 'unknown' ? 'unknown' : 'ok'
  if (kind === 'write') return { ...before, op: 'write', value: put, outcome: end, ...times }
  if (kind === 'delete') return { ...before, op: 'delete', outcome: end, ...times }
  return { ...before, op: 'read', consistency, outcome: end, ...(end === 'ok' ? { found } : {}), ...times }
}

function parsedOperation(text: string): Result<KeyOperation, string> {
  const line = parsed(operationSchema, text)
  return line.ok ? operationOf(line.value) : line
}

function operationOf(line: Line): Result<KeyOperation, string> {
  const { client, key, op: kind, outcome, call: callUs } = line
  const returnUs = line.return ?? Number.POSITIVE_INFINITY
  const found = kind === 'read' ? line.found : undefined
  if (outcome === 'unknown') {
    if (line.return !== undefined) return err("'return' goes with an answer: an operation of unknown outcome has none")
    if (found !== undefined) return err("'found' goes with an answer: a read of unknown outcome has none")
  } else {
    if (line.return === undefined) return err(`'return' is missing: when was it answered? (outcome ${outcome})`)
    if (kind === 'read' && found === undefined) return err("'found' is missing: what was read, null for no such key?")
    if (returnUs < callUs) return err(`'return' (${returnUs}) is before 'call' (${callUs})`)
  }
  return ok({
    client,
    key,
    kind,
    value: kind === 'write' || kind === 'cas' ? line.value : undefined,
    expected: kind === 'cas' ? (line.expected ?? undefined) : undefined,
    consistency: kind === 'read' ? line.consistency : 'default',
    callUs,
    returnUs,
    outcome,
    found: found ?? undefined,
  })
}

function parsed<T>(schema: z.ZodType<T>, line: string): Result<T, string> {
  if (line.length > lineCharactersMax) return err(`a line of more than ${lineCharactersMax} characters`)
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    return err('this is no JSON')
  }
  const read = schema.safeParse(json)
  return read.success ? ok(read.data) : err(read.error.issues.map(issueText).join('; '))
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown key ${issue.keys.map((key) => `'${key}'`).join(', ')}`
  const where = issue.path.join('.')
  return where === '' ? issue.message : `'${where}': ${issue.message}`
}
