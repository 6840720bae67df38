import type { Disk } from '../env/disk.ts'
import type { ConfigProblem } from './problem.ts'
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

/** Problems of a configuration on the disk. A missing data directory is no problem: it will be created. */
export async function diskProblems(
  disk: Disk,
  file: FileConfig,
  placeOf: (path: readonly string[]) => string,
): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = []
  for (const [key, kind] of named) {
    const path = valueAt(file, [key])
    if (typeof path !== 'string' || path === '') continue
    const found = await disk.stat(path)
    const message = found.ok ? `is not a ${kind}` : `cannot be read: ${found.error.message}`
    if (found.ok && found.value.kind === kind) continue
    const remedy = `name a ${kind} that this user may read`
    problems.push({ place: placeOf([key]), message: `${key} ${path} ${message}`, remedy, restsOn: [key] })
  }
  for (const key of ['log_file', 'pid_file']) {
    const path = valueAt(file, [key])
    if (typeof path !== 'string' || path === '') continue
    const above = /^(.*)\/[^/]*$/.exec(path)?.[1] ?? '.'
    const found = await disk.stat(above === '' ? '/' : above)
    if (found.ok && found.value.kind === 'directory') continue
    const message = `${key} ${path} is in a directory that ${found.ok ? 'is none' : `cannot be read: ${found.error.message}`}`
    problems.push({ place: placeOf([key]), message, remedy: 'make it first', restsOn: [key] })
  }
  const data = file.data_dir ?? ''
  const entry = data === '' ? undefined : await disk.stat(data)
  if (entry?.ok === true && entry.value.kind !== 'directory') {
    const message = `data_dir ${JSON.stringify(data)} is not a directory`
    problems.push({ place: placeOf(['data_dir']), message, remedy: 'name a directory', restsOn: ['data_dir'] })
  }
  return problems
}
