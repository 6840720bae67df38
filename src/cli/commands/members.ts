import { compareText } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { endpointText } from '../../env/net.ts'
import { sightOf, warnOfNoSight } from '../acl/missing-rules.ts'
import type { ListedMember } from '../api/answers.ts'
import { ApiClient, clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { readLosses } from '../guards/reads.ts'
import { formatFlag, isTable, printListing } from '../listing.ts'
import { formatTable } from '../output.ts'
import { type Color, paintWords } from '../paint.ts'
import { isServer, type MemberStatus, statusOf } from '../pool-members.ts'
import { withProgress } from '../progress.ts'

const nothingMatches = 2

const colors = new Map<MemberStatus, Color>([
  ['alive', 'green'],
  ['leaving', 'yellow'],
  ['left', 'grey'],
  ['failed', 'red'],
])

export const membersCommand: CliCommand = {
  path: ['members'],
  summary: 'Lists the members of a cluster',
  operands: '',
  about:
    'Shows the members as this agent sees them; other agents may see them differently for a while. Exits with 2 if none matches.',
  flags: [
    { name: 'detailed', kind: 'bool', help: 'Print the tags of each member.' },
    formatFlag,
    {
      name: 'segment',
      kind: 'text',
      value: '<name>',
      help: 'Only members of this network segment. The only segment is the unnamed one. Default: all.',
    },
    { name: 'status', kind: 'text', value: '<regex>', help: 'Only members whose status matches. Default: .*' },
    { name: 'wan', kind: 'bool', help: 'The pool of the servers of all datacenters.' },
    ...clientFlags,
  ],
  async run(invocation) {
    const { flags } = invocation
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const wanted = statusPattern(flags.get('status'))
    if (!wanted.ok) return failed(invocation, wanted.error)
    const segment = flags.get('segment')
    const query = [
      ...(typeof segment === 'string' ? [['segment', segment] as const] : []),
      ...(flags.get('wan') === true ? [['wan', '1'] as const] : []),
    ]
    const answer = await new ApiClient(invocation).expect('GET', '/v1/agent/members', query)
    if (!answer.ok) return failed(invocation, `Error retrieving members: ${answer.error}`)
    const { readMembers } = await import('../api/answers.ts')
    const members = readMembers(answer.value)
    if (members === undefined)
      return failed(invocation, 'Error retrieving members: the answer is not a list of members')
    const listed = members.filter((member) => wanted.value.test(statusOf(member)))
    const shown = listed.map(seen)
    if (members.length === 0) await warnOfNoSight(invocation, 'member', [sightOf.nodes()])
    if (shown.length === 0 && isTable(invocation)) return nothingMatches
    shown.sort((a, b) => compareText(a.segment, b.segment) || compareText(a.name, b.name))
    printListing(invocation, [...listed], () => {
      const text = flags.get('detailed') === true ? detailedTable(shown) : table(shown)
      return paintWords(invocation.terminal, text, colors)
    })
    return shown.length === 0 ? nothingMatches : 0
  },
}

function statusPattern(given: unknown): Result<RegExp, string> {
  try {
    return ok(new RegExp(typeof given === 'string' ? given : '.*'))
  } catch (cause) {
    if (cause instanceof SyntaxError) return err(`-status "${given}" is not a regular expression`)
    throw cause
  }
}

interface SeenMember {
  readonly name: string
  readonly address: string
  readonly status: string
  readonly type: string
  readonly segment: string
  readonly tags: ReadonlyMap<string, string>
}

function seen(member: ListedMember): SeenMember {
  const tags = new Map(Object.entries(member.Tags ?? {}))
  const role = tags.get('role') ?? ''
  const server = isServer(member)
  const segment = tags.get('segment') || (server ? '<all>' : '<default>')
  return {
    name: member.Name,
    address: endpointText({ host: member.Addr, port: member.Port }),
    status: statusOf(member),
    type: server ? 'server' : role === 'node' ? 'client' : 'unknown',
    segment,
    tags: tags.set('segment', segment),
  }
}

/** The protocol is that of the pool, not Raft's. Reference: command-line.md#members-table. */
function table(members: readonly SeenMember[]): string {
  const rows = members.map(({ name, address, status, type, segment, tags }) => {
    const build = (tags.get('build') ?? '').replace(/:.*$/s, '')
    return [name, address, status, type, build, tags.get('vsn') ?? '', tags.get('dc') ?? '', segment]
  })
  return formatTable([['Node', 'Address', 'Status', 'Type', 'Build', 'Protocol', 'DC', 'Segment'], ...rows])
}

function detailedTable(members: readonly SeenMember[]): string {
  const rows = members.map(({ name, address, status, tags }) => {
    const sorted = [...tags].sort(([a], [b]) => compareText(a, b))
    return [name, address, status, sorted.map(([key, value]) => `${key}=${value}`).join(',')]
  })
  return formatTable([['Node', 'Address', 'Status', 'Tags'], ...rows])
}

export const joinCommand: CliCommand = {
  path: ['join'],
  summary: 'Tell an agent to join a cluster',
  operands: 'ADDRESS...',
  about: 'The address of one member is enough: the agent learns the others from it.',
  flags: [{ name: 'wan', kind: 'bool', help: 'Join the pool of the servers of all datacenters.' }, ...clientFlags],
  async run(invocation) {
    if (invocation.args.length === 0) return misused(invocation, 'At least one address to join must be specified.')
    const query = invocation.flags.get('wan') === true ? [['wan', '1'] as const] : []
    const client = new ApiClient(invocation)
    let joined = 0
    for (const address of invocation.args) {
      const path = `/v1/agent/join/${encodeURIComponent(address)}`
      const answer = await withProgress(invocation, `Joining ${address}`, () => client.expect('PUT', path, query))
      if (answer.ok) joined++
      else invocation.terminal.error(`Error joining address '${address}': ${oneLine(answer.error)}\n`)
    }
    if (joined === 0) return failed(invocation, 'Failed to join any nodes.')
    invocation.terminal.out(`Successfully joined cluster by contacting ${joined} nodes.\n`)
    return 0
  },
}

/** The API gives a list under a heading. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}

export const leaveCommand: CliCommand = {
  path: ['leave'],
  summary: 'Tell an agent to leave its cluster and to stop',
  operands: '',
  flags: clientFlags,
  guard: {
    when: 'the agent is the last voter, or the others have no quorum without it',
    says: '… is the only voter: without it keys, sessions, tokens and the catalog can be neither read nor written, …',
    losses: (invocation) =>
      readLosses(invocation, async (reads) =>
        (await import('../guards/server-losses.ts')).leaveLosses(reads, invocation),
      ),
  },
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const answer = await new ApiClient(invocation).expect('PUT', '/v1/agent/leave')
    if (!answer.ok) return failed(invocation, `Error leaving: ${answer.error}`)
    invocation.terminal.out('Graceful leave complete\n')
    return 0
  },
}

export const forceLeaveCommand: CliCommand = {
  path: ['force-leave'],
  summary: 'Mark a failed member as left',
  operands: 'NAME',
  about: 'A member that is alive refutes it and stays.',
  flags: clientFlags,
  guard: {
    when: 'the member has failed or is leaving',
    says: 'node …, which is failed, is removed from the catalog with … services and … sessions, …',
    losses: (invocation) =>
      readLosses(invocation, async (reads) =>
        (await import('../guards/server-losses.ts')).forceLeaveLosses(reads, invocation),
      ),
  },
  async run(invocation) {
    const [name] = invocation.args
    if (name === undefined || surplusOperands(invocation, 1) !== undefined) {
      return misused(invocation, 'A single node name must be specified to force leave.')
    }
    const answer = await new ApiClient(invocation).expect('PUT', `/v1/agent/force-leave/${encodeURIComponent(name)}`)
    return answer.ok ? 0 : failed(invocation, `Error force leaving: ${answer.error}`)
  },
}
