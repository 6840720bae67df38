import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import {
  type CatalogCheckDefinition,
  type CheckFacts,
  metadataProblem,
  type RegisterRequest,
  type ServiceFacts,
} from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { registeredChecksMax, tooManyChecks } from '../../model/limits.ts'
import {
  type MeshFacts,
  meshFactsOf,
  type ProxyFacts,
  proxyProblems,
  serviceUpstream,
} from '../../model/mesh-service.ts'
import { reservedMetaPrefix } from '../../model/naming/names.ts'
import type { Naming } from '../../model/naming/naming.ts'
import { severalErrors } from '../../model/several-errors.ts'
import {
  type Decoder,
  decodeBody,
  decoder,
  duration,
  flag,
  integer,
  list,
  members,
  nullable,
  object,
  text,
  textPairs,
} from '../http/json-body.ts'
import { settingsText } from '../mesh/settings-text.ts'

const settings: Decoder<string> = decoder({ type: 'object' }, (value, place, report) => {
  if (value === undefined || value === null || value instanceof Map) return settingsText(value)
  report.mismatch(`'${place}' expected a map`)
  return ''
})

const upstreamBody = object({
  DestinationType: text,
  DestinationNamespace: text,
  DestinationName: text,
  Datacenter: text,
  LocalBindAddress: text,
  LocalBindPort: integer,
  Config: settings,
})

const proxyBody = object({
  DestinationServiceName: text,
  DestinationServiceID: text,
  LocalServiceAddress: text,
  LocalServicePort: integer,
  Config: settings,
  Upstreams: list(upstreamBody),
})

const serviceBody = object({
  Kind: text,
  ID: text,
  Service: text,
  Tags: list(text),
  Address: text,
  Meta: textPairs,
  Port: integer,
  Weights: nullable(object({ Passing: integer, Warning: integer })),
  EnableTagOverride: flag,
  ProxyDestination: text,
  Proxy: nullable(proxyBody),
  Connect: object({ Native: flag }),
})
type ServiceBody = ReturnType<typeof serviceBody>

const definitionBody = object({
  HTTP: text,
  TLSSkipVerify: flag,
  Header: members(list(text)),
  Method: text,
  TCP: text,
  Interval: duration,
  Timeout: duration,
  DeregisterCriticalServiceAfter: duration,
})

const checkBody = object({
  Node: text,
  CheckID: text,
  Name: text,
  Status: text,
  Notes: text,
  Output: text,
  ServiceID: text,
  Definition: definitionBody,
})
type CheckBody = ReturnType<typeof checkBody>

export const registerBody = object({
  Datacenter: text,
  ID: text,
  Node: text,
  Address: text,
  TaggedAddresses: textPairs,
  NodeMeta: textPairs,
  Service: nullable(serviceBody),
  Check: nullable(checkBody),
  Checks: list(checkBody),
  SkipNodeUpdate: flag,
})
type RegisterBody = ReturnType<typeof registerBody>

const anyAddresses: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]'])
const weightMax = 65_535

/** Parses the body of a registration; an empty datacenter is the agent's own. Reference: catalog.md#register-body. */
export function registerRequestOf(
  body: Uint8Array,
  naming: Naming,
): Result<{ readonly datacenter: string; readonly request: RegisterRequest }, Failure> {
  const decoded = decodeBody(body, registerBody)
  if (!decoded.ok) return decoded
  const { value } = decoded
  if (value.Checks.length > registeredChecksMax) return err(tooManyChecks(value.Checks.length))
  const checks = value.Check === null ? value.Checks : [...value.Checks, value.Check]
  const problem = nodeProblem(value) ?? serviceProblem(value.Service, naming) ?? checksProblem(checks)
  if (problem !== undefined) return err({ kind: 'bad-request', message: problem })
  const request: RegisterRequest = {
    node: {
      id: lowerAscii(value.ID),
      node: value.Node,
      address: value.Address,
      taggedAddresses: value.TaggedAddresses,
      meta: value.NodeMeta,
    },
    skipNodeUpdate: value.SkipNodeUpdate,
    service: value.Service === null ? null : serviceFacts(value.Service),
    checks: checks.map((check) => checkFacts(check, value.Node)),
  }
  return ok({ datacenter: value.Datacenter, request })
}

function nodeProblem({ Node, Address, ID, SkipNodeUpdate }: RegisterBody): string | undefined {
  if (Node === '') return 'Must provide node'
  if (Address === '' && !SkipNodeUpdate) return 'Must provide address if SkipNodeUpdate is not set'
  const badId = ID === '' ? undefined : uuidProblem(ID)
  return badId === undefined ? undefined : `Bad node ID: ${badId}`
}

function uuidProblem(id: string): string | undefined {
  if (id.length !== 36) return 'uuid string is wrong length'
  const shaped = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
  return shaped ? undefined : 'uuid is improperly formatted'
}

function serviceProblem(service: ServiceBody | null, naming: Naming): string | undefined {
  if (service === null) return undefined
  if (service.Service === '') return 'Must provide service name with ID'
  if (anyAddresses.has(service.Address)) return 'Invalid service address'
  const badMeta = metadataProblem(service.Meta ?? [], reservedMetaPrefix(naming))
  if (badMeta !== undefined) return `Invalid Service Meta: ${badMeta}`
  const { Kind: kind, Service: name, Port: port } = service
  const wrong = proxyProblems({ kind, service: name, port, mesh: meshOf(service) })
  return wrong.length === 0 ? undefined : severalErrors(wrong)
}

function checksProblem(checks: readonly CheckBody[]): string | undefined {
  return checks.some(({ CheckID, Name }) => CheckID === '' && Name === '') ? 'Must provide check ID or name' : undefined
}

function serviceFacts(service: ServiceBody): ServiceFacts {
  const mesh = meshOf(service)
  return {
    kind: service.Kind,
    id: service.ID === '' ? service.Service : service.ID,
    service: service.Service,
    tags: service.Tags,
    address: service.Address,
    meta: service.Meta,
    port: service.Port,
    weights: weightsOf(service.Weights),
    enableTagOverride: service.EnableTagOverride,
    ...(mesh === undefined ? {} : { mesh }),
  }
}

/** Releases before 1.3.0 know only `ProxyDestination`. */
function meshOf({ Proxy: proxy, ProxyDestination, Connect }: ServiceBody): MeshFacts | undefined {
  return meshFactsOf(Connect.Native, proxyFacts(proxy, ProxyDestination))
}

function proxyFacts(proxy: ReturnType<typeof proxyBody> | null, destination: string): ProxyFacts {
  return {
    destination: proxy?.DestinationServiceName || destination,
    destinationId: proxy?.DestinationServiceID ?? '',
    localAddress: proxy?.LocalServiceAddress ?? '',
    localPort: proxy?.LocalServicePort ?? 0,
    config: proxy?.Config ?? '',
    upstreams: (proxy?.Upstreams ?? []).map((upstream) => ({
      type: upstream.DestinationType || serviceUpstream,
      namespace: upstream.DestinationNamespace,
      name: upstream.DestinationName,
      datacenter: upstream.Datacenter,
      localAddress: upstream.LocalBindAddress,
      localPort: upstream.LocalBindPort,
      config: upstream.Config,
    })),
  }
}

/** Invalid weights are replaced: the field does not refuse them here. */
function weightsOf(given: ServiceBody['Weights']): ServiceFacts['weights'] {
  const plain = { passing: 1, warning: 1 }
  if (given === null) return plain
  const { Passing: passing, Warning: warning } = given
  const fits = passing >= 1 && passing <= weightMax && warning >= 0 && warning <= weightMax
  return fits ? { passing, warning } : plain
}

function checkFacts(check: CheckBody, node: string): CheckFacts {
  return {
    node: check.Node === '' ? node : check.Node,
    checkId: check.CheckID === '' ? check.Name : check.CheckID,
    name: check.Name,
    status: check.Status,
    notes: check.Notes,
    output: check.Output,
    serviceId: check.ServiceID,
    // The catalog fills in the service's name and tags.
    serviceName: '',
    serviceTags: [],
    definition: definitionOf(check.Definition),
  }
}

function definitionOf(given: ReturnType<typeof definitionBody>): CatalogCheckDefinition | null {
  const definition: CatalogCheckDefinition = {
    http: given.HTTP,
    tlsSkipVerify: given.TLSSkipVerify,
    header: given.Header,
    method: given.Method,
    tcp: given.TCP,
    intervalMs: given.Interval,
    timeoutMs: given.Timeout,
    deregisterCriticalServiceAfterMs: given.DeregisterCriticalServiceAfter,
  }
  const saysNothing = Object.values(definition).every((value) => !value || (Array.isArray(value) && value.length === 0))
  return saysNothing ? null : definition
}
