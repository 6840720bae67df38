import type { z } from 'zod'
import { nearest } from '../../../src/base/edit-distance.ts'
import { nestedKeysAt } from './json-schema.ts'
import type { ScenarioProblem, YamlDocument } from './yaml-document.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** A message names no more keys than this. */
const listedMax = 50
/** Maximum number of places that are named for a key that stands too high. */
const placesMax = 6
const languagePage = 'docs/scenarios.md'

/** The schema's errors, each as one line with its place and what to write instead. */
export function problemsOf(document: YamlDocument, issues: readonly Issue[]): readonly ScenarioProblem[] {
  const misspelt = new Set(
    issues.filter((issue) => issue.code === 'unrecognized_keys').map((issue) => issue.path.join('.')),
  )
  // A misspelt key is one mistake: the missing right key is not reported as another.
  const follows = (issue: Issue): boolean =>
    (issue.code === 'custom' && misspelt.has(issue.path.join('.'))) ||
    (isMissing(document, issue) && misspelt.has(issue.path.slice(0, -1).join('.')))
  return issues.filter((issue) => !follows(issue)).flatMap((issue) => problemsOfIssue(document, issue, []))
}

function isMissing(document: YamlDocument, issue: Issue): boolean {
  const isType = issue.code === 'invalid_type' || issue.code === 'invalid_union' || issue.code === 'invalid_value'
  return isType && valueAt(document.value, issue.path) === undefined
}

function problemsOfIssue(document: YamlDocument, issue: Issue, around: Path): readonly ScenarioProblem[] {
  const path = [...around, ...issue.path]
  const at = (message: string): readonly ScenarioProblem[] => [{ place: document.placeOf(path), message }]
  const name = nameOf(path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(document, path, key))
    case 'invalid_type': {
      const given = valueAt(document.value, path)
      if (given === undefined) return missing(document, path)
      return at(`${name} must be ${typeText(issue.expected)}, not ${shownValue(given)}`)
    }
    case 'invalid_value': {
      const given = valueAt(document.value, path)
      const meant = typeof given === 'string' ? nearest(given, issue.values.map(String)) : undefined
      const remedy = meant === undefined ? `write ${issue.values.map(String).join(', ')}` : `did you mean '${meant}'?`
      return at(`${name} cannot be ${shownValue(given)}: ${remedy}`)
    }
    case 'invalid_union':
      return problemsOfUnion(document, issue, path)
    case 'invalid_key':
      return [{ place: document.placeOfKey(path), message: `'${String(path.at(-1))}': ${issue.issues[0]?.message}` }]
    case 'too_small':
      return at(`${name} is too small: at least ${String(issue.minimum)}`)
    case 'too_big':
      return at(`${name} is too large: at most ${String(issue.maximum)}`)
    case 'invalid_format':
      return at(`${name} cannot be ${shownValue(valueAt(document.value, path))}: ${issue.message}`)
    default:
      return at(issue.code === 'custom' ? issue.message : `${name}: ${issue.message}`)
  }
}

function unknownKey(document: YamlDocument, path: Path, key: string): ScenarioProblem {
  const nested = nestedKeysAt(path)
  const allowed = [...nested.keys()]
  // A condition in place of what expects it, for one, is no misspelt step.
  const above = allowed.filter((name) => nested.get(name)?.includes(key))
  if (above.length > 0 && above.length <= placesMax) {
    const places = above.map((name) => `'${name}'`).join(' or ')
    return { place: document.placeOfKey([...path, key]), message: `unknown key '${key}': write it below ${places}` }
  }
  const meant = nearest(key, allowed)
  const where = path.length === 0 ? 'a scenario' : nameOf(path)
  const listed =
    allowed.length > listedMax ? `one of ${allowed.length} names: ${languagePage} has them` : allowed.join(', ')
  const remedy = meant === undefined ? `${where} takes ${listed}` : `did you mean '${meant}'?`
  return { place: document.placeOfKey([...path, key]), message: `unknown key '${key}': ${remedy}` }
}

function missing(document: YamlDocument, path: Path): readonly ScenarioProblem[] {
  const parent = path.slice(0, -1)
  const where = parent.length === 0 ? 'the scenario' : nameOf(parent)
  const message = `${where} lacks '${String(path.at(-1))}'`
  return [{ place: parent.length === 0 ? document.placeOf([]) : document.placeOfKey(parent), message }]
}

/** Of the possible readings of a value, the errors of the closest one. */
function problemsOfUnion(
  document: YamlDocument,
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: Path,
): readonly ScenarioProblem[] {
  const readings = issue.errors.filter((issues) => issues.length > 0)
  const fitting = readings.filter((issues) => !issues.some((one) => isOfOtherKind(one)))
  const chosen = fitting[0]
  if (chosen !== undefined) return chosen.flatMap((one) => problemsOfIssue(document, one, path))
  const given = valueAt(document.value, path)
  if (given === undefined) return missing(document, path)
  const kinds = readings.flat().flatMap((one) => (one.code === 'invalid_type' ? [typeText(one.expected)] : []))
  const message = `${nameOf(path)} must be ${[...new Set(kinds)].join(' or ')}, not ${shownValue(given)}`
  return [{ place: document.placeOf(path), message }]
}

/** A text in place of a map, and the like: that reading was not intended. */
function isOfOtherKind(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
}

function nameOf(path: Path): string {
  const words = path.filter((part) => typeof part !== 'number').map(String)
  const number = path.findLast((part) => typeof part === 'number')
  const last = words.at(-1)
  if (last === undefined) return 'the scenario'
  if (typeof path.at(-1) === 'number') return `item ${Number(number) + 1} of '${last}'`
  return `'${last}'`
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const part of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<PropertyKey, unknown>)[part]
  }
  return at
}

function typeText(expected: string): string {
  const texts: Readonly<Record<string, string>> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    object: 'a map of keys',
    record: 'a map of keys',
    array: "a list of items, each with '-'",
  }
  return texts[expected] ?? expected
}

function shownValue(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map of keys'
  return typeof value === 'string' ? `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'` : String(value)
}
