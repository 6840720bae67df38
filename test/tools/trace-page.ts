import { z } from 'zod'
import { meaningFields } from '../../sim/report/meaning.ts'
import { type RecordKind, recordFields, traceHeaderSchema, traceRecordSchema } from '../../sim/report/trace-record.ts'
import { aboutNames } from '../../sim/report/trace-selection.ts'

/** What each kind of event is; its fields are described where they are declared. */
const kinds: Readonly<Record<RecordKind, string>> = {
  timer: 'a timer of the process fires',
  action: 'the world does something: a dial succeeds, a wait ends, a connection tries again',
  datagram: 'a datagram comes to the machine',
  segment: 'bytes of a connection come to the machine',
  streamControl: 'a connection ends, or breaks',
  diskDone: 'an operation of the disk is done',
  boot: 'the machine starts its process',
  crash: 'the process dies',
  pause: 'the process stops for a while, as in a long collection of garbage',
  resume: 'it goes on',
  log: 'the process logs a line',
  datagramSent: 'the process sends a datagram; copies and replays are events of their own',
  segmentSent: 'bytes of a connection leave, perhaps again',
  segmentLost: 'they are lost as they leave, and the connection waits',
  dial: 'the process opens a connection',
  disk: 'an operation of the disk on a path begins',
  clock: 'the clock of the machine is changed',
  link: 'the link to another machine is cut, mended or changed',
  driver: 'the scenario does something, or says something',
  error: 'the run has failed',
  child: 'the process runs a command',
  diskFault: 'a fault of the disk begins or ends',
  diskFile: 'an operation on an open file begins',
  diskWrite: 'what a write changes; it is durable when a sync behind it is done',
  lookup: 'the process looks up a name',
  note: 'what the process notes for readers of the trace alone',
  lost: 'bytes are lost under way',
  decision: 'a rule, a firing of it, an operation of a client that the run decided on',
  violation: 'an invariant is violated, or an expectation is not met',
}

/** The tables of docs/trace.md, by the name under which the page has them: made from what writes and reads traces. */
export function traceTables(): ReadonlyMap<string, string> {
  const told = new Map<string, string>()
  const named = Object.entries(recordFields).map(
    ([kind, fields]) => [kind, sentence(kinds[kind as RecordKind], fieldsOf(z.object(fields), told))] as const,
  )
  const layers = Object.entries(meaningFields).map(([layer, names]) => {
    const seen = new Map<string, string>()
    const rows = Object.entries(names).map(([name, fields]) => [name, fieldsOf(z.object(fields), seen)] as const)
    return [`meanings of ${layer}`, table(['name', 'fields'], rows)] as const
  })
  const { oneOf, anyOf } = z.toJSONSchema(traceRecordSchema) as Shown
  const [first = {}] = oneOf ?? anyOf ?? []
  const common = properties(first).filter(([name]) => ['n', 't', 'node', 'causes', 'state'].includes(name))
  return new Map([
    ['header', table(['field', 'what it is'], properties(z.toJSONSchema(traceHeaderSchema) as Shown))],
    ['common fields', table(['field', 'what it is'], common)],
    ['kinds', table(['kind', 'what happens, and its fields'], named)],
    ...layers,
    ['about', table(['name', 'what the event is about'], Object.entries(aboutNames))],
  ])
}

/** The page with every table replaced by the one that holds now. */
export function filledTracePage(page: string): string {
  let filled = page
  for (const [name, text] of traceTables()) {
    const between = new RegExp(`(<!-- table: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`)
    filled = filled.replace(between, (_, begin: string, end: string) => `${begin}\n${text}\n${end}`)
  }
  return filled
}

/** A node of a JSON Schema, as far as the page shows it. */
interface Shown {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Shown>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly oneOf?: readonly Shown[]
  readonly anyOf?: readonly Shown[]
  readonly items?: Shown
  readonly const?: unknown
}

function sentence(what: string, fields: string): string {
  return fields === '' ? what : `${what}: ${fields}`
}

/** Each field with its description, or what it can be; `told`: those that the table has told already, by name. */
function fieldsOf(schema: z.ZodType, told: Map<string, string>): string {
  const shown = properties(z.toJSONSchema(schema) as Shown).map(([name, about]) => {
    const isTold = about === '' || told.get(name) === about
    told.set(name, about)
    return isTold ? `\`${name}\`` : `\`${name}\` (${lower(about)})`
  })
  return shown.join(', ')
}

/** Within a sentence. Names in code and abbreviations stay as they are. */
function lower(text: string): string {
  return /^[A-Z][a-z' ]/.test(text) && !text.startsWith('Raft') ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

function properties({ properties: all = {}, required = [] }: Shown): (readonly [string, string])[] {
  return Object.entries(all).map(([name, node]) => {
    const parts = [wordsOf(node), required.includes(name) || name === 'means' ? '' : 'may be absent']
    return [name, parts.filter((part) => part !== '').join('; ')] as const
  })
}

function wordsOf({ description, enum: values, items }: Shown): string {
  const listed = items?.properties === undefined ? '' : `each: ${Object.keys(items.properties).join(', ')}`
  const words = [
    description?.replace(/[.]$/, '') ?? '',
    values === undefined ? '' : values.map(String).join(', '),
    listed,
  ]
  return words.filter((word) => word !== '').join(': ')
}

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([name, about]) => `| \`${name}\` | ${about.replaceAll('|', '\\|')} |`)
  return `| ${head[0]} | ${head[1]} |\n|---|---|\n${lines.join('\n')}\n`
}
