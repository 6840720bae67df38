import { textOf, utf8 } from '../../base/bytes.ts'
import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { proxyFlags } from '../flags/proxy-flags.ts'
import { fileText } from '../flags/values.ts'

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
    'The file says all of it: what it leaves out has its default afterwards, but for a secret that reads hidden.',
    'Another root key or provider is a rotation, and the command ends when it has ended.',
  ].join(' '),
  flags: [
    {
      name: 'cas',
      kind: 'text',
      value: '<index>',
      help: 'Only where the configuration still has this ModifyIndex, which get-config shows.',
    },
    {
      name: 'config-file',
      kind: 'text',
      value: '<file>',
      help: 'JSON with Provider and Config, and ForceWithoutCrossSigning where it must be.',
    },
    ...serverFlags,
  ],
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
      return misused(invocation, `-cas ${JSON.stringify(cas)} is no index: write the ModifyIndex that get-config shows`)
    const query = typeof cas === 'string' ? [['cas', cas] as const] : []
    const { askBytes } = await import('../api/json-client.ts')
    const set = await askBytes(new ApiClient(invocation), { method: 'PUT', path, query, body: utf8(text.value) })
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
  about: 'The API that Envoy is configured by is not there yet: this says so, once it is told whom it stands for.',
  flags: [
    {
      name: 'admin-bind',
      kind: 'text',
      value: '<address>',
      help: 'Where Envoy is administered. Default: localhost:19000.',
    },
    { name: 'bootstrap', kind: 'bool', help: 'Print the configuration that Envoy starts with, and run nothing.' },
    { name: 'envoy-binary', kind: 'text', value: '<path>', help: 'The program. Default: envoy, where programs are.' },
    {
      name: 'grpc-addr',
      kind: 'text',
      value: '<address>',
      help: 'Where the agent configures it. Default: $SVC_GRPC_ADDR.',
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
    return failed(invocation, '==> Envoy cannot be configured: the gRPC API is not there; svc connect proxy is')
  },
}

/** The authority does not do its work. */
const inTrouble = 2

export const forecastAuthorityCommand: CliCommand = {
  path: ['connect', 'ca', 'forecast'],
  summary: 'Say what of the mesh expires when, and what a rotation now would do',
  operands: '',
  about: [
    'By the word of the leader; changes nothing.',
    'Exits with 0, with 2 if the authority does not do its work, with 1 if it cannot be told.',
  ].join(' '),
  flags: [
    {
      name: 'format',
      kind: 'text',
      value: '<text|json>',
      help: 'How it is said: to people, or to programs. Default: text.',
    },
    ...serverFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const format = invocation.flags.get('format') ?? 'text'
    if (format !== 'text' && format !== 'json')
      return misused(invocation, `There is no format ${JSON.stringify(format)}: write text or json`)
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
