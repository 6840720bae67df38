import { distanceBetween } from '../../model/coordinate.ts'
import { ApiClient, clientFlags, failed, misused } from '../api/client.ts'
import type { CliCommand, Invocation } from '../command.ts'

export const rttCommand: CliCommand = {
  path: ['rtt'],
  summary: 'Estimates network round trip time between nodes',
  operands: 'NODE1 [NODE2]',
  about: 'Uses the coordinates that the servers know. Without a second node: the time to this agent.',
  flags: [
    { name: 'wan', kind: 'bool', help: 'Between servers of any datacenters, named with their datacenter: n1.dc1.' },
    ...clientFlags,
  ],
  async run(invocation) {
    const { args, flags, terminal } = invocation
    const [first] = args
    if (first === undefined || args.length > 2) return misused(invocation, 'One or two node names must be specified.')
    const wan = flags.get('wan') === true
    const second = args[1] ?? (await ownName(invocation, wan))
    if (second === undefined) return failed(invocation, 'Error looking up the name of the agent')
    const client = new ApiClient(invocation)
    const answer = await client.expect('GET', wan ? '/v1/coordinate/datacenters' : '/v1/coordinate/nodes')
    if (!answer.ok) return failed(invocation, `Error getting coordinates: ${answer.error}`)
    const { readCoordinates, readDatacenterCoordinates } = await import('../api/answers.ts')
    const known = wan ? readDatacenterCoordinates(answer.value) : readCoordinates(answer.value)
    if (known === undefined)
      return failed(invocation, 'Error getting coordinates: the answer is not a list of coordinates')
    const [from, to] = [known.get(first), known.get(second)]
    if (from === undefined || to === undefined) {
      return failed(
        invocation,
        `Could not find a coordinate for node ${JSON.stringify(from === undefined ? first : second)}`,
      )
    }
    const ms = (distanceBetween(from, to) * 1_000).toFixed(3)
    terminal.out(`Estimated ${first} <-> ${second} rtt: ${ms} ms (using ${wan ? 'WAN' : 'LAN'} coordinates)\n`)
    return 0
  },
}

async function ownName(invocation: Invocation, wan: boolean): Promise<string | undefined> {
  const answer = await new ApiClient(invocation).expect('GET', '/v1/agent/self')
  if (!answer.ok) return undefined
  const { readOwnName } = await import('../api/answers.ts')
  const own = readOwnName(answer.value)
  return own === undefined || !wan ? own?.node : `${own.node}.${own.datacenter}`
}
