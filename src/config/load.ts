import { compareText, textOf } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Disk } from '../env/disk.ts'
import type { Env } from '../env/env.ts'
import { type DefinitionSource, definitionSources, withoutDefinitions } from './definitions.ts'
import { type ConfigDocument, parseDocument } from './document.ts'
import { configOfFlags } from './flags.ts'
import { parseHclDocument } from './hcl-document.ts'
import { mergeConfig } from './merge.ts'
import { type Normalized, normalize } from './normalize.ts'
import type { ConfigProblem } from './problem.ts'
import type { FileConfig } from './schema.ts'
import { validateDocument } from './validate.ts'

/** A configuration file may be this long, bytes. */
const fileBytesMax = 8 << 20

/** Values of the flags given, by flag name. */
export type GivenFlags = ReadonlyMap<string, boolean | string | readonly string[]>

/**
 * Loads the configuration of an agent: list flags, then files in the order given (a directory's by name), then scalar
 * flags, then fragments of HCL; a later source wins. `more`: files and directories in the order given, beside those of the flags. Reference:
 * configuration CFG-1.
 */
export async function loadConfig(
  env: Env,
  flags: GivenFlags,
  more: readonly string[] = [],
): Promise<Result<Normalized, readonly ConfigProblem[]>> {
  const fromFlags = configOfFlags(flags)
  if (!fromFlags.ok) return fromFlags
  const format = formatOf(flags)
  if (!format.ok) return format
  const found = await configPaths(env.disk, flags, more, format.value)
  if (!found.ok) return found
  let merged: FileConfig = fromFlags.value.lists
  const definitions: DefinitionSource[] = []
  const warnings = found.value.skipped.map((path) => `${path} was skipped: it ends in neither .json nor .hcl`)
  for (const path of found.value.paths) {
    const text = await textOfFile(env.disk, path)
    if (!text.ok) return text
    const file = readText(path, text.value, format.value ?? extensionOf(path) ?? 'json')
    if (!file.ok) return file
    merged = mergeConfig(merged, file.value.config)
    definitions.push(...file.value.definitions)
    warnings.push(...file.value.warnings)
  }
  merged = mergeConfig(merged, fromFlags.value.scalars)
  for (const fragment of listOf(flags.get('hcl'))) {
    const read = readText('-hcl', fragment, 'hcl')
    if (!read.ok) return read
    merged = mergeConfig(merged, read.value.config)
    definitions.push(...read.value.definitions)
    warnings.push(...read.value.warnings)
  }
  const normalized = normalize(merged, flags.get('dev') === true, env.machine, definitions)
  if (!normalized.ok) return normalized
  return ok({ config: normalized.value.config, warnings: [...warnings, ...normalized.value.warnings] })
}

type Format = 'json' | 'hcl'

/** What every file is to be read as; undefined where its name says it. */
function formatOf(flags: GivenFlags): Result<Format | undefined, readonly ConfigProblem[]> {
  const given = flags.get('config-format')
  if (given === undefined || given === 'json' || given === 'hcl') return ok(given)
  return err([{ place: '-config-format', message: "-config-format must be either 'hcl' or 'json'", remedy: '' }])
}

function extensionOf(path: string): Format | undefined {
  if (path.endsWith('.json')) return 'json'
  return path.endsWith('.hcl') ? 'hcl' : undefined
}

interface FoundFiles {
  readonly paths: string[]
  /** Files in directories that are of no format that is read. */
  readonly skipped: string[]
}

async function configPaths(
  disk: Disk,
  flags: GivenFlags,
  more: readonly string[],
  format: Format | undefined,
): Promise<Result<FoundFiles, readonly ConfigProblem[]>> {
  const found: FoundFiles = { paths: [], skipped: [] }
  const named = [
    ...listOf(flags.get('config-file')).map((path) => ({ path, place: '-config-file', directory: false })),
    ...listOf(flags.get('config-dir')).map((path) => ({ path, place: '-config-dir', directory: true })),
  ]
  for (const path of more) {
    const entry = await disk.stat(path)
    if (!entry.ok) return err([{ place: 'config', message: `Open failed on ${path}`, remedy: entry.error.message }])
    named.push({ path, place: 'config', directory: entry.ok && entry.value.kind === 'directory' })
  }
  for (const { path, place, directory } of named) {
    const problem = directory
      ? await addDirectory(disk, path, place, format, found)
      : addFile(path, place, format, found)
    if (problem !== undefined) return err([problem])
  }
  return ok(found)
}

function addFile(
  path: string,
  place: string,
  format: Format | undefined,
  found: FoundFiles,
): ConfigProblem | undefined {
  if (format === undefined && extensionOf(path) === undefined) {
    const remedy = 'name it so, or say what it is with -config-format'
    return { place, message: `${path} ends in neither .json nor .hcl`, remedy }
  }
  found.paths.push(path)
  return undefined
}

async function addDirectory(
  disk: Disk,
  directory: string,
  place: string,
  format: Format | undefined,
  found: FoundFiles,
): Promise<ConfigProblem | undefined> {
  const names = await disk.list(directory)
  if (!names.ok) return { place, message: `Open failed on ${directory}`, remedy: names.error.message }
  for (const name of [...names.value].sort(compareText)) {
    const path = `${directory.replace(/\/+$/, '')}/${name}`
    const entry = await disk.stat(path)
    if (entry.ok && entry.value.kind === 'directory') continue
    if (format !== undefined || extensionOf(name) !== undefined) found.paths.push(path)
    else found.skipped.push(path)
  }
  return undefined
}

function listOf(value: boolean | string | readonly string[] | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : []
}

interface LoadedFile {
  readonly config: FileConfig
  readonly definitions: readonly DefinitionSource[]
  readonly warnings: readonly string[]
}

async function textOfFile(disk: Disk, path: string): Promise<Result<string, readonly ConfigProblem[]>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err([{ place: 'config', message: `Open failed on ${path}`, remedy: file.error.message }])
  const bytes = await file.value.read(0, fileBytesMax + 1)
  await file.value.close()
  if (bytes.ok && bytes.value.length > fileBytesMax)
    return err([{ place: 'config', message: `${path} is longer than 8 MiB`, remedy: 'split it' }])
  if (!bytes.ok) return err([{ place: 'config', message: `Read failed on ${path}`, remedy: bytes.error.message }])
  return ok(textOf(bytes.value))
}

function readText(name: string, text: string, format: Format): Result<LoadedFile, readonly ConfigProblem[]> {
  const document = documentOf(name, text, format)
  if (!document.ok) return err([document.error])
  const validated = validateDocument(document.value)
  if (!validated.ok) return validated
  const { config, warnings } = validated.value
  const definitions = definitionSources(config, document.value.placeOf)
  return ok({ config: withoutDefinitions(config), definitions, warnings })
}

/** JSON in a file of HCL is JSON, as in the field. */
function documentOf(name: string, text: string, format: Format): Result<ConfigDocument, ConfigProblem> {
  return format === 'json' || /^\s*\{/.test(text) ? parseDocument(name, text) : parseHclDocument(name, text)
}
