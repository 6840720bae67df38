import { textOf } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { readDefinitions } from '../../config/definitions.ts'
import { problemLines } from '../../config/problem.ts'
import type { ConfigDocument } from '../../config/sources/document.ts'
import { documentOf } from '../../config/sources/hcl-document.ts'
import type { Disk } from '../../env/disk.ts'
import { wholeFile } from '../flags/values.ts'

export interface ServiceInFile {
  readonly id: string
  readonly name: string
  /** As the API takes it. */
  readonly body: Json
  /** The service's token in the definition. Over HTTP it becomes the token of the request. */
  readonly token: string | undefined
}

type Services = Result<readonly ServiceInFile[], string>

/** The services of definition files, under `service` or `services`, checked as an agent would check them. */
export async function readServiceFiles(disk: Disk, paths: readonly string[]): Promise<Services> {
  const services: ServiceInFile[] = []
  for (const path of paths) {
    const file = await readServices(disk, path)
    if (!file.ok) return file
    services.push(...file.value)
  }
  return ok(services)
}

async function readServices(disk: Disk, path: string): Promise<Services> {
  const bytes = await wholeFile(disk, path)
  if (!bytes.ok) return err(`Error reading ${path}: ${bytes.error.why}`)
  const document = documentOf(path, textOf(bytes.value), path.endsWith('.hcl') ? 'hcl' : 'json')
  return document.ok ? servicesOf(document.value) : err(problemLines(document.error))
}

function servicesOf(document: ConfigDocument): Services {
  const found: FoundService[] = []
  for (const [key, member] of isRaw(document.value) ? Object.entries(document.value) : []) {
    const name = key.toLowerCase()
    if (name === 'service' && isRaw(member)) found.push({ raw: member, path: [key] })
    else if (name === 'services' && Array.isArray(member) && member.every(isRaw)) {
      found.push(...member.map((raw, at) => ({ raw, path: [key, at] })))
    } else return err(`${document.placeOf([key])}: "${key}" is not a service: write "service" or "services"`)
  }
  if (found.length === 0) return err(`${document.placeOf([])}: there is no service: write "service" or "services"`)
  const sources = found.map(({ raw, path }) => ({
    kind: 'service' as const,
    value: raw,
    placeOf: (inside: readonly PropertyKey[]) => document.placeOf([...path, ...inside]),
  }))
  // The agent decides whether scripts may run.
  const read = readDefinitions(sources, { scripts: true })
  if (!read.ok) return err(read.error.map(problemLines).join('\n'))
  const named = read.value.services.map(({ service: { id, service: name, token } }) => ({ id, name, token }))
  return ok(named.map((service, at) => ({ ...service, body: bodyOf(found[at]?.raw ?? {}) })))
}

type Raw = Readonly<Record<string, unknown>>

interface FoundService {
  readonly raw: Raw
  readonly path: readonly PropertyKey[]
}

/**
 * The HTTP API accepts the spelling of files, except for the ID of a check within a service, and within the proxy beside
 * it. Reference: definitions.md#snake-case-over-http, definitions.md#common-members.
 */
function bodyOf(raw: Raw): Json {
  const body = renamed(raw, {
    check: checkBody,
    checks: (value) => (Array.isArray(value) ? value.map(checkBody) : value),
    connect: (value) => renamed(value, { sidecar_service: (beside) => (isRaw(beside) ? bodyOf(beside) : beside) }),
  })
  return body as Json
}

function checkBody(value: unknown): unknown {
  if (!isRaw(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toLowerCase() === 'id' ? 'CheckID' : key, member]),
  )
}

/** The object with these members, named in any case of letters, as the API takes them. */
function renamed(value: unknown, members: Readonly<Record<string, (member: unknown) => unknown>>): unknown {
  if (!isRaw(value)) return value
  const byName = new Map(Object.entries(members))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, byName.get(key.toLowerCase())?.(member) ?? member]),
  )
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
