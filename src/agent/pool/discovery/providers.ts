import { textOf } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import { endpointText } from '../../../env/net.ts'
import type { ChildExit } from '../../../env/process.ts'
import { readWholeFile } from '../../boot/whole-file.ts'
import { askKubernetes } from './kubernetes.ts'
import type { DiscoveryEnv, DiscoveryRequest } from './request.ts'

interface DiscoveryProvider {
  /** Every key that the provider accepts; those with `true` are required. */
  readonly keys: Readonly<Record<string, boolean>>
  /**
   * Addresses in the form of `retry_join`, with or without a port. The error says what failed, and contains no value of
   * the request.
   */
  ask(env: DiscoveryEnv, request: DiscoveryRequest): Promise<Result<readonly string[], string>>
}

/** Providers that need no cloud account. */
const providers: ReadonlyMap<string, DiscoveryProvider> = new Map([
  ['dns', { keys: { name: true, port: false }, ask: askDns }],
  ['exec', { keys: { command: true }, ask: askExec }],
  ['file', { keys: { path: true }, ask: askFile }],
  [
    'k8s',
    {
      keys: {
        namespace: false,
        label_selector: false,
        field_selector: false,
        host_network: false,
        server: false,
        token_file: false,
        ca_file: false,
      },
      ask: askKubernetes,
    },
  ],
])

/** Clouds that the field supports, and what asking each would need. */
const clouds: ReadonlyMap<string, string> = new Map([
  ['aliyun', 'a client of the API of Alibaba Cloud ECS'],
  ['aws', 'a client of the API of Amazon EC2, with signed requests'],
  ['azure', 'a client of the API of Azure Resource Manager'],
  ['digitalocean', 'a client of the API of DigitalOcean'],
  ['gce', 'a client of the API of Google Compute Engine'],
  ['os', 'a client of the API of OpenStack Nova'],
  ['packet', 'a client of the API of Packet'],
  ['scaleway', 'a client of the API of Scaleway'],
  ['softlayer', 'a client of the API of SoftLayer'],
  ['triton', 'a client of the API of Triton CloudAPI'],
  ['vsphere', 'a client of the API of vSphere'],
])

/**
 * The provider of a request. The error says why there is none, and contains no value of the request but the provider's
 * name.
 */
export function providerOf(request: DiscoveryRequest): Result<DiscoveryProvider, string> {
  const name = request.get('provider')
  if (name === undefined) return err('provider: missing key')
  const provider = providers.get(name)
  if (provider === undefined) {
    const cloud = clouds.get(name)
    return err(
      cloud === undefined
        ? `unknown provider ${name}`
        : `provider ${name} needs ${cloud}, which this release does not have`,
    )
  }
  const problem = keyProblem(name, provider, request)
  return problem === undefined ? ok(provider) : err(problem)
}

function keyProblem(name: string, { keys }: DiscoveryProvider, request: DiscoveryRequest): string | undefined {
  for (const [key, needed] of Object.entries(keys)) {
    if (needed && (request.get(key) ?? '') === '') return `provider ${name}: ${key}: missing key`
  }
  const unknown = [...request.keys()].find((key) => key !== 'provider' && keys[key] === undefined)
  if (unknown === undefined) return undefined
  return `provider ${name}: unknown key ${unknown}: it has ${Object.keys(keys).join(', ')}`
}

/** Maximum time for one lookup. */
const lookupMs = 10_000

/** `provider=dns name=servers.example.com port=8301`: all addresses of a name, with the port if one is given. */
async function askDns({ names }: DiscoveryEnv, request: DiscoveryRequest): Promise<Result<readonly string[], string>> {
  const port = request.get('port')
  const number = Number(port)
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && number >= 1 && number <= 65_535)) {
    return err('provider dns: port: write a number from 1 to 65535')
  }
  const found = await names.lookup(request.get('name') ?? '', lookupMs)
  if (!found.ok) return err(`provider dns: ${found.error.message}`)
  return ok(found.value.map((host) => (port === undefined ? host : endpointText({ host, port: number }))))
}

/** Maximum time for a program to print its addresses. */
const commandMs = 30_000
/** Maximum bytes of its output; a longer output is not a list of addresses. */
const outputBytesMax = 64 << 10

/** `provider=file path=/etc/svc/servers`: addresses in a file, read at each attempt. */
async function askFile({ disk }: DiscoveryEnv, request: DiscoveryRequest): Promise<Result<readonly string[], string>> {
  const read = await readWholeFile(disk, request.get('path') ?? '')
  return read.ok ? ok(addressesIn(read.value)) : err(`provider file: ${read.error.kind}: ${read.error.path}`)
}

/**
 * `provider=exec command="/usr/local/bin/servers --of dc1"`: addresses that a program prints. No shell is involved:
 * words are divided by spaces.
 */
async function askExec(
  { processes }: DiscoveryEnv,
  request: DiscoveryRequest,
): Promise<Result<readonly string[], string>> {
  const [program = '', ...args] = (request.get('command') ?? '').split(' ').filter((word) => word !== '')
  const ended = await processes.run([program, ...args], { timeoutMs: commandMs, outputBytesMax: outputBytesMax + 1 })
  if (!ended.ok) return err(`provider exec: ${program}: ${ended.error.message}`)
  const problem = problemOf(ended.value)
  return problem === undefined ? ok(addressesIn(ended.value.output)) : err(`provider exec: ${program} ${problem}`)
}

function problemOf({ exit, timedOut, output }: ChildExit): string | undefined {
  if (timedOut) return `has not ended within ${commandMs / 1000} s`
  if (exit !== 0) return `ended with ${exit}`
  return output.length > outputBytesMax ? `printed more than ${outputBytesMax} bytes` : undefined
}

/** One or more addresses on a line, separated by spaces or commas; a number sign begins a comment. */
export function addressesIn(bytes: Uint8Array): readonly string[] {
  const lines = textOf(bytes).split('\n')
  return lines.flatMap((line) => line.replace(/#.*/, '').split(/[\s,]+/)).filter((word) => word !== '')
}
