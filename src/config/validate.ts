import { z } from 'zod'
import { nearest } from '../base/edit-distance.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { ConfigDocument } from './document.ts'
import { inOwnCase } from './letter-case.ts'
import type { ConfigProblem } from './problem.ts'
import { removedKey } from './removed.ts'
import { type FileConfig, fileSchema } from './schema.ts'

export interface ValidatedFile {
  readonly config: FileConfig
  /** `file:line:column` of what stands at this path. */
  placeOf(path: readonly PropertyKey[]): string
}

/** Checks one document against the schema: every problem with its place in the file, or the typed content. */
export function validateDocument(written: ConfigDocument): Result<ValidatedFile, readonly ConfigProblem[]> {
  const { value } = written
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return err([{ place: written.placeOf([]), message: 'a configuration is an object', remedy: 'write { … }' }])
  }
  const document = inOwnCase(written, fileSchema)
  const parsed = fileSchema.safeParse(document.value)
  if (!parsed.success) return err(parsed.error.issues.flatMap((issue) => problemsOf(document, issue)))
  return ok({ config: parsed.data, placeOf: (path) => document.placeOf(path) })
}

function problemsOf(document: ConfigDocument, issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  const dotted = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      const name = path.join('.')
      const remedy = removedKey(name) ?? suggestion(key, keysAt(issue.path))
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
  let type: z.ZodType = fileSchema
  for (const part of path) {
    const below = type instanceof z.ZodArray ? (type.element as z.ZodType) : memberOf(type, part)
    if (below === undefined) return []
    type = below instanceof z.ZodOptional ? (below.unwrap() as z.ZodType) : below
  }
  return type instanceof z.ZodObject ? Object.keys(type.shape) : []
}

function memberOf(type: z.ZodType, part: PropertyKey): z.ZodType | undefined {
  return type instanceof z.ZodObject ? (type.shape as Readonly<Record<string, z.ZodType>>)[String(part)] : undefined
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
