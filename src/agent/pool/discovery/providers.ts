import { err, ok, type Result } from '../../../base/result.ts'
import { askExec, askFile } from './address-list.ts'
import { askDns } from './dns.ts'
import { askKubernetes } from './kubernetes.ts'
import type { DiscoveryEnv, DiscoveryRequest } from './request.ts'

export interface DiscoveryProvider {
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
      cloud === undefined ? `unknown provider ${name}` : `provider ${name} needs ${cloud}, which is not there yet`,
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
