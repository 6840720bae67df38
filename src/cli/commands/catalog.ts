import { compareText } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { type Need, sightOf, warnOfNoSight } from '../acl/missing-rules.ts'
import type { ListedNode, ListedServices } from '../api/answers.ts'
import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { formatFlag, isTable, printListing } from '../listing.ts'
import { formatTable } from '../output.ts'

const nodeMetaFlag: CommandFlag = {
  name: 'node-meta',
  kind: 'pairs',
  value: '<key=value>',
  help: 'Only nodes with this metadata. May be repeated.',
}

const filterFlag: CommandFlag = {
  name: 'filter',
  kind: 'text',
  value: '<expression>',
  help: 'Only nodes, or with -service instances, for which this expression holds: Meta.zone == a.',
}

export const datacentersCommand: CliCommand = {
  path: ['catalog', 'datacenters'],
  summary: 'Lists all known datacenters',
  operands: '',
  flags: [formatFlag, ...serverFlags],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const answer = await new ApiClient(invocation).expect('GET', '/v1/catalog/datacenters')
    if (!answer.ok) return failed(invocation, `Error listing datacenters: ${answer.error}`)
    const { readTexts } = await import('../api/answers.ts')
    const names = readTexts(answer.value)
    if (names === undefined) return failed(invocation, 'Error listing datacenters: the answer is not a list of names')
    printListing(invocation, names, names.map((name) => `${name}\n`).join(''))
    return 0
  },
}

export const nodesCommand: CliCommand = {
  path: ['catalog', 'nodes'],
  summary: 'Lists all nodes in the given datacenter',
  operands: '',
  flags: [
    { name: 'detailed', kind: 'bool', help: 'Print tagged addresses and metadata, and IDs whole.' },
    formatFlag,
    { name: 'near', kind: 'text', value: '<node>', help: 'Sort by the round-trip time from this node.' },
    nodeMetaFlag,
    filterFlag,
    { name: 'service', kind: 'text', value: '<name>', help: 'Only nodes with this service, once for each instance.' },
    ...serverFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const nodes = await askNodes(invocation)
    if (!nodes.ok) return failed(invocation, `Error listing nodes: ${nodes.error}`)
    if (nodes.value.length === 0 && isTable(invocation)) {
      const service = invocation.flags.get('service')
      return nothing(invocation, 'node', [
        sightOf.nodes(),
        ...(typeof service === 'string' ? [sightOf.service(service)] : []),
      ])
    }
    const detailed = invocation.flags.get('detailed') === true
    const sorted = [...nodes.value].sort((a, b) => compareText(a.Node, b.Node))
    const rows = sorted.map((node) =>
      detailed ? detailedRow(node) : [node.Node, node.ID.slice(0, 8), node.Address, node.Datacenter],
    )
    const header = ['Node', 'ID', 'Address', 'DC', ...(detailed ? ['TaggedAddresses', 'Meta'] : [])]
    printListing(invocation, sorted, formatTable([header, ...rows]))
    return 0
  },
}

async function askNodes(invocation: Invocation): Promise<Result<readonly ListedNode[], string>> {
  const service = invocation.flags.get('service')
  const given = ['near', 'filter'].map((name) => [name, invocation.flags.get(name)] as const)
  const texts = given.filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  const query = [...texts, ...nodeMeta(invocation)]
  const path = typeof service === 'string' ? `/v1/catalog/service/${encodeURIComponent(service)}` : '/v1/catalog/nodes'
  const answer = await new ApiClient(invocation).expect('GET', path, query)
  if (!answer.ok) return answer
  const { readInstances, readNodes } = await import('../api/answers.ts')
  const nodes = typeof service === 'string' ? readInstances(answer.value) : readNodes(answer.value)
  return nodes === undefined ? err('the answer is not a list of nodes') : ok(nodes)
}

function detailedRow(node: ListedNode): readonly string[] {
  return [node.Node, node.ID, node.Address, node.Datacenter, pairsText(node.TaggedAddresses), pairsText(node.Meta)]
}

function pairsText(pairs: Readonly<Record<string, string>> | null): string {
  const sorted = Object.entries(pairs ?? {}).sort(([a], [b]) => compareText(a, b))
  return sorted.map(([key, value]) => `${key}=${value}`).join(', ')
}

export const servicesCommand: CliCommand = {
  path: ['catalog', 'services'],
  summary: 'Lists all registered services in a datacenter',
  operands: '',
  flags: [
    formatFlag,
    { name: 'node', kind: 'text', value: '<name or ID>', help: 'Only services of this node.' },
    nodeMetaFlag,
    { name: 'tags', kind: 'bool', help: "Print each service's tags too." },
    ...serverFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const services = await askServices(invocation)
    if (!services.ok) return failed(invocation, `Error listing services: ${services.error}`)
    if (services.value.size === 0 && isTable(invocation)) {
      const ofNode = typeof invocation.flags.get('node') === 'string' ? [sightOf.nodes()] : []
      return nothing(invocation, 'service', [...ofNode, sightOf.services()])
    }
    const sorted = [...services.value].sort(([a], [b]) => compareText(a, b))
    const tagged = sorted.map(([name, tags]) => [name, [...tags].sort(compareText).join(',')])
    const hasTags = invocation.flags.get('tags') === true
    const table = hasTags ? formatTable(tagged) : sorted.map(([name]) => `${name}\n`).join('')
    printListing(invocation, Object.fromEntries(sorted), table)
    return 0
  },
}

async function askServices(invocation: Invocation): Promise<Result<ListedServices, string>> {
  const node = invocation.flags.get('node')
  const path = typeof node === 'string' ? `/v1/catalog/node/${encodeURIComponent(node)}` : '/v1/catalog/services'
  const answer = await new ApiClient(invocation).expect('GET', path, nodeMeta(invocation))
  if (!answer.ok) return answer
  const { readServices, readServicesOfNode } = await import('../api/answers.ts')
  const services = typeof node === 'string' ? readServicesOfNode(answer.value) : readServices(answer.value)
  return services === undefined ? err('the answer is not a list of services') : ok(services)
}

/** The API writes `key:value` where the command line has `key=value`. */
function nodeMeta(invocation: Invocation): readonly (readonly [string, string])[] {
  const given = invocation.flags.get('node-meta')
  return Array.isArray(given) ? given.map((pair: string) => ['node-meta', pair.replace('=', ':')] as const) : []
}

async function nothing(invocation: Invocation, what: 'node' | 'service', needs: readonly Need[]): Promise<number> {
  invocation.terminal.out(`No ${what}s match the given query - try expanding your search.\n`)
  await warnOfNoSight(invocation, what, needs)
  return 0
}
