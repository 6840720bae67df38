import { compareText, textOf } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Disk } from '../env/disk.ts'
import type { Env } from '../env/env.ts'
import { isAtLeast, newestRelease, oldestRelease, parseRelease, type Release, releaseText } from '../model/release.ts'
import { diskProblems } from './disk-problems.ts'
import { type ConfigDocument, parseDocument } from './document.ts'
import { configOfFlags, flagAt } from './flags.ts'
import { parseHclDocument } from './hcl-document.ts'
import { type Normalized, normalize } from './normalize.ts'
import type { ConfigProblem } from './problem.ts'
import { gather } from './sources.ts'
import { type ValidatedFile, validateDocument } from './validate.ts'

/** A configuration file may be this long, bytes. */
const fileBytesMax = 8 << 20

/** Values of the flags given, by flag name. */
export type GivenFlags = ReadonlyMap<string, boolean | string | readonly string[]>

/**
 * Loads the configuration of an agent: list flags, then files in the order given (a directory's by name), then scalar
 * flags, then fragments of HCL; a later source wins. `more`: files and directories in the order given, beside those of the
 * flags. What is wrong with the form of any source is told of all of them at once, and what only the whole can tell, then.
 * Reference: configuration CFG-1.
 */
export async function loadConfig(
  env: Pick<Env, 'disk' | 'machine'>,
  flags: GivenFlags,
  more: readonly string[] = [],
): Promise<Result<Normalized, readonly ConfigProblem[]>> {
  const fromFlags = configOfFlags(flags)
  if (!fromFlags.ok) return fromFlags
  const format = formatOf(flags)
  if (!format.ok) return format
  const release = releaseOf(flags)
  if (!release.ok) return release
  const found = await configPaths(env.disk, flags, more, format.value)
  if (!found.ok) return found
  const problems: ConfigProblem[] = []
  const read = (result: Result<ValidatedFile, readonly ConfigProblem[]>): readonly ValidatedFile[] => {
    if (result.ok) return [result.value]
    problems.push(...result.error)
    return []
  }
  const files: ValidatedFile[] = []
  for (const path of found.value.paths) files.push(...read(await fileAt(env.disk, path, format.value)))
  const fragments = listOf(flags.get('hcl')).flatMap((fragment) => read(readText('-hcl', fragment, 'hcl')))
  if (problems.length > 0) return err(problems)
  const { lists, scalars } = fromFlags.value
  const all = gather([{ config: lists, placeOf: flagAt }, ...files, { config: scalars, placeOf: flagAt }, ...fragments])
  const { config, definitions, placeOf } = all
  const whole = normalize(config, flags.get('dev') === true, env.machine, definitions, release.value, placeOf)
  const onDisk = await diskProblems(env.disk, config, placeOf)
  if (!whole.ok || onDisk.length > 0) return err([...(whole.ok ? [] : whole.error), ...onDisk])
  const skipped = found.value.skipped.map((path) => `${path} was skipped: it ends in neither .json nor .hcl`)
  return ok({ ...whole.value, warnings: [...skipped, ...pastWarnings(release.value), ...whole.value.warnings] })
}

type Format = 'json' | 'hcl'

/** What every file is to be read as; undefined where its name says it. */
function formatOf(flags: GivenFlags): Result<Format | undefined, readonly ConfigProblem[]> {
  const given = flags.get('config-format')
  if (given === undefined || given === 'json' || given === 'hcl') return ok(given)
  return err([{ place: '-config-format', message: "-config-format must be either 'hcl' or 'json'", remedy: '' }])
}

/** What the agent is to run as; the newest where nothing is said. */
function releaseOf(flags: GivenFlags): Result<Release, readonly ConfigProblem[]> {
  const given = flags.get('release')
  if (given === undefined) return ok(newestRelease)
  const release = parseRelease(String(given))
  if (release !== undefined && isAtLeast(release, oldestRelease) && isAtLeast(newestRelease, release))
    return ok(release)
  const remedy = `write one from ${releaseText(oldestRelease)} to ${releaseText(newestRelease)}, with three numbers`
  return err([{ place: '-release', message: `there is no release ${JSON.stringify(given)}`, remedy }])
}

function pastWarnings(release: Release): readonly string[] {
  if (isAtLeast(release, newestRelease)) return []
  return [`runs as release ${releaseText(release)}, to learn or to rehearse: production runs the newest`]
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

async function fileAt(
  disk: Disk,
  path: string,
  format: Format | undefined,
): Promise<Result<ValidatedFile, readonly ConfigProblem[]>> {
  const text = await textOfFile(disk, path)
  return text.ok ? readText(path, text.value, format ?? extensionOf(path) ?? 'json') : text
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

function readText(name: string, text: string, format: Format): Result<ValidatedFile, readonly ConfigProblem[]> {
  const document = documentOf(name, text, format)
  return document.ok ? validateDocument(document.value) : err([document.error])
}

/** JSON in a file of HCL is JSON, as in the field. */
function documentOf(name: string, text: string, format: Format): Result<ConfigDocument, ConfigProblem> {
  return format === 'json' || /^\s*\{/.test(text) ? parseDocument(name, text) : parseHclDocument(name, text)
}
