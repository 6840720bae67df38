import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok } from '../../base/result.ts'
import {
  type CheckDefinition,
  membershipCheckId,
  metadataProblem,
  type OfferedService,
  type ServiceDefinition,
  type ServiceFacts,
} from '../../model/catalog.ts'
import { reservedMetaPrefix } from '../../model/naming/names.ts'
import { type Naming, svcNaming } from '../../model/naming/naming.ts'
import { newestRelease, type Release } from '../../model/release.ts'
import { type CheckRead, checksOf, checksProblem, definitionOf, readCheck, serviceChecks } from './definition-checks.ts'
import { Fields } from './definition-fields.ts'
import { type Dialect, type FieldProblem, isObject } from './definition-matching.ts'
import { type Connect, managedProxy, meshProblem, readConnect, readMesh, sidecarFacts } from './definition-mesh.ts'
import {
  type CheckMembers,
  checkNames,
  checkOldSpellings,
  type ServiceMembers,
  serviceNames,
  serviceOldSpellings,
  weightNames,
} from './definition-names.ts'
import { type DefinitionProblem, noObject, ofFields, type Parsed, problemAt } from './definition-problems.ts'
import { UnknownMembers } from './unknown-members.ts'

const portMax = 65_535
const weightMax = 65_535
const anyAddresses: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]'])

/**
 * Reads a service definition from a request body or a configuration file. Reference: definitions.md#service-definition,
 * definitions.md#check-definition, configuration.md#fact-7.
 */
export function parseServiceDefinition(
  value: unknown,
  dialect: Dialect,
  release: Release = newestRelease,
  unknown = new UnknownMembers(),
  naming: Naming = svcNaming,
): Parsed<ServiceDefinition> {
  if (!isObject(value)) return noObject(dialect)
  const problems: FieldProblem[] = []
  const fields = new Fields<ServiceMembers>(
    { dialect, release, problems, unknown },
    [],
    value,
    serviceNames,
    serviceOldSpellings,
  )
  const read = readService(fields, dialect)
  const beside = read.connect.sidecar === undefined ? undefined : readService(read.connect.sidecar, dialect)
  if (problems.length > 0) return err(ofFields(dialect, problems))
  const problem = serviceProblem(dialect, naming, read) ?? meshProblem(fields, read.service, read.connect)
  if (problem !== undefined) return err(problem)
  const own = definitionFrom(read)
  const { managed } = read.connect
  if (managed !== undefined) {
    const proxy = { service: managedProxy(managed, read.service), checks: [] }
    return reservedProblem(ok({ ...own, sidecar: proxy }), ({ checks }) => checks)
  }
  if (beside === undefined) return reservedProblem(ok(own), ({ checks }) => checks)
  const sidecarRead = { ...beside, service: sidecarFacts(beside.service, beside.token, read.service) }
  const within = serviceProblem(dialect, naming, sidecarRead, ' in sidecar_service')
  if (within !== undefined) return err(within)
  const sidecar = definitionFrom(sidecarRead)
  return reservedProblem(ok({ ...own, sidecar }), ({ checks }) => [...checks, ...sidecar.checks])
}

interface ServiceRead {
  readonly fields: Fields<ServiceMembers>
  readonly service: OfferedService
  /** The token of the definition; over HTTP that of the service is the caller's. */
  readonly token: string
  readonly checkFields: readonly Fields<CheckMembers>[]
  readonly checks: readonly CheckRead[]
  readonly connect: Connect
}

function readService(fields: Fields<ServiceMembers>, dialect: Dialect): ServiceRead {
  const name = fields.text('name')
  const token = fields.text('token')
  const weights = fields.object('weights', weightNames)
  const checkFields = checksOf(fields)
  const connect = readConnect(fields)
  const mesh = readMesh(fields, connect)
  const service: OfferedService = {
    kind: fields.text('kind'),
    id: fields.text('id') || name,
    service: name,
    tags: fields.texts('tags'),
    address: fields.text('address'),
    meta: fields.pairs('meta'),
    port: fields.integer('port'),
    weights: { passing: weights?.integer('passing') ?? 1, warning: weights?.integer('warning') ?? 1 },
    enableTagOverride: fields.flag('enableTagOverride'),
    ...(mesh === undefined ? {} : { mesh }),
    ...(weights === undefined ? { weightless: true as const } : {}),
    ...ownToken(dialect, token),
  }
  return { fields, service, token, checkFields, checks: checkFields.map((check) => readCheck(check)), connect }
}

function serviceProblem(
  dialect: Dialect,
  naming: Naming,
  { fields, service, checkFields, checks }: ServiceRead,
  where = '',
): DefinitionProblem | undefined {
  return (
    ownProblem(dialect, naming, fields, service) ??
    checksProblem(dialect, service, checkFields, checks, where) ??
    weightsProblem(dialect, fields, service)
  )
}

function definitionFrom({ service, checks }: ServiceRead): ServiceDefinition {
  return { service, checks: serviceChecks(service, checks) }
}

/** Reads a check definition. Whether its service exists is checked at registration. */
export function parseCheckDefinition(
  value: unknown,
  dialect: Dialect,
  release: Release = newestRelease,
  unknown = new UnknownMembers(),
): Parsed<CheckDefinition> {
  if (!isObject(value)) return noObject(dialect)
  const problems: FieldProblem[] = []
  const reading = { dialect, release, problems, unknown }
  const fields = new Fields<CheckMembers>(reading, [], value, checkNames, checkOldSpellings)
  const read = readCheck(fields)
  if (problems.length > 0) return err(ofFields(dialect, problems))
  if (read.name === '') return problemAt(fields.pathOf('name'), 'Missing check name')
  if (read.status === undefined) {
    const named = dialect === 'http' ? '' : `Check ${JSON.stringify(read.name)}: `
    return problemAt(fields.pathOf('status'), `${named}Bad check status`, [read.name])
  }
  if (!read.probe.ok) {
    const named = dialect === 'http' ? 'Invalid check' : `Invalid check ${JSON.stringify(read.name)}`
    return problemAt([], `${named}: ${read.probe.error}`, [read.name])
  }
  const definition = definitionOf(read, read.status, read.probe.value, read.id || read.name, read.name, read.serviceId)
  return reservedProblem(ok({ ...definition, ...ownToken(dialect, read.token) }), (check) => [check])
}

/**
 * The leader writes the membership check of every node: an agent's check with the same ID would be overwritten for
 * ever.
 */
function reservedProblem<T>(read: Parsed<T>, checksIn: (value: T) => readonly CheckDefinition[]): Parsed<T> {
  const isReserved = ({ checkId }: CheckDefinition): boolean =>
    checkId.length === membershipCheckId.length && lowerAscii(checkId) === lowerAscii(membershipCheckId)
  if (!read.ok || !checksIn(read.value).some(isReserved)) return read
  const message = `Invalid check: CheckID "${membershipCheckId}" is that of the node's membership, choose another`
  return problemAt([], message, [membershipCheckId])
}

/** Over HTTP the token comes with the request, as in every other request. Reference: definitions.md#service-token. */
function ownToken(dialect: Dialect, token: string): { readonly token?: string } {
  return dialect === 'http' || token === '' ? {} : { token }
}

function ownProblem(
  dialect: Dialect,
  naming: Naming,
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
  const bad = metadataProblem(service.meta ?? [], reservedMetaPrefix(naming))
  if (bad === undefined) return undefined
  const frame = dialect === 'http' ? 'Invalid Service Meta' : `invalid meta for service ${service.service}`
  return { path: fields.pathOf('meta'), message: `${frame}: ${bad}`, remedy: '' }
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
