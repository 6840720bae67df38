import { utf8 } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ApiClient, failed, misused, serverFlags } from '../api/client.ts'
import type { CliCommand, Invocation } from '../command.ts'
import type { ServiceInFile } from '../files/service-files.ts'
import { pairsOf } from '../flags/values.ts'

export const registerCommand: CliCommand = {
  path: ['services', 'register'],
  summary: 'Register services with the agent that is asked',
  operands: '[FILE...]',
  about:
    'Describe one service by flags, or any number of them in definition files. The agent keeps them over a restart. A token in a ' +
    'definition is used for its service in place of that of -token.',
  flags: [
    {
      name: 'address',
      kind: 'text',
      value: '<address>',
      help: 'Address of the service. Default: the address of the node.',
    },
    { name: 'id', kind: 'text', value: '<id>', help: 'ID of the service, unique on the agent. Default: the name.' },
    { name: 'meta', kind: 'pairs', value: '<key=value>', help: 'Metadata. May be repeated.' },
    { name: 'name', kind: 'text', value: '<name>', help: 'Name of the service.' },
    { name: 'port', kind: 'integer', value: '<port>', help: 'Port of the service.' },
    {
      name: 'replace-existing-checks',
      kind: 'bool',
      help: 'Remove checks of the service that this registration does not describe.',
    },
    { name: 'tag', kind: 'list', value: '<tag>', help: 'A tag. May be repeated.' },
    ...serverFlags,
  ],
  async run(invocation) {
    const { args, flags } = invocation
    const own = ['address', 'id', 'meta', 'name', 'port', 'tag'].filter((flag) => flags.has(flag))
    if (args.length === 0 && own.length === 0)
      return misused(invocation, 'Service registration requires at least one argument or flags.')
    if (args.length > 0 && own.length > 0)
      return failed(invocation, `Describe the service by flags or by files: -${own[0]} and ${args[0]} were both given`)
    const services = args.length > 0 ? await servicesIn(invocation) : serviceOfFlags(invocation)
    if (!services.ok) return failed(invocation, services.error)
    return registerAll(invocation, services.value)
  },
}

async function servicesIn(invocation: Invocation): Promise<Result<readonly ServiceInFile[], string>> {
  const { readServiceFiles } = await import('../files/service-files.ts')
  return readServiceFiles(invocation.env.disk, invocation.args)
}

function serviceOfFlags({ flags }: Invocation): Result<readonly ServiceInFile[], string> {
  const text = (name: string): string => {
    const value = flags.get(name)
    return typeof value === 'string' ? value : ''
  }
  const list = (name: string): readonly string[] => {
    const value = flags.get(name)
    return Array.isArray(value) ? value : []
  }
  const name = text('name')
  if (name === '') return err('The service has no name: give it with -name')
  const port = text('port')
  if (!/^\d*$/.test(port)) return err(`invalid value "${port}" for flag -port: write a whole number`)
  const meta = pairsOf(flags.get('meta'), 'meta')
  if (!meta.ok) return meta
  const body: Json = {
    ID: text('id'),
    Name: name,
    Tags: list('tag'),
    Address: text('address'),
    Port: Number(port),
    Meta: meta.value,
  }
  return ok([{ id: text('id') || name, name, body, token: undefined }])
}

async function registerAll(invocation: Invocation, services: readonly ServiceInFile[]): Promise<number> {
  const query =
    invocation.flags.get('replace-existing-checks') === true ? [['replace-existing-checks', ''] as const] : []
  for (const { name, body, token } of services) {
    const client = new ApiClient(invocation, token)
    const answer = await client.expect('PUT', '/v1/agent/service/register', query, utf8(JSON.stringify(body)))
    if (!answer.ok) return failed(invocation, `Error registering service "${name}": ${answer.error}`)
    invocation.terminal.out(`Registered service: ${name}\n`)
  }
  return 0
}

export const deregisterCommand: CliCommand = {
  path: ['services', 'deregister'],
  summary: 'Deregister services from the agent that is asked',
  operands: '[FILE...]',
  about:
    'Name one service by -id, or give the definition files from which services were registered. A token in a definition is used ' +
    'for its service in place of that of -token.',
  flags: [{ name: 'id', kind: 'text', value: '<id>', help: 'ID of the service.' }, ...serverFlags],
  async run(invocation) {
    const { args, flags } = invocation
    const id = flags.get('id')
    if (typeof id !== 'string' && args.length === 0)
      return misused(invocation, 'Service deregistration requires at least one argument or -id.')
    if (typeof id === 'string' && args.length > 0)
      return failed(invocation, `Name the service by -id or by files: -id and ${args[0]} were both given`)
    const services =
      typeof id === 'string' ? ok([{ id, name: id, body: {}, token: undefined }]) : await servicesIn(invocation)
    if (!services.ok) return failed(invocation, services.error)
    return deregisterAll(invocation, services.value)
  },
}

async function deregisterAll(invocation: Invocation, services: readonly ServiceInFile[]): Promise<number> {
  for (const service of services) {
    const client = new ApiClient(invocation, service.token)
    const answer = await client.expect('PUT', `/v1/agent/service/deregister/${encodeURIComponent(service.id)}`)
    if (!answer.ok) return failed(invocation, `Error deregistering service "${service.id}": ${answer.error}`)
    invocation.terminal.out(`Deregistered service: ${service.id}\n`)
  }
  return 0
}
