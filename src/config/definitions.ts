import { err, ok, type Result } from '../base/result.ts'
import type { DefinitionProblem, Parsed } from '../features/agent/definition-problems.ts'
import { parseCheckDefinition, parseServiceDefinition } from '../features/agent/definitions.ts'
import { type CheckDefinition, runsProgram, type ServiceDefinition } from '../model/catalog.ts'
import { newestRelease, type Release } from '../model/release.ts'
import type { ConfigProblem } from './problem.ts'
import type { FileConfig } from './schema.ts'

/** A service or a check as it stands in a source, unread. */
export interface DefinitionSource {
  readonly kind: 'service' | 'check'
  readonly value: unknown
  /** The place of what stands at this path inside the definition: `file:line:column`. */
  placeOf(path: readonly PropertyKey[]): string
}

export interface Definitions {
  readonly services: readonly ServiceDefinition[]
  readonly checks: readonly CheckDefinition[]
}

/** The definitions of one source: those under `service`, then `services`, `check`, `checks`. */
export function definitionSources(
  file: FileConfig,
  placeOf: (path: readonly PropertyKey[]) => string,
): readonly DefinitionSource[] {
  const one = (kind: 'service' | 'check', value: unknown): readonly DefinitionSource[] =>
    value === undefined ? [] : [{ kind, value, placeOf: (path) => placeOf([kind, ...path]) }]
  const many = (kind: 'service' | 'check', values: readonly unknown[] = []): readonly DefinitionSource[] =>
    values.map((value, at) => ({ kind, value, placeOf: (path) => placeOf([`${kind}s`, at, ...path]) }))
  return [
    ...one('service', file.service),
    ...many('service', file.services),
    ...one('check', file.check),
    ...many('check', file.checks),
  ]
}

/** The rest of a source. */
export function withoutDefinitions(file: FileConfig): FileConfig {
  const { service: _service, services: _services, check: _check, checks: _checks, ...rest } = file
  return rest
}

/**
 * Reads what all sources define. IDs are unique over all of them. `scripts`: whether checks may run some. `skipped`: checks
 * that are wrong are left out and told of there; without it they are refused. `release`: what the agent runs as.
 */
export function readDefinitions(
  sources: readonly DefinitionSource[],
  scripts: boolean,
  skipped?: ConfigProblem[],
  release: Release = newestRelease,
): Result<Definitions, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = []
  const services: ServiceDefinition[] = []
  const checks: CheckDefinition[] = []
  const ids = new UniqueIds(problems)
  const reading: Reading = { problems, skipped, release }
  for (const source of sources) {
    const own =
      source.kind === 'service' ? readService(source, services, ids, reading) : readCheck(source, checks, reading)
    for (const check of own) {
      ids.claim('check', check.checkId, source)
      if (runsProgram(check.probe) && !scripts) problems.push(scriptProblem(source, check.checkId))
    }
  }
  return problems.length > 0 ? err(problems) : ok({ services, checks })
}

interface Reading {
  readonly problems: ConfigProblem[]
  readonly skipped: ConfigProblem[] | undefined
  readonly release: Release
}

/** Gives the checks of the service. */
function readService(
  source: DefinitionSource,
  into: ServiceDefinition[],
  ids: UniqueIds,
  { problems, skipped, release }: Reading,
): readonly CheckDefinition[] {
  const parsed =
    skipped === undefined ? parseServiceDefinition(source.value, 'file', release) : leniently(source, skipped, release)
  if (!parsed.ok) {
    problems.push(problemOf(source, parsed.error))
    return []
  }
  into.push(parsed.value)
  const { service, checks, sidecar } = parsed.value
  ids.claim('service', service.id, source)
  if (sidecar === undefined) return checks
  ids.claim('service', sidecar.service.id, source)
  return [...checks, ...sidecar.checks]
}

/** Without the checks that are wrong: each turn leaves out one. */
function leniently(source: DefinitionSource, skipped: ConfigProblem[], release: Release): Parsed<ServiceDefinition> {
  for (let value = source.value; ; ) {
    const parsed = parseServiceDefinition(value, 'file', release)
    if (parsed.ok) return parsed
    const rest = withoutCheckAt(value, parsed.error.path)
    if (rest === undefined) return parsed
    skipped.push({ ...problemOf({ ...source, value }, parsed.error), place: source.placeOf([]) })
    value = rest
  }
}

/** Undefined where the path does not lead into a check. */
function withoutCheckAt(value: unknown, [head, at]: readonly PropertyKey[]): object | undefined {
  if (typeof value !== 'object' || value === null || typeof head !== 'string') return undefined
  const key = head.toLowerCase()
  const members = Object.entries(value)
  if (key === 'check') return Object.fromEntries(members.filter(([name]) => name !== head))
  const list = memberOf(value, head)
  if (key !== 'checks' || typeof at !== 'number' || !Array.isArray(list)) return undefined
  const rest = list.filter((_check, index) => index !== at) as unknown[]
  return Object.fromEntries(members.map(([name, member]) => [name, name === head ? rest : (member as unknown)]))
}

function readCheck(
  source: DefinitionSource,
  into: CheckDefinition[],
  { problems, skipped, release }: Reading,
): readonly CheckDefinition[] {
  const parsed = parseCheckDefinition(source.value, 'file', release)
  if (!parsed.ok) {
    const told = skipped ?? problems
    told.push(problemOf(source, parsed.error))
    return []
  }
  into.push(parsed.value)
  return [parsed.value]
}

/** The same ID twice is a mistake that the later definition would hide. */
class UniqueIds {
  readonly #first = new Map<string, DefinitionSource>()
  readonly #problems: ConfigProblem[]

  constructor(problems: ConfigProblem[]) {
    this.#problems = problems
  }

  claim(kind: 'service' | 'check', id: string, source: DefinitionSource): void {
    const key = `${kind} ${id}`
    const first = this.#first.get(key)
    if (first === undefined) this.#first.set(key, source)
    else {
      const message = `${kind} ID "${id}" is defined twice: here and at ${first.placeOf([])}`
      this.#problems.push({ place: source.placeOf([]), message, remedy: `give one of them another id, or remove it` })
    }
  }
}

function scriptProblem(source: DefinitionSource, checkId: string): ConfigProblem {
  const options = "to enable, configure 'enable_script_checks' or 'enable_local_script_checks' to true"
  const message = `check "${checkId}": Scripts are disabled on this agent; ${options}`
  return { place: source.placeOf([]), message, remedy: '' }
}

function problemOf(source: DefinitionSource, { path, message, remedy }: DefinitionProblem): ConfigProblem {
  const subject = subjectOf(source, path)
  const named = subject.name !== undefined && message.includes(subject.name)
  return { place: source.placeOf(path), message: named ? message : `${subject.text}: ${message}`, remedy }
}

interface Subject {
  readonly text: string
  /** In quotes; undefined where it has none. */
  readonly name: string | undefined
}

/** Whom a problem at this path is about, in the words of its author: `service "web", check "api"`. */
function subjectOf(source: DefinitionSource, path: readonly PropertyKey[]): Subject {
  const outer = called(source.kind, source.value, '')
  const [head, at] = path
  if (source.kind === 'check' || typeof head !== 'string') return outer
  const member = memberOf(source.value, head)
  const key = head.toLowerCase()
  if (key === 'check') return within(outer, called('check', member, ''))
  if (key !== 'checks' || typeof at !== 'number') return outer
  return within(
    outer,
    called('check', Array.isArray(member) ? (member[at] as unknown) : undefined, ` number ${at + 1}`),
  )
}

function within(outer: Subject, inner: Subject): Subject {
  return { text: `${outer.text}, ${inner.text}`, name: inner.name }
}

function called(kind: string, value: unknown, otherwise: string): Subject {
  const name = ['id', 'name'].map((key) => textMember(value, key)).find((text) => text !== undefined)
  return name === undefined
    ? { text: `${kind}${otherwise}`, name: undefined }
    : { text: `${kind} "${name}"`, name: `"${name}"` }
}

function textMember(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const [, member] = Object.entries(value).find(([name]) => name.toLowerCase() === key) ?? []
  return typeof member === 'string' && member !== '' ? member : undefined
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
