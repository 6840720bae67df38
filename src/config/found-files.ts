import { compareText } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Disk } from '../env/disk.ts'
import { hasBehaviour, type Release } from '../model/release.ts'
import { pathsTogether } from './agent-flags.ts'
import type { ConfigProblem } from './problem.ts'

/** Values of the flags given, by flag name. */
export type GivenFlags = ReadonlyMap<string, boolean | string | readonly string[]>

export type Format = 'json' | 'hcl'

/** Determines the format of a file. */
export interface Formats {
  /** The format of every file; undefined: the file's name decides. */
  readonly format: Format | undefined
  readonly release: Release
}

/** The format by the file's name; undefined if the name does not tell. Release: `hcl-files`. */
export function extensionOf(path: string, { release }: Formats): Format | undefined {
  if (path.endsWith('.json')) return 'json'
  return path.endsWith('.hcl') && hasBehaviour(release, 'hcl-files') ? 'hcl' : undefined
}

export function skippedWhy({ release }: Formats): string {
  return hasBehaviour(release, 'hcl-files') ? 'it ends in neither .json nor .hcl' : 'it does not end in .json'
}

interface FoundFiles {
  readonly paths: string[]
  /** Files in directories whose format is not read. */
  readonly skipped: string[]
}

export async function configPaths(
  disk: Disk,
  flags: GivenFlags,
  more: readonly string[],
  naming: Formats,
): Promise<Result<FoundFiles, readonly ConfigProblem[]>> {
  const found: FoundFiles = { paths: [], skipped: [] }
  const named = [...pathsOf(flags), ...more.map((path) => ({ path, place: 'config' }))]
  for (const { path, place } of named) {
    const entry = await disk.stat(path)
    // Early releases refuse a file by a name of another format for that, whether it exists or not.
    if (!entry.ok && (place !== '-config-file' || hasBehaviour(naming.release, 'config-format')))
      return err([{ place, message: `Open failed on ${path}`, remedy: entry.error.message }])
    const isDirectory = entry.ok && entry.value.kind === 'directory'
    const problem = isDirectory
      ? await addDirectory(disk, path, place, naming, found)
      : addFile(path, place, naming, found)
    if (problem !== undefined) return err([problem])
  }
  return ok(found)
}

interface NamedPath {
  readonly path: string
  /** The flag that names it. */
  readonly place: string
}

/** In the order of the command line, or files first where that is not known. Each flag takes either, as in the field. */
function pathsOf(flags: GivenFlags): readonly NamedPath[] {
  const inOrder = listOf(flags.get(pathsTogether))
  const given =
    inOrder.length > 0
      ? inOrder
      : ['config-file', 'config-dir'].flatMap((name) => listOf(flags.get(name)).map((path) => `${name}=${path}`))
  return given.map((each) => {
    const at = each.indexOf('=')
    return { place: `-${each.slice(0, at)}`, path: each.slice(at + 1) }
  })
}

function addFile(path: string, place: string, naming: Formats, found: FoundFiles): ConfigProblem | undefined {
  const mayBeOfAnyName = naming.format !== undefined || !hasBehaviour(naming.release, 'hcl-files')
  if (!mayBeOfAnyName && extensionOf(path, naming) === undefined) {
    if (!hasBehaviour(naming.release, 'config-format')) {
      const remedy = 'Please use ".json" or ".hcl"'
      return { place, message: `Missing or invalid file extension for ${JSON.stringify(path)}`, remedy }
    }
    const remedy = 'rename it, or give its format with -config-format'
    return { place, message: `${path} ends in neither .json nor .hcl`, remedy }
  }
  found.paths.push(path)
  return undefined
}

async function addDirectory(
  disk: Disk,
  directory: string,
  place: string,
  naming: Formats,
  found: FoundFiles,
): Promise<ConfigProblem | undefined> {
  const names = await disk.list(directory)
  if (!names.ok) return { place, message: `Open failed on ${directory}`, remedy: names.error.message }
  for (const name of [...names.value].sort(compareText)) {
    const path = `${directory.replace(/\/+$/, '')}/${name}`
    const entry = await disk.stat(path)
    if (entry.ok && entry.value.kind === 'directory') continue
    if (naming.format !== undefined || extensionOf(name, naming) !== undefined) found.paths.push(path)
    else found.skipped.push(path)
  }
  return undefined
}

export function listOf(value: boolean | string | readonly string[] | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : []
}
