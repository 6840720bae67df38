import type { z } from 'zod'
import { nearest } from '../base/edit-distance.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { ConfigDocument } from './document.ts'
import type { ConfigProblem } from './problem.ts'
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
  const warnings: string[] = []
  const parsed = fileSchema.safeParse(withEffect(document, value, [], warnings))
  if (parsed.success) return ok({ config: parsed.data, warnings })
  return err(parsed.error.issues.flatMap((issue) => problemsOf(document, issue)))
}

/** The object without the keys that are read past, each of which becomes a warning. */
function withEffect(
  document: ConfigDocument,
  value: object,
  above: readonly string[],
  warnings: string[],
): Readonly<Record<string, unknown>> {
  const kept: [string, unknown][] = []
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    const path = [...above, key]
    const dotted = path.join('.')
    if (keysWithoutEffect.has(dotted)) warnings.push(`${document.placeOf(path)}: '${dotted}' has no effect yet`)
    else if (above.length > 0 || typeof member !== 'object' || member === null || Array.isArray(member)) {
      kept.push([key, member])
    } else kept.push([key, withEffect(document, member, path, warnings)])
  }
  return Object.fromEntries(kept)
}

function problemsOf(document: ConfigDocument, issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  const dotted = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      const remedy = refusedKeys.get(path.join('.')) ?? suggestion(key, keysAt(issue.path))
      return { place: document.placeOf(path), message: `invalid config key ${path.join('.')}`, remedy }
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
