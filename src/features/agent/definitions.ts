import { compareText } from '../../base/bytes.ts'
import { invariant } from '../../base/invariant.ts'
import { err, ok, type Result } from '../../base/result.ts'
import {
  type CheckDefinition,
  type CheckProbe,
  type CheckStatus,
  membershipCheckId,
  type OfferedService,
  type ServiceDefinition,
  type ServiceFacts,
} from '../../model/catalog.ts'
import { metadataProblem } from '../../model/metadata.ts'
import { newestRelease, type Release } from '../../model/release.ts'
import { probeFrom } from './check-probe.ts'
import { type DefinitionPath, type Dialect, type FieldProblem, Fields, isObject } from './definition-fields.ts'
import {
  type CheckMembers,
  checkNames,
  checkOldSpellings,
  connectNames,
  proxyNames,
  type ServiceMembers,
  type ServiceName,
  serviceCheckNames,
  serviceNames,
  serviceOldSpellings,
  weightNames,
} from './definition-names.ts'

/** The first thing wrong with a definition. Over HTTP `message` is the whole answer, in a file one clause. */
export interface DefinitionProblem {
  /** Where, from the definition on: keys as they are spelled. */
  readonly path: DefinitionPath
  readonly message: string
  /** What to write instead; may be empty. */
  readonly remedy: string
}

export type Parsed<T> = Result<T, DefinitionProblem>

/** The service is taken out no earlier than this after its check turned critical. Reference: configuration 2. */
const deregisterAfterMinMs = 60_000
const portMax = 65_535
const weightMax = 65_535
const anyAddresses: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]'])

/** Reads a service that an agent is to offer, from a body or a configuration file. Reference: HTTP API 4.2, 4.4; configuration CFG-7. */
export function parseServiceDefinition(
  value: unknown,
  dialect: Dialect,
  release: Release = newestRelease,
): Parsed<ServiceDefinition> {
  if (!isObject(value)) return noObject(dialect)
  const problems: FieldProblem[] = []
  const fields = new Fields<ServiceMembers>(
    { dialect, release, problems },
    [],
    value,
    serviceNames,
    serviceOldSpellings,
  )
  const name = fields.text('name')
  const facts = {
    kind: fields.text('kind'),
    id: fields.text('id') || name,
    service: name,
    tags: fields.texts('tags'),
    address: fields.text('address'),
    meta: fields.pairs('meta'),
    port: fields.integer('port'),
    enableTagOverride: fields.flag('enableTagOverride'),
  }
  const token = ownToken(dialect, fields.text('token'))
  const weights = fields.object('weights', weightNames)
  const given = { passing: weights?.integer('passing') ?? 1, warning: weights?.integer('warning') ?? 1 }
  const checkFields = checksOf(fields)
  const probes = checkFields.map((check) => readCheck(check))
  const mesh = readMesh(fields)
  if (problems.length > 0) return err(ofFields(dialect, problems))
  const service: OfferedService = { ...facts, weights: given, ...token }
  const problem =
    ownProblem(dialect, fields, service) ??
    checksProblem(dialect, service, checkFields, probes) ??
    weightsProblem(dialect, fields, service) ??
    meshProblem(fields, service, mesh)
  if (problem !== undefined) return err(problem)
  return reservedProblem(ok({ service, checks: serviceChecks(service, probes) }), ({ checks }) => checks)
}

/** Reads a check that an agent is to run. Whether its service is there is seen when it is registered. */
export function parseCheckDefinition(
  value: unknown,
  dialect: Dialect,
  release: Release = newestRelease,
): Parsed<CheckDefinition> {
  if (!isObject(value)) return noObject(dialect)
  const problems: FieldProblem[] = []
  const fields = new Fields<CheckMembers>({ dialect, release, problems }, [], value, checkNames, checkOldSpellings)
  const read = readCheck(fields)
  if (problems.length > 0) return err(ofFields(dialect, problems))
  if (read.name === '') return problemAt(fields.pathOf('name'), 'Missing check name')
  if (read.status === undefined) {
    const named = dialect === 'http' ? '' : `Check ${JSON.stringify(read.name)}: `
    return problemAt(fields.pathOf('status'), `${named}Bad check status`)
  }
  if (!read.probe.ok) {
    const named = dialect === 'http' ? 'Invalid check' : `Invalid check ${JSON.stringify(read.name)}`
    return problemAt([], `${named}: ${read.probe.error}`)
  }
  const definition = definitionOf(read, read.status, read.probe.value, read.id || read.name, read.name, read.serviceId)
  return reservedProblem(ok({ ...definition, ...ownToken(dialect, read.token) }), (check) => [check])
}

/** The leader writes the membership check of every node: one of ours under its ID would be at odds with it for ever. */
function reservedProblem<T>(read: Parsed<T>, checksIn: (value: T) => readonly CheckDefinition[]): Parsed<T> {
  const isReserved = ({ checkId }: CheckDefinition): boolean =>
    checkId.toLowerCase() === membershipCheckId.toLowerCase()
  if (!read.ok || !checksIn(read.value).some(isReserved)) return read
  return problemAt([], `Invalid check: CheckID "${membershipCheckId}" is that of the node's membership, choose another`)
}

interface CheckRead {
  readonly token: string
  readonly id: string
  readonly name: string
  readonly notes: string
  readonly serviceId: string
  /** Undefined: not a status. */
  readonly status: CheckStatus | undefined
  readonly deregisterAfterMs: number
  readonly probe: Result<CheckProbe, string>
}

function readCheck(fields: Fields<CheckMembers>): CheckRead {
  const token = fields.text('token')
  fields.text('shell')
  return {
    token,
    id: fields.text('id'),
    name: fields.text('name'),
    notes: fields.text('notes'),
    serviceId: fields.text('serviceId'),
    status: statusOf(fields.text('status')),
    deregisterAfterMs: fields.durationMs('deregisterAfter'),
    probe: probeFrom(fields),
  }
}

/** `''` is critical: nothing has been heard of it yet. */
function statusOf(text: string): CheckStatus | undefined {
  if (text === '') return 'critical'
  return text === 'passing' || text === 'warning' || text === 'critical' ? text : undefined
}

/** An empty `check` is none, an empty member of `checks` is a wrong one, as the field has it. */
function checksOf(fields: Fields<ServiceMembers>): readonly Fields<CheckMembers>[] {
  const one = fields.object('check', serviceCheckNames, checkOldSpellings)
  const several = fields.objects('checks', serviceCheckNames, checkOldSpellings)
  return one === undefined || one.empty() ? several : [one, ...several]
}

function serviceChecks(service: OfferedService, reads: readonly CheckRead[]): readonly CheckDefinition[] {
  const checks: CheckDefinition[] = []
  for (const [at, read] of reads.entries()) {
    if (!read.probe.ok || read.status === undefined) continue
    const ownId = `service:${service.id}${reads.length > 1 ? `:${at + 1}` : ''}`
    const name = read.name || `Service '${service.service}' check`
    const check = definitionOf(read, read.status, read.probe.value, read.id || ownId, name, service.id)
    checks.push(service.token === undefined ? check : { ...check, token: service.token })
  }
  return checks
}

/** A caller of the API brings its token as any other does. Reference: HTTP API 4.2. */
function ownToken(dialect: Dialect, token: string): { readonly token?: string } {
  return dialect === 'http' || token === '' ? {} : { token }
}

function definitionOf(
  read: CheckRead,
  status: CheckStatus,
  probe: CheckProbe,
  checkId: string,
  name: string,
  serviceId: string,
): CheckDefinition {
  const afterMs = read.deregisterAfterMs
  return {
    checkId,
    name,
    notes: read.notes,
    serviceId,
    status,
    probe,
    deregisterCriticalServiceAfterMs: afterMs > 0 ? Math.max(afterMs, deregisterAfterMinMs) : 0,
  }
}

function ownProblem(
  dialect: Dialect,
  fields: Fields<ServiceMembers>,
  service: ServiceFacts,
): DefinitionProblem | undefined {
  if (service.service === '') return { path: fields.pathOf('name'), message: 'Missing service name', remedy: '' }
  if (anyAddresses.has(service.address)) {
    return { path: fields.pathOf('address'), message: 'Invalid service address', remedy: '' }
  }
  if (service.port < 0 || service.port > portMax) {
    return {
      path: fields.pathOf('port'),
      message: `Invalid service port: must be between 0 and ${portMax}`,
      remedy: '',
    }
  }
  const bad = metadataProblem(service.meta ?? [])
  if (bad === undefined) return undefined
  const frame = dialect === 'http' ? 'Invalid Service Meta' : `invalid meta for service ${service.service}`
  return { path: fields.pathOf('meta'), message: `${frame}: ${bad}`, remedy: '' }
}

function checksProblem(
  dialect: Dialect,
  service: ServiceFacts,
  fields: readonly Fields<CheckMembers>[],
  reads: readonly CheckRead[],
): DefinitionProblem | undefined {
  const within = dialect === 'http' ? '' : ` of service ${JSON.stringify(service.service)}`
  for (const [at, read] of reads.entries()) {
    const named = dialect === 'http' || read.name === '' ? '' : ` ${JSON.stringify(read.name)}`
    if (read.probe.ok) continue
    return { path: fields[at]?.path ?? [], message: `Invalid check${named}${within}: ${read.probe.error}`, remedy: '' }
  }
  const bad = reads.findIndex((read) => read.status === undefined)
  if (bad < 0) return undefined
  const message = "Status for checks must 'passing', 'warning', 'critical'"
  return { path: fields[bad]?.pathOf('status') ?? [], message: `${message}${within}`, remedy: '' }
}

function weightsProblem(
  dialect: Dialect,
  fields: Fields<ServiceMembers>,
  service: ServiceFacts,
): DefinitionProblem | undefined {
  const { passing, warning } = service.weights
  const frame = dialect === 'http' ? 'Invalid Weights' : `Invalid weight definition for service ${service.service}`
  const path = fields.pathOf('weights')
  if (passing < 1) return { path, message: `${frame}: Passing must be greater than 0`, remedy: '' }
  if (passing <= weightMax && warning >= 0 && warning <= weightMax) return undefined
  return { path, message: `${frame}: DNS Weight must be between 0 and ${weightMax}`, remedy: '' }
}

interface Mesh {
  readonly destination: string
  /** Members of a proxy, though the service is none. */
  readonly proxy: boolean
  readonly native: boolean
  readonly sidecar: boolean
  readonly managed: boolean
}

function readMesh(fields: Fields<ServiceMembers>): Mesh {
  const connect = fields.object('connect', connectNames)
  const proxy = fields.object('proxy', proxyNames)
  return {
    destination: proxy?.text('destination') || fields.text('proxyDestination'),
    proxy: proxy?.empty() === false || fields.text('proxyDestination') !== '',
    native: connect?.flag('native') ?? false,
    sidecar: connect?.has('sidecar') ?? false,
    managed: connect?.has('proxy') ?? false,
  }
}

/** The mesh is not there yet: what asks for it is refused, for to take it and leave it out would be a lie. Reference: HTTP API 4.3. */
function meshProblem(fields: Fields<ServiceMembers>, service: ServiceFacts, mesh: Mesh): DefinitionProblem | undefined {
  const at = (key: ServiceName, message: string): DefinitionProblem => ({
    path: fields.pathOf(key),
    message,
    remedy: '',
  })
  if (service.kind === 'connect-proxy') {
    const wrong = [
      ...(mesh.destination === '' ? ['Proxy.DestinationServiceName must be non-empty for Connect proxy services'] : []),
      ...(service.port === 0 ? ['Port must be set for a Connect proxy'] : []),
      ...(mesh.native ? ['A Proxy cannot also be Connect Native, only typical services'] : []),
    ]
    if (wrong.length > 0) return at('kind', severalErrors(wrong))
    return at('kind', 'Invalid service: proxies of the mesh (Kind connect-proxy) are not there yet')
  }
  if (mesh.managed) return at('connect', 'Bad request: Managed proxy registration via the API is disallowed.')
  if (mesh.sidecar) return at('connect', 'Invalid service: Connect.SidecarService is not there yet')
  if (mesh.native) return at('connect', 'Invalid service: Connect.Native is not there yet')
  return mesh.proxy ? at('proxy', 'Invalid service: Proxy is not there yet') : undefined
}

/** A decoding error of the field lists all that is of the wrong type, unless a duration is bad: then it says that alone. */
function ofFields(dialect: Dialect, problems: readonly FieldProblem[]): DefinitionProblem {
  const [first] = problems
  const duration = problems.find((problem) => problem.kind === 'duration')
  invariant(first !== undefined, 'no problem to tell of')
  if (dialect === 'file') return { path: first.path, message: first.message, remedy: first.remedy }
  if (duration !== undefined) {
    return { path: duration.path, message: `Request decode failed: ${duration.message}`, remedy: '' }
  }
  const lines = problems.map((problem) => problem.message).sort(compareText)
  const message = `Request decode failed: ${lines.length} error(s) decoding:\n\n${lines.map((line) => `* ${line}`).join('\n')}`
  return { path: first.path, message, remedy: '' }
}

function severalErrors(lines: readonly string[]): string {
  return `${lines.length} error(s) occurred:\n\n${lines.map((line) => `* ${line}`).join('\n')}`
}

function noObject(dialect: Dialect): Parsed<never> {
  const message = 'expected an object'
  return problemAt([], dialect === 'http' ? `Request decode failed: ${message}` : message)
}

function problemAt(path: DefinitionPath, message: string): Parsed<never> {
  return err({ path, message, remedy: '' })
}
