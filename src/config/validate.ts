import { z } from 'zod'
import { nearest } from '../base/edit-distance.ts'
import { err, ok, type Result } from '../base/result.ts'
import { hasBehaviour, newestRelease, type Release } from '../model/release.ts'
import type { KeyRow } from './keys/key.ts'
import { laterKey } from './past/later-keys.ts'
import { readAsPast } from './past/past-keys.ts'
import { removedKey } from './past/removed.ts'
import type { ConfigProblem } from './problem.ts'
import { configKeys, type FileConfig, fileSchema } from './schema.ts'
import { type ConfigDocument, inOwnCase } from './sources/document.ts'

/** Maximum number of problems, or warnings, that are shown for one file; the rest are counted. */
const toldMax = 100

export interface ValidatedFile {
  readonly config: FileConfig
  /** Values whose effective meaning differs from what is written. */
  readonly warnings?: readonly string[]
  /** `file:line:column` of the value at this path. */
  placeOf(path: readonly PropertyKey[]): string
}

/** The valid parts of a document. */
export interface ExaminedFile {
  /** The document without its invalid parts; undefined if nothing valid remains. */
  readonly file: ValidatedFile | undefined
  readonly problems: readonly ConfigProblem[]
  /**
   * Removed keys, with dots, and known keys that an unknown one may have meant. A check that depends on one of them may
   * be wrong.
   */
  readonly missing: readonly string[]
}

/**
 * Checks one document against the schema, as an agent of this release reads it. Returns the typed content, or every
 * problem with its place in the file. `keys` are those that the release may not know yet.
 */
export function validateDocument(
  written: ConfigDocument,
  release: Release = newestRelease,
  keys: readonly KeyRow[] = configKeys(),
): Result<ValidatedFile, readonly ConfigProblem[]> {
  const { file, problems } = examineDocument(written, release, keys)
  return file === undefined || problems.length > 0 ? err(problems) : ok(file)
}

/** As `validateDocument` does, and also returns the document without its invalid parts. */
export function examineDocument(
  written: ConfigDocument,
  release: Release = newestRelease,
  keys: readonly KeyRow[] = configKeys(),
): ExaminedFile {
  const { value } = written
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const problem = { place: written.placeOf([]), message: 'a configuration is an object', remedy: 'write { … }' }
    return { file: undefined, problems: [problem], missing: [] }
  }
  const read = readAsPast(inOwnCase(written, fileSchema), keys, release)
  const passing = hasBehaviour(release, 'unknown-keys-refused') ? noneUnknown : unknownIn(read.document)
  const document = { ...read.document, value: without(read.document.value, passing.paths) }
  const placeOf = (path: readonly PropertyKey[]): string => document.placeOf(path)
  const fileOf = (config: FileConfig): ValidatedFile => ({
    config: Object.keys(read.past).length === 0 ? config : { ...config, past: read.past },
    warnings: [...read.warnings, ...passing.warnings],
    placeOf,
  })
  const parsed = fileSchema.safeParse(document.value)
  if (parsed.success) return { file: fileOf(parsed.data), problems: read.problems, missing: [] }
  const { issues } = parsed.error
  const wrong = issues.flatMap(pathsOf)
  const rest = fileSchema.safeParse(without(document.value, wrong))
  const violations = issues.flatMap(violationsOf)
  const told = violations.slice(0, toldMax).map(withMeant)
  return {
    file: rest.success ? fileOf(rest.data) : undefined,
    problems: [...read.problems, ...problemsOf(document, told, violations.length - told.length)],
    missing: [...wrong.map(({ dotted }) => dotted), ...told.flatMap(meantPaths)],
  }
}

interface Unknown {
  readonly paths: readonly WrongPath[]
  readonly warnings: readonly string[]
}

const noneUnknown: Unknown = { paths: [], warnings: [] }

/** Unknown keys, with a message for each. Release: `unknown-keys-refused`. */
function unknownIn(document: ConfigDocument): Unknown {
  const parsed = fileSchema.safeParse(document.value)
  const issues = parsed.success ? [] : parsed.error.issues
  const all = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [],
  )
  return {
    paths: all.map((path) => ({ path, dotted: path.join('.') })),
    warnings: [
      ...all
        .slice(0, toldMax)
        .map((path) => `${document.placeOf(path)}: invalid config key ${path.join('.')}: it is read past`),
      ...(all.length <= toldMax ? [] : [`${document.file}: ${all.length - toldMax} more invalid keys are read past`]),
    ],
  }
}

interface WrongPath {
  readonly path: readonly PropertyKey[]
  readonly dotted: string
}

function pathsOf(issue: z.core.$ZodIssue): readonly WrongPath[] {
  const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
  return paths.map((path) => {
    // Items of a list keep their numbers only if none is removed, so the whole list is removed.
    const list = path.findIndex((part) => typeof part === 'number')
    const upTo = list < 0 ? path : path.slice(0, list)
    return { path: upTo, dotted: upTo.join('.') }
  })
}

/** The value without the parts at these paths. Only the objects and lists on the way to them are copied. */
function without(value: unknown, paths: readonly WrongPath[]): unknown {
  return pruned(
    value,
    paths.map(({ path }) => path),
    0,
  )
}

/** `paths` have the first `depth` parts in common, which lead to this value. */
function pruned(value: unknown, paths: readonly (readonly PropertyKey[])[], depth: number): unknown {
  if (paths.length === 0 || typeof value !== 'object' || value === null) return value
  const below = new Map<string, (readonly PropertyKey[])[]>()
  const gone = new Set<string>()
  for (const path of paths) {
    const [head] = path.slice(depth, depth + 1).map(String)
    if (head === undefined) continue
    if (path.length === depth + 1) gone.add(head)
    const others = below.get(head)
    if (others === undefined) below.set(head, [path])
    else others.push(path)
  }
  const members: (readonly [string, unknown])[] = Object.entries(value)
  const left = members
    .filter(([key]) => !gone.has(key))
    .map(([key, each]) => [key, pruned(each, below.get(key) ?? [], depth + 1)] as const)
  return Array.isArray(value) ? left.map(([, each]) => each) : Object.fromEntries(left)
}

/** A violation of the schema. Each unknown key of an object is a violation of its own. */
interface Violation {
  readonly issue: z.core.$ZodIssue
  readonly key?: string
}

interface ToldViolation extends Violation {
  /** The known key that an unknown one probably means. */
  readonly meant: string | undefined
}

function violationsOf(issue: z.core.$ZodIssue): readonly Violation[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ issue, key })) : [{ issue }]
}

function withMeant({ issue, key }: Violation): ToldViolation {
  if (key === undefined) return { issue, meant: undefined }
  return { issue, key, meant: nearest(key, keysAt(issue.path)) }
}

function meantPaths({ issue, meant }: ToldViolation): readonly string[] {
  return meant === undefined ? [] : [[...issue.path, meant].join('.')]
}

/**
 * One problem for each violation. Finding a place takes as long as reading the file, so violations beyond the limit are
 * only counted.
 */
function problemsOf(document: ConfigDocument, told: readonly ToldViolation[], more: number): readonly ConfigProblem[] {
  const problems = told.map((violation) => problemOf(document, violation))
  if (more === 0) return problems
  const message = `${more} more problems are not listed`
  return [...problems, { place: document.file, message, remedy: 'correct those above first' }]
}

function problemOf(document: ConfigDocument, { issue, key, meant }: ToldViolation): ConfigProblem {
  const dotted = issue.path.join('.')
  if (key !== undefined) {
    const path = [...issue.path, key]
    const name = path.join('.')
    const remedy =
      removedKey(name) ?? laterKey(name) ?? (meant === undefined ? 'remove it' : `did you mean '${meant}'?`)
    return { place: document.placeOf(path), message: `invalid config key ${name}`, remedy }
  }
  if (issue.code === 'invalid_type') {
    const found = typeName(valueAt(document.value, issue.path))
    const message = `'${dotted}' expected type '${issue.expected}', got '${found}'`
    const remedy = remedyOf(valueAt(document.value, issue.path), issue.expected)
    return { place: document.placeOf(issue.path), message, remedy }
  }
  return { place: document.placeOf(issue.path), message: `'${dotted}' is not valid`, remedy: issue.message }
}

/** A block that appears twice in an HCL file is a list. */
function remedyOf(found: unknown, expected: string): string {
  const blocks = Array.isArray(found) ? found.filter((each) => typeName(each) === 'object').length : 0
  if (expected !== 'object' || blocks < 2) return `write a value of type ${expected}`
  return `there are ${blocks} of them, and may be one: write all that they say into one`
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
