import type { Json } from '../../base/json.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ApiClient, failed, serverFlags } from '../api/client.ts'
import type { Intention } from '../api/connect-answers.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { pairsOf } from '../flags/values.ts'
import { formatFlag, printListing } from '../listing.ts'
import { formatTable } from '../output.ts'

const root = '/v1/connect/intentions'

/** Exit codes for yes, no, and unknown. */
const [allowedCode, deniedCode, unknownCode] = [0, 1, 2] as const

const createFlags: readonly CommandFlag[] = [
  { name: 'allow', kind: 'bool', help: 'SRC may connect to DST. This is the default.' },
  { name: 'deny', kind: 'bool', help: 'SRC may not connect to DST.' },
  { name: 'file', kind: 'bool', help: 'The operands are files, each with one intention in JSON.' },
  { name: 'meta', kind: 'pairs', value: '<key=value>', help: 'Metadata. May be repeated.' },
  { name: 'replace', kind: 'bool', help: 'Replace an intention that exists for the same SRC and DST.' },
]

export const createIntentionCommand: CliCommand = {
  path: ['intention', 'create'],
  summary: 'Create intentions for service connections',
  operands: 'SRC DST, or FILE...',
  flags: [...createFlags, ...serverFlags],
  async run(invocation) {
    if (invocation.flags.get('allow') === true && invocation.flags.get('deny') === true)
      return failed(invocation, 'Only one of -allow or -deny may be specified.')
    const given = await intentionsOf(invocation)
    if (!given.ok) return failed(invocation, `Error: ${given.error}`)
    const client = new ApiClient(invocation)
    for (const intention of given.value) {
      const code = await putIntention(invocation, client, intention)
      if (code !== 0) return code
    }
    return 0
  },
}

/** An intention as it is sent. */
type Given = { readonly [member: string]: Json } & Pick<Intention, 'SourceName' | 'DestinationName' | 'Action'>

async function intentionsOf(invocation: Invocation): Promise<Result<readonly Given[], string>> {
  const { naming, args, flags, env } = invocation
  if (flags.get('file') === true) {
    const { intentionFiles } = await import('../files/intention-files.ts')
    return args.length === 0 ? err('Must specify at least one file') : intentionFiles(env.disk, args)
  }
  const [SourceName, DestinationName, ...more] = args
  if (SourceName === undefined || DestinationName === undefined || more.length > 0)
    return err('Must specify two arguments: source and destination')
  const meta = pairsOf(flags.get('meta'), 'meta')
  if (!meta.ok) return meta
  const Action = flags.get('deny') === true ? 'deny' : 'allow'
  return ok([{ SourceName, DestinationName, SourceType: naming.name, Action, Meta: meta.value }])
}

async function putIntention(invocation: Invocation, client: ApiClient, intention: Given): Promise<number> {
  const { askBytes, askJson } = await import('../api/json-client.ts')
  const { createdSchema } = await import('../api/connect-answers.ts')
  const text = intentionText(intention)
  if (invocation.flags.get('replace') === true) {
    const failing = (why: string): number => failed(invocation, `Error replacing intention ${text}: ${why}`)
    const all = await intentionList(client)
    if (!all.ok) return failing(all.error)
    const before = all.value.find((each) => isOfSame(each, intention))
    if (before !== undefined) {
      const request = { method: 'PUT', path: `${root}/${before.ID}`, body: { ...intention, ID: before.ID } } as const
      const replaced = await askBytes(client, request)
      return replaced.ok ? 0 : failing(replaced.error)
    }
  }
  const made = await askJson(client, { method: 'POST', path: root, body: intention }, createdSchema)
  if (!made.ok) return failed(invocation, `Error creating intention ${text}: ${made.error}`)
  invocation.terminal.out(`Created: ${text}\n`)
  return 0
}

export const checkIntentionCommand: CliCommand = {
  path: ['intention', 'check'],
  summary: 'Check whether a connection between two services is allowed',
  operands: 'SRC DST',
  about: `Exits with ${deniedCode} where it is denied, and with ${unknownCode} where that is unknown.`,
  flags: serverFlags,
  mistakenCode: unknownCode,
  async run(invocation) {
    const [source, destination, ...more] = invocation.args
    const cannot = (why: string): number => {
      failed(invocation, `Error: ${why}`)
      return unknownCode
    }
    if (source === undefined || destination === undefined || more.length > 0)
      return cannot('command requires exactly two arguments: src and dst')
    const { askJson } = await import('../api/json-client.ts')
    const { allowedSchema } = await import('../api/connect-answers.ts')
    const query = [['source', source] as const, ['destination', destination] as const]
    const checked = await askJson(
      new ApiClient(invocation),
      { method: 'GET', path: `${root}/check`, query },
      allowedSchema,
    )
    if (!checked.ok) return cannot(`checking the connection: ${checked.error}`)
    invocation.terminal.out(checked.value.Allowed ? 'Allowed\n' : 'Denied\n')
    return checked.value.Allowed ? allowedCode : deniedCode
  },
}

export const getIntentionCommand: CliCommand = {
  path: ['intention', 'get'],
  summary: 'Show information about an intention',
  operands: 'SRC DST, or ID',
  flags: serverFlags,
  async run(invocation) {
    const client = new ApiClient(invocation)
    const id = await intentionId(invocation, client)
    if (!id.ok) return failed(invocation, `Error: ${id.error}`)
    const { askJson } = await import('../api/json-client.ts')
    const { intentionSchema } = await import('../api/connect-answers.ts')
    const { rfc850Text } = await import('../rfc850.ts')
    const read = await askJson(
      client,
      { method: 'GET', path: `${root}/${encodeURIComponent(id.value)}` },
      intentionSchema,
    )
    if (!read.ok) return failed(invocation, `Error reading the intention: ${read.error}`)
    const { Action, ID, Meta, Description, CreatedAt } = read.value
    const { source, destination } = endsOf(read.value)
    const meta = Object.entries(Meta).sort(([a], [b]) => (a < b ? -1 : 1))
    const rows = [
      ['Source:', source],
      ['Destination:', destination],
      ['Action:', Action],
      ['ID:', ID],
      ...meta.map(([key, value]) => [`Meta[${key}]:`, value]),
      ...(Description === '' ? [] : [['Description:', Description]]),
      ['Created At:', rfc850Text(CreatedAt)],
    ]
    invocation.terminal.out(formatTable(rows))
    return 0
  },
}

export const matchIntentionCommand: CliCommand = {
  path: ['intention', 'match'],
  summary: 'Show intentions that match a source or destination',
  operands: 'NAME',
  flags: [
    { name: 'destination', kind: 'bool', help: 'NAME is the destination. This is the default.' },
    formatFlag,
    { name: 'source', kind: 'bool', help: 'NAME is the source.' },
    ...serverFlags,
  ],
  async run(invocation) {
    const { args, flags } = invocation
    const [name, ...more] = args
    if (flags.get('source') === true && flags.get('destination') === true)
      return failed(invocation, 'Error: only one of -source or -destination can be specified')
    if (name === undefined || more.length > 0)
      return failed(invocation, 'Error: command requires exactly one argument: source or destination')
    const { askJson } = await import('../api/json-client.ts')
    const { matchSchema } = await import('../api/connect-answers.ts')
    const by = flags.get('source') === true ? 'source' : 'destination'
    const query = [['by', by] as const, ['name', name] as const]
    const found = await askJson(new ApiClient(invocation), { method: 'GET', path: `${root}/match`, query }, matchSchema)
    if (!found.ok) return failed(invocation, `Error matching the connection: ${found.error}`)
    const matching = found.value[name] ?? []
    printListing(invocation, [...matching], matching.map((each) => `${intentionText(each)}\n`).join(''))
    return 0
  },
}

export const deleteIntentionCommand: CliCommand = {
  path: ['intention', 'delete'],
  summary: 'Delete an intention',
  operands: 'SRC DST, or ID',
  flags: serverFlags,
  async run(invocation) {
    const client = new ApiClient(invocation)
    const id = await intentionId(invocation, client)
    if (!id.ok) return failed(invocation, `Error: ${id.error}`)
    const { askBytes } = await import('../api/json-client.ts')
    const gone = await askBytes(client, { method: 'DELETE', path: `${root}/${encodeURIComponent(id.value)}` })
    if (!gone.ok) return failed(invocation, `Error deleting the intention: ${gone.error}`)
    invocation.terminal.out('Intention deleted.\n')
    return 0
  },
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The ID of the intention that is given by ID, or by its two ends. */
async function intentionId({ naming, args }: Invocation, client: ApiClient): Promise<Result<string, string>> {
  const [first, second, ...more] = args
  if (first === undefined || more.length > 0) return err('command requires exactly 1 or 2 arguments')
  if (second === undefined) {
    if (uuidPattern.test(first)) return ok(first)
    const shown = JSON.stringify(first)
    return err(
      `${shown} is not the ID of an intention. Give its two ends, SRC DST; ${naming.name} intention match NAME lists intentions`,
    )
  }
  const all = await intentionList(client)
  if (!all.ok) return all
  const found = all.value.find((each) => isOfSame(each, { SourceName: first, DestinationName: second }))
  if (found !== undefined) return ok(found.ID)
  return err(`Intention with source ${JSON.stringify(first)} and destination ${JSON.stringify(second)} not found.`)
}

async function intentionList(client: ApiClient): Promise<Result<readonly Intention[], string>> {
  const { askJson } = await import('../api/json-client.ts')
  const { intentionsSchema } = await import('../api/connect-answers.ts')
  return askJson(client, { method: 'GET', path: root }, intentionsSchema)
}

interface Ends {
  readonly SourceName: string
  readonly DestinationName: string
  readonly SourceNS?: Json
  readonly DestinationNS?: Json
}

/** Names of services in intentions are equal whatever the case of their letters. */
function isOfSame(one: Ends, other: Ends): boolean {
  const [a, b] = [endsOf(one), endsOf(other)]
  return lowerAscii(a.source) === lowerAscii(b.source) && lowerAscii(a.destination) === lowerAscii(b.destination)
}

/** The two ends of an intention. A namespace is shown only if it is not the default one. */
function endsOf({ SourceNS, SourceName, DestinationNS, DestinationName }: Ends): {
  readonly source: string
  readonly destination: string
} {
  const named = (namespace: Json | undefined, name: string): string =>
    typeof namespace !== 'string' || namespace === '' || namespace === 'default' ? name : `${namespace}/${name}`
  return { source: named(SourceNS, SourceName), destination: named(DestinationNS, DestinationName) }
}

function intentionText(intention: Ends & { readonly Action: string }): string {
  const { source, destination } = endsOf(intention)
  return `${source} => ${destination} (${intention.Action})`
}
