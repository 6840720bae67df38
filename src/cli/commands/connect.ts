import { textOf, utf8 } from '../../base/bytes.ts'
import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { proxyFlags } from '../flags/proxy-flags.ts'
import { fileText } from '../flags/values.ts'
import { readLosses } from '../guards/reads.ts'
import { reportFormatFlag } from '../listing.ts'
import { withProgress } from '../progress.ts'

const path = '/v1/connect/ca/configuration'

export const getAuthorityCommand: CliCommand = {
  path: ['connect', 'ca', 'get-config'],
  summary: 'Display the current Connect Certificate Authority (CA) configuration',
  operands: '',
  flags: serverFlags,
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const { askJson, indentedByTabs } = await import('../api/json-client.ts')
    const { authoritySchema } = await import('../api/connect-answers.ts')
    const read = await askJson(new ApiClient(invocation), { method: 'GET', path }, authoritySchema)
    if (!read.ok) return failed(invocation, `Error querying CA configuration: ${read.error}`)
    const { Provider, Config, CreateIndex, ModifyIndex } = read.value
    invocation.terminal.out(`${indentedByTabs({ Provider, Config, CreateIndex, ModifyIndex }).trimEnd()}\n`)
    return 0
  },
}

export const setAuthorityCommand: CliCommand = {
  path: ['connect', 'ca', 'set-config'],
  summary: 'Modify the current Connect CA configuration',
  operands: '',
  about: [
    'The file is the whole configuration: settings that it omits get their defaults, except secrets that read hidden.',
    'Another root key or provider starts a rotation, which goes on after the command has ended: connect ca forecast shows how far it is.',
  ].join(' '),
  flags: [
    {
      name: 'cas',
      kind: 'text',
      value: '<index>',
      help: 'Write only if the configuration still has this ModifyIndex, which get-config shows.',
    },
    {
      name: 'config-file',
      kind: 'text',
      value: '<file>',
      help: 'JSON with Provider and Config, and ForceWithoutCrossSigning where it is required.',
    },
    ...serverFlags,
  ],
  guard: {
    when: 'the file differs from the configuration in force',
    says: "the authority's option … changes from … to its default; a rotation starts: root … stops signing …",
    losses: (invocation) =>
      readLosses(invocation, async (reads) =>
        (await import('../guards/authority-losses.ts')).authorityLosses(reads, invocation),
      ),
  },
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const file = invocation.flags.get('config-file')
    if (typeof file !== 'string' || file === '') return failed(invocation, 'The -config-file flag is required')
    const text = await fileText(invocation.env.disk, file)
    if (!text.ok) return failed(invocation, `Error reading config file: ${text.error}`)
    const { authorityProblem } = await import('../api/connect-answers.ts')
    const problem = authorityProblem(file, text.value)
    if (problem !== undefined) return failed(invocation, `Error parsing config file: ${problem}`)
    const cas = invocation.flags.get('cas')
    if (typeof cas === 'string' && !/^\d+$/.test(cas))
      return misused(
        invocation,
        `-cas ${JSON.stringify(cas)} is not an index: write the ModifyIndex that get-config shows`,
      )
    const query = typeof cas === 'string' ? [['cas', cas] as const] : []
    const { askBytes } = await import('../api/json-client.ts')
    const request = { method: 'PUT', path, query, body: utf8(text.value) } as const
    const set = await withProgress(invocation, 'Changing the certificate authority', () =>
      askBytes(new ApiClient(invocation), request),
    )
    if (!set.ok) return failed(invocation, `Error setting CA configuration: ${set.error}`)
    if (typeof cas === 'string' && textOf(set.value).trim() !== 'true')
      return failed(invocation, 'Error setting CA configuration: it has changed since: read it again')
    invocation.terminal.out('Configuration updated!\n')
    return 0
  },
}

export const envoyCommand: CliCommand = {
  path: ['connect', 'envoy'],
  summary: 'Runs or configures Envoy for Connect',
  operands: '',
  about: 'The gRPC API that configures Envoy does not exist yet: the command checks its flags and reports this.',
  flags: [
    {
      name: 'admin-bind',
      kind: 'text',
      value: '<address>',
      help: "Address of Envoy's administration interface. Default: localhost:19000.",
    },
    { name: 'bootstrap', kind: 'bool', help: 'Print the configuration that Envoy starts with, and run nothing.' },
    { name: 'envoy-binary', kind: 'text', value: '<path>', help: 'The Envoy program. Default: envoy, found by PATH.' },
    {
      name: 'grpc-addr',
      kind: 'text',
      value: '<address>',
      help: "Address of the agent's gRPC API. Default: $SVC_GRPC_ADDR.",
    },
    ...proxyFlags.filter(({ name }) => name === 'proxy-id' || name === 'sidecar-for'),
    ...serverFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const { flags, terminal } = invocation
    const isTold = (flag: string, variable: string): boolean =>
      (flags.get(flag) ?? terminal.environment.get(variable) ?? '') !== ''
    if (!isTold('proxy-id', 'CONNECT_PROXY_ID') && !isTold('sidecar-for', 'CONNECT_SIDECAR_FOR'))
      return failed(invocation, '==> No proxy ID specified. One of -proxy-id or -sidecar-for is required')
    const instead = `${invocation.naming.name} connect proxy`
    return failed(invocation, `==> Envoy cannot be configured: the agent has no gRPC API; ${instead} is`)
  },
}

/** Exit code if the authority fails to issue or renew certificates. */
const inTrouble = 2

export const forecastAuthorityCommand: CliCommand = {
  path: ['connect', 'ca', 'forecast'],
  summary: 'Show when certificates of the mesh expire, and what a rotation now would do',
  operands: '',
  about: [
    'The leader computes the forecast; nothing changes.',
    'Exits with 0, with 2 if the authority does not work, with 1 if the forecast cannot be read.',
  ].join(' '),
  flags: [reportFormatFlag, ...serverFlags],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const format = invocation.flags.get('format') ?? 'text'
    const [{ askJson, indentedByTabs }, { forecastSchema }, { forecastText, isInTrouble }] = await Promise.all([
      import('../api/json-client.ts'),
      import('../api/connect-answers.ts'),
      import('../authority-forecast.ts'),
    ])
    const client = new ApiClient(invocation)
    const read = await askJson(client, { method: 'GET', path: '/v1/connect/ca/forecast' }, forecastSchema)
    if (!read.ok) return failed(invocation, `Error reading the forecast: ${read.error}`)
    invocation.terminal.out(format === 'json' ? indentedByTabs(read.value) : forecastText(read.value))
    return isInTrouble(read.value) ? inTrouble : 0
  },
}
