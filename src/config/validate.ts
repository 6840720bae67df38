import type { z } from 'zod'
import { nearest } from '../base/edit-distance.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { ConfigDocument } from './document.ts'
import type { ConfigProblem } from './problem.ts'
import { removedKey } from './removed.ts'
import { type FileConfig, fileSchema, keysWithoutEffect, refusedKeys } from './schema.ts'

export interface ValidatedFile {
  readonly config: FileConfig
  /** One line for each key that is read past. */
  readonly warnings: readonly string[]
}

/** Checks one document against the schema: every problem with its place in the file, or the typed content. */
export function validateDocument(document: ConfigDocument): Result<ValidatedFile, readonly ConfigProblem[]> {
  const { value } = document
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return err([{ place: document.placeOf([]), message: 'a configuration is an object', remedy: 'write { … }' }])
  }
  const notes: Notes = { warnings: [], problems: [] }
  const parsed = fileSchema.safeParse(withEffect(document, value, [], notes))
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => problemsOf(document, issue))
  const problems = [...notes.problems, ...issues]
  return parsed.success && problems.length === 0 ? ok({ config: parsed.data, warnings: notes.warnings }) : err(problems)
}

interface Notes {
  readonly warnings: string[]
  readonly problems: ConfigProblem[]
}

/** The object without the keys that are read past, each of which becomes a warning. */
function withEffect(
  document: ConfigDocument,
  value: object,
  above: readonly string[],
  notes: Notes,
): Readonly<Record<string, unknown>> {
  const kept: [string, unknown][] = []
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    const path = [...above, key]
    const dotted = path.join('.')
    const block = typeof member === 'object' && member !== null && !Array.isArray(member) ? member : undefined
    if (keysWithoutEffect.has(dotted)) {
      notes.warnings.push(`${document.placeOf(path)}: '${dotted}' has no effect yet`)
      notes.problems.push(...removedIn(document, path, Object.keys(block ?? {})))
    } else kept.push([key, block === undefined || above.length > 0 ? member : withEffect(document, block, path, notes)])
  }
  return Object.fromEntries(kept)
}

/** What is read past may still hold keys of old, which are told. */
function removedIn(
  document: ConfigDocument,
  above: readonly string[],
  keys: readonly string[],
): readonly ConfigProblem[] {
  return keys.flatMap((key) => {
    const path = [...above, key]
    const remedy = removedKey(path.join('.'))
    const message = `invalid config key ${path.join('.')}`
    return remedy === undefined ? [] : [{ place: document.placeOf(path), message, remedy }]
  })
}

function problemsOf(document: ConfigDocument, issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  const dotted = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      const name = path.join('.')
      const remedy = removedKey(name) ?? refusedKeys.get(name) ?? suggestion(key, keysAt(issue.path))
      return { place: document.placeOf(path), message: `invalid config key ${name}`, remedy }
    })
  }
  if (issue.code === 'invalid_type') {
    const found = typeName(valueAt(document.value, issue.path))
    const message = `'${dotted}' expected type '${issue.expected}', got '${found}'`
    return [{ place: document.placeOf(issue.path), message, remedy: `write a value of type ${issue.expected}` }]
  }
  return [{ place: document.placeOf(issue.path), message: `'${dotted}' is not valid`, remedy: issue.message }]
}

function suggestion(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  return meant === undefined ? 'remove it' : `did you mean '${meant}'?`
}

/** Keys allowed at a path of the schema, for suggestions. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let shape: Readonly<Record<string, unknown>> = fileSchema.shape
  for (const part of path) {
    const member = shape[String(part)] as { unwrap?: () => { shape?: Readonly<Record<string, unknown>> } } | undefined
    shape = member?.unwrap?.().shape ?? {}
  }
  return Object.keys(shape)
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value
  for (const part of path)
    at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[part] : undefined
  return at
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
