import { compareText } from '../../base/bytes.ts'
import { serviceMaintenancePrefix } from '../../model/catalog.ts'
import { sightOf, warnOfNoSight } from '../acl/missing-rules.ts'
import { ApiClient, clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand, Invocation } from '../command.ts'
import { formatFlag, printListing } from '../listing.ts'

/** ID of the check that puts a node under maintenance. Reference: health.md#maintenance-checks. */
const nodeCheck = '_node_maintenance'

export const maintCommand: CliCommand = {
  path: ['maint'],
  summary: 'Controls node or service maintenance mode',
  operands: '',
  about:
    'Health queries leave out a node or service in maintenance. Without -enable or -disable it lists what is in maintenance.',
  flags: [
    { name: 'disable', kind: 'bool', help: 'End maintenance mode.' },
    { name: 'enable', kind: 'bool', help: 'Begin maintenance mode.' },
    formatFlag,
    { name: 'reason', kind: 'text', value: '<text>', help: 'The reason, for people to read.' },
    { name: 'service', kind: 'text', value: '<id>', help: 'The service in question. Default: the whole node.' },
    ...clientFlags,
  ],
  async run(invocation) {
    const { flags } = invocation
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const enable = flags.get('enable') === true
    const disable = flags.get('disable') === true
    if (enable && disable) return failed(invocation, 'Only one of -enable or -disable may be provided')
    if (enable || disable) return change(invocation, enable)
    const idle = ['reason', 'service'].find((flag) => flags.has(flag))
    if (idle !== undefined) return failed(invocation, `-${idle} requires either -enable or -disable`)
    return show(invocation)
  },
}

async function change(invocation: Invocation, enable: boolean): Promise<number> {
  const { flags, terminal } = invocation
  const [service, reason] = [flags.get('service'), flags.get('reason')]
  const query = [
    ['enable', String(enable)] as const,
    ...(typeof reason === 'string' ? [['reason', reason] as const] : []),
  ]
  const path =
    typeof service === 'string'
      ? `/v1/agent/service/maintenance/${encodeURIComponent(service)}`
      : '/v1/agent/maintenance'
  const answer = await new ApiClient(invocation).expect('PUT', path, query)
  const now = enable ? 'enabled' : 'disabled'
  if (typeof service === 'string') {
    if (!answer.ok) return failed(invocation, `Error changing maintenance of service "${service}": ${answer.error}`)
    terminal.out(`Service maintenance is now ${now} for "${service}"\n`)
    return 0
  }
  if (!answer.ok) return failed(invocation, `Error changing node maintenance: ${answer.error}`)
  terminal.out(`Node maintenance is now ${now}\n`)
  return 0
}

async function show(invocation: Invocation): Promise<number> {
  const answer = await new ApiClient(invocation).expect('GET', '/v1/agent/checks')
  if (!answer.ok) return failed(invocation, `Error getting checks: ${answer.error}`)
  const { readChecks } = await import('../api/answers.ts')
  const checks = readChecks(answer.value)
  if (checks === undefined) return failed(invocation, 'Error getting checks: the answer is not a list of checks')
  if (checks.length === 0) await warnOfNoSight(invocation, 'check', [sightOf.nodes(), sightOf.services()])
  const sorted = [...checks].sort((a, b) => compareText(a.CheckID, b.CheckID))
  const shown = sorted.filter(({ CheckID }) => CheckID === nodeCheck || CheckID.startsWith(serviceMaintenancePrefix))
  const table = shown.map(({ CheckID, Node, ServiceID, Notes }) => {
    const what = CheckID === nodeCheck ? `Node:\n  Name:   ${Node}` : `Service:\n  ID:     ${ServiceID}`
    return `${what}\n  Reason: ${Notes}\n\n`
  })
  printListing(invocation, shown, table.join(''))
  return 0
}
