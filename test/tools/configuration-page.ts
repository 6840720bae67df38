import { z } from 'zod'
import { agentFlags } from '../../src/config/agent-flags.ts'
import type { KeyRow } from '../../src/config/keys/key.ts'
import { removedOptions } from '../../src/config/past/removed.ts'
import { configKeys } from '../../src/config/schema.ts'

/** Readers of keys, in the order of the page. */
const readers: readonly (readonly [reader: string, title: string])[] = [
  ['agent', 'The agent'],
  ['network', 'Addresses and ports'],
  ['http', 'HTTP'],
  ['dns', 'DNS'],
  ['pool', 'Pools: gossip and joining'],
  ['consensus', 'Servers'],
  ['autopilot', 'Autopilot'],
  ['checks', 'Services and checks'],
  ['watches', 'Watches'],
  ['log', 'Log'],
  ['telemetry', 'Metrics'],
  ['tls', 'TLS'],
  ['access control', 'Access control'],
  ['mesh', 'The mesh'],
]

/**
 * The tables of docs/configuration.md, by the name under which the page has them: made from what files are read with,
 * so that the page cannot say what is not so.
 */
export function configurationTables(): ReadonlyMap<string, string> {
  const keys = configKeys().filter(({ name }) => !name.startsWith('watches[]'))
  const unread = keys.filter(({ reader }) => !readers.some(([known]) => known === reader))
  if (unread.length > 0) throw new Error(`give ${unread.map(({ reader }) => reader).join(', ')} a place on the page`)
  const tables = readers.map(([reader, title]) => {
    const rows = keys.filter((key) => key.reader === reader).map(keyLine)
    return `### ${title}\n\n| key | flag | type | default | reload | since | meaning |\n|---|---|---|---|---|---|---|\n${rows.join('\n')}`
  })
  const removed = removedOptions().map(
    ({ kind, name, since, instead, spared }) =>
      `| ${kind} | \`${kind === 'flag' ? '-' : ''}${name}\` | ${since} | ${cell(sentence(spared === undefined ? instead : `${instead}; ${spared}`))} |`,
  )
  return new Map([
    ['keys', tables.join('\n\n')],
    ['removed', ['| what | name | removed in | instead |', '|---|---|---|---|', ...removed].join('\n')],
  ])
}

/** The page with every table replaced by the one that holds now. */
export function filledConfigurationPage(page: string): string {
  let filled = page
  for (const [name, text] of configurationTables()) {
    const between = new RegExp(`(<!-- table: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`)
    filled = filled.replace(between, (_, begin: string, end: string) => `${begin}\n${text}\n\n${end}`)
  }
  return filled
}

function keyLine(row: KeyRow): string {
  const flag = agentFlags.find((each) => each.path?.join('.') === row.name)
  const cells = [
    `\`${row.name}\``,
    flag === undefined ? '' : `\`-${flag.name}\``,
    typeOf(row.type),
    row.default === undefined
      ? ''
      : `\`${typeof row.default === 'string' && row.default !== '' ? row.default : JSON.stringify(row.default)}\``,
    row.reload ? 'yes' : '',
    row.since ?? '',
    cell(meaning(row)),
  ]
  return `| ${cells.join(' | ')} |`
}

function meaning({ about, waits, deprecated }: KeyRow): string {
  const old = deprecated === undefined ? '' : ` *Of old; write ${deprecated}.*`
  if (waits === undefined) return `${about}${old}`
  const { refused, never } = waits
  if (refused !== undefined) return `${about}${old} **Refused**: ${refused}.`
  return `${about}${old} **No effect${never === true ? `**: ${waits.for}.` : ` yet**: it waits for ${waits.for}.`}`
}

/** As people say it. */
function typeOf(type: z.ZodType): string {
  if (type instanceof z.ZodBoolean) return 'bool'
  if (type instanceof z.ZodNumber) return type.safeParse(0.5).success ? 'number' : 'integer'
  if (type instanceof z.ZodArray) return type.element instanceof z.ZodString ? 'list of texts' : 'list of blocks'
  if (type instanceof z.ZodRecord) return 'map'
  if (type instanceof z.ZodObject) return 'block'
  return type.safeParse('90s').success && !type.safeParse('x').success ? 'duration' : 'text'
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
