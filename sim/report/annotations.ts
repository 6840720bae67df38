import type { SeedRecord } from './seed-record.ts'
import { failureLines } from './terminal-report.ts'

/** The folder to which the paths of annotations are relative. */
export interface Workspace {
  /** The folder of the repository: `GITHUB_WORKSPACE`. */
  readonly root: string | undefined
  /** The folder in which the command runs. */
  readonly folder: string | undefined
}

/**
 * A seed that did not pass, as a workflow command of GitHub Actions, which shows it at the line of the scenario page
 * that was not met. An invariant belongs to no line, and is shown at the first.
 */
export function annotation(record: SeedRecord, workspace: Workspace): string {
  const { file, seed, verdict, failures } = record
  const [first] = failures
  const place = /^(?<path>.*):(?<line>\d+):(?<column>\d+)$/.exec(first?.place ?? '')?.groups
  const path = property(fromRoot(place?.['path'] ?? file, workspace))
  const at = place === undefined ? 'line=1' : `line=${place['line']},col=${place['column']}`
  const title = property(`seed ${seed}: ${verdict}`)
  const level = verdict === 'undecided' ? 'warning' : 'error'
  return `::${level} file=${path},${at},title=${title}::${data(failureLines(record).join('\n'))}`
}

function fromRoot(path: string, { root, folder }: Workspace): string {
  if (root === undefined) return path
  const whole = path.startsWith('/') || folder === undefined ? path : `${folder}/${path}`
  return whole.startsWith(`${root}/`) ? whole.slice(root.length + 1) : path
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
