import { err, ok, type Result } from '../base/result.ts'
import { isList } from '../base/shape.ts'
import type { DefinitionProblem, Parsed } from '../features/agent/definition-problems.ts'
import { parseCheckDefinition, parseServiceDefinition } from '../features/agent/definitions.ts'
import { type CheckDefinition, runsProgram, type ServiceDefinition } from '../model/catalog.ts'
import { type Naming, svcNaming } from '../model/naming/naming.ts'
import { newestRelease, type Release } from '../model/release.ts'
import { type Duplicate, type Found, isCheck, isService, lastOfEachId } from './one-of-each-id.ts'
import type { ConfigProblem } from './problem.ts'
import type { FileConfig } from './schema.ts'

/** An unparsed service or check definition of a source. */
export interface DefinitionSource {
  readonly kind: 'service' | 'check'
  readonly value: unknown
  /** The place of the value at this path inside the definition: `file:line:column`. */
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

/** How definitions are read. */
export interface ReadingRules {
  /** Whether checks may run programs. */
  readonly scripts: boolean
  /** Invalid checks are left out and reported here; without it they are refused. */
  readonly skipped?: ConfigProblem[] | undefined
  /**
   * Of several definitions with the same ID the last one counts, and the others are reported here; absent: they are
   * refused.
   */
  readonly replaced?: ConfigProblem[]
  /** The release that the agent runs as. */
  readonly release?: Release
  readonly naming?: Naming
}

/** Reads what all sources define. IDs are unique over all of them. */
export function readDefinitions(
  sources: readonly DefinitionSource[],
  { scripts, skipped, replaced, release = newestRelease, naming = svcNaming }: ReadingRules,
): Result<Definitions, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = []
  const reading: Reading = { problems, skipped, release, naming }
  const found = sources.flatMap((source) => {
    const defined = source.kind === 'service' ? readService(source, reading) : readCheck(source, reading)
    return defined === undefined ? [] : [{ source, defined }]
  })
  const { kept, duplicates } = lastOfEachId(found)
  const told = replaced ?? problems
  told.push(...duplicates.map((duplicate) => duplicateProblem(duplicate, replaced === undefined)))
  if (!scripts) problems.push(...kept.flatMap(scriptProblems))
  if (problems.length > 0) return err(problems)
  const defined = kept.map((each) => each.defined)
  return ok({ services: defined.filter(isService), checks: defined.filter(isCheck) })
}

interface Reading {
  readonly problems: ConfigProblem[]
  readonly skipped: ConfigProblem[] | undefined
  readonly release: Release
  readonly naming: Naming
}

function readService(source: DefinitionSource, reading: Reading): ServiceDefinition | undefined {
  const { problems, skipped } = reading
  const parsed = skipped === undefined ? readAs(source.value, reading) : leniently(source, skipped, reading)
  if (!parsed.ok) problems.push(problemOf(source, parsed.error))
  return parsed.ok ? parsed.value : undefined
}

function readAs(value: unknown, { release, naming }: Reading): Parsed<ServiceDefinition> {
  return parseServiceDefinition(value, 'file', release, undefined, naming)
}

/** The definitions without their invalid checks: each pass leaves out one. */
function leniently(source: DefinitionSource, skipped: ConfigProblem[], reading: Reading): Parsed<ServiceDefinition> {
  for (let value = source.value; ; ) {
    const parsed = readAs(value, reading)
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
  if (key !== 'checks' || typeof at !== 'number' || !isList(list)) return undefined
  const rest = list.filter((_check, index) => index !== at)
  return Object.fromEntries(members.map(([name, member]) => [name, name === head ? rest : member]))
}

function readCheck(source: DefinitionSource, { problems, skipped, release }: Reading): CheckDefinition | undefined {
  const parsed = parseCheckDefinition(source.value, 'file', release)
  if (parsed.ok) return parsed.value
  const told = skipped ?? problems
  told.push(problemOf(source, parsed.error))
  return undefined
}

function duplicateProblem(
  { kind, id, earlier, later }: Duplicate<DefinitionSource>,
  isRefused: boolean,
): ConfigProblem {
  const message = `${kind} ID "${id}" is defined twice: here and at ${earlier.placeOf([])}`
  if (isRefused) {
    return { place: later.placeOf([]), message, remedy: 'give one of them another id, or remove it' }
  }
  return { place: later.placeOf([]), message: `${message}: this one counts`, remedy: '' }
}

function scriptProblems({ source, defined }: Found<DefinitionSource>): readonly ConfigProblem[] {
  const checks = isService(defined) ? [...defined.checks, ...(defined.sidecar?.checks ?? [])] : [defined]
  return checks.filter(({ probe }) => runsProgram(probe)).map(({ checkId }) => scriptProblem(source, checkId))
}

function scriptProblem(source: DefinitionSource, checkId: string): ConfigProblem {
  const options = "to enable, configure 'enable_script_checks' or 'enable_local_script_checks' to true"
  const message = `check "${checkId}": Scripts are disabled on this agent; ${options}`
  return {
    place: source.placeOf([]),
    message,
    remedy: '',
    restsOn: ['enable_script_checks', 'enable_local_script_checks'],
  }
}

function problemOf(source: DefinitionSource, { path, message, remedy, names = [] }: DefinitionProblem): ConfigProblem {
  const subject = subjectOf(source, path)
  const named = subject.name !== undefined && names.includes(subject.name)
  return { place: source.placeOf(path), message: named ? message : `${subject.text}: ${message}`, remedy }
}

interface Subject {
  readonly text: string
  /** Undefined if it has none. */
  readonly name: string | undefined
}

/** The thing that a problem at this path concerns, in the words of its author: `service "web", check "api"`. */
function subjectOf(source: DefinitionSource, path: readonly PropertyKey[]): Subject {
  const outer = called(source.kind, source.value, '')
  const [head, at] = path
  if (source.kind === 'check' || typeof head !== 'string') return outer
  const member = memberOf(source.value, head)
  const key = head.toLowerCase()
  if (key === 'check') return within(outer, called('check', member, ''))
  if (key !== 'checks' || typeof at !== 'number') return outer
  return within(outer, called('check', isList(member) ? member[at] : undefined, ` number ${at + 1}`))
}

function within(outer: Subject, inner: Subject): Subject {
  return { text: `${outer.text}, ${inner.text}`, name: inner.name }
}

function called(kind: string, value: unknown, otherwise: string): Subject {
  const name = ['id', 'name'].map((key) => textMember(value, key)).find((text) => text !== undefined)
  return name === undefined ? { text: `${kind}${otherwise}`, name: undefined } : { text: `${kind} "${name}"`, name }
}

function textMember(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const [, member] = Object.entries(value).find(([name]) => name.toLowerCase() === key) ?? []
  return typeof member === 'string' && member !== '' ? member : undefined
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
