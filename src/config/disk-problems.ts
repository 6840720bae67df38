import type { Disk } from '../env/disk.ts'
import { type ConfigProblem, problemText } from './problem.ts'
import type { FileConfig } from './schema.ts'
import { valueAt } from './waiting.ts'

/** Named files must exist and be files, and named directories must be directories; checked before anything starts. */
const named: readonly (readonly [key: string, kind: 'file' | 'directory'])[] = [
  ['ca_file', 'file'],
  ['ca_path', 'directory'],
  ['cert_file', 'file'],
  ['key_file', 'file'],
  ['ui_dir', 'directory'],
]

/** Directories that the agent creates at its start, with their parent directories. */
const made = ['log_file', 'pid_file', 'data_dir'] as const

export interface DiskProblems {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
}

/**
 * Problems of a configuration on the disk. A directory that the agent will create is no problem if it can be created. A
 * missing `ui_dir` is a warning, because without it only the web interface is missing.
 */
export async function diskProblems(
  disk: Disk,
  file: FileConfig,
  placeOf: (path: readonly string[]) => string,
): Promise<DiskProblems> {
  const problems: ConfigProblem[] = []
  const warnings: string[] = []
  for (const [key, kind] of named) {
    const path = pathAt(file, key)
    if (path === undefined) continue
    const found = await disk.stat(path)
    const message = found.ok ? `is not a ${kind}` : `cannot be read: ${found.error.message}`
    if (found.ok && found.value.kind === kind) continue
    const remedy = `name a ${kind} that this user may read`
    const problem = { place: placeOf([key]), message: `${key} ${path} ${message}`, remedy, restsOn: [key] }
    if (key === 'ui_dir') warnings.push(problemText(problem))
    else problems.push(problem)
  }
  for (const key of made) {
    const path = pathAt(file, key)
    const message = path === undefined ? undefined : await unmakeable(disk, path, key)
    if (message === undefined) continue
    const remedy = 'name a directory that this user may create'
    const shown = key === 'data_dir' ? JSON.stringify(path) : path
    problems.push({ place: placeOf([key]), message: `${key} ${shown} ${message}`, remedy, restsOn: [key] })
  }
  return { problems, warnings }
}

function pathAt(file: FileConfig, key: string): string | undefined {
  const path = valueAt(file, [key])
  return typeof path === 'string' && path !== '' ? path : undefined
}

/** Why the directory cannot be created: the nearest existing parent is no directory, or cannot be read. */
async function unmakeable(disk: Disk, path: string, key: (typeof made)[number]): Promise<string | undefined> {
  if (key === 'data_dir') {
    const entry = await disk.stat(path)
    if (entry.ok) return entry.value.kind === 'directory' ? undefined : 'is not a directory'
  }
  for (let above = directoryOf(path); ; above = directoryOf(above)) {
    const found = await disk.stat(above)
    if (found.ok) return found.value.kind === 'directory' ? undefined : `is below ${above}, which is not a directory`
    const isTop = above === '/' || above === '.'
    if (found.error.kind !== 'not-directory' && (found.error.kind !== 'not-found' || isTop))
      return `is below ${above}, which cannot be read: ${found.error.message}`
  }
}

function directoryOf(path: string): string {
  const above = /^(.*)\/[^/]+\/*$/.exec(path)?.[1]
  return above === undefined ? '.' : above === '' ? '/' : above
}
