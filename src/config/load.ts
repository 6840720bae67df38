import { compareText, textOf } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Disk } from '../env/disk.ts'
import type { Env } from '../env/env.ts'
import { parseDocument } from './document.ts'
import { configOfFlags } from './flags.ts'
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
 * flags; a later source wins. Reference: configuration CFG-1.
 */
export async function loadConfig(env: Env, flags: GivenFlags): Promise<Result<Normalized, readonly ConfigProblem[]>> {
  const fromFlags = configOfFlags(flags)
  if (!fromFlags.ok) return fromFlags
  const paths = await configPaths(env.disk, flags)
  if (!paths.ok) return paths
  let merged: FileConfig = fromFlags.value.lists
  const warnings: string[] = []
  for (const path of paths.value) {
    const file = await loadFile(env.disk, path)
    if (!file.ok) return file
    merged = mergeConfig(merged, file.value.config)
    warnings.push(...file.value.warnings)
  }
  merged = mergeConfig(merged, fromFlags.value.scalars)
  const normalized = normalize(merged, flags.get('dev') === true, env.machine)
  if (!normalized.ok) return normalized
  return ok({ config: normalized.value.config, warnings: [...warnings, ...normalized.value.warnings] })
}

async function configPaths(
  disk: Disk,
  flags: GivenFlags,
): Promise<Result<readonly string[], readonly ConfigProblem[]>> {
  const paths: string[] = []
  for (const path of listOf(flags.get('config-file'))) {
    if (!path.endsWith('.json')) {
      const remedy = 'name a .json file (HCL files are not read yet)'
      return err([{ place: '-config-file', message: `${path} does not end in .json`, remedy }])
    }
    paths.push(path)
  }
  for (const directory of listOf(flags.get('config-dir'))) {
    const names = await disk.list(directory)
    if (!names.ok)
      return err([{ place: '-config-dir', message: `Open failed on ${directory}`, remedy: names.error.message }])
    const files = [...names.value].filter((name) => name.endsWith('.json')).sort(compareText)
    paths.push(...files.map((name) => `${directory}/${name}`))
  }
  return ok(paths)
}

function listOf(value: boolean | string | readonly string[] | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : []
}

async function loadFile(
  disk: Disk,
  path: string,
): Promise<Result<{ config: FileConfig; warnings: readonly string[] }, readonly ConfigProblem[]>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err([{ place: 'config', message: `Open failed on ${path}`, remedy: file.error.message }])
  const bytes = await file.value.read(0, fileBytesMax)
  await file.value.close()
  if (!bytes.ok) return err([{ place: 'config', message: `Read failed on ${path}`, remedy: bytes.error.message }])
  const document = parseDocument(path, textOf(bytes.value))
  return document.ok ? validateDocument(document.value) : err([document.error])
}
