import { compareText } from '../../base/bytes.ts'
import { invariant } from '../../base/invariant.ts'
import { err, type Result } from '../../base/result.ts'
import type { DefinitionPath, Dialect, FieldProblem } from './definition-matching.ts'

/** The first error of a definition. Over HTTP `message` is the whole answer, in a file one clause. */
export interface DefinitionProblem {
  /** Path within the definition, with keys as they are spelled. */
  readonly path: DefinitionPath
  readonly message: string
  /** What to write instead; may be empty. */
  readonly remedy: string
  /** Of services and checks that the message names. */
  readonly names?: readonly string[]
}

export type Parsed<T> = Result<T, DefinitionProblem>

/**
 * As in the field, a decoding error lists all members of the wrong type, unless a duration is malformed: then it names
 * only that.
 */
export function ofFields(dialect: Dialect, problems: readonly FieldProblem[]): DefinitionProblem {
  const [first] = problems
  const duration = problems.find((problem) => problem.kind === 'duration')
  invariant(first !== undefined, 'no problem to tell of')
  if (dialect === 'file') return { path: first.path, message: first.message, remedy: first.remedy }
  if (duration !== undefined) {
    return { path: duration.path, message: `Request decode failed: ${duration.message}`, remedy: '' }
  }
  const lines = problems.map((problem) => problem.message).sort(compareText)
  const message = `Request decode failed: ${lines.length} error(s) decoding:\n\n${lines.map((line) => `* ${line}`).join('\n')}`
  return { path: first.path, message, remedy: '' }
}

export function noObject(dialect: Dialect): Parsed<never> {
  const message = 'expected an object'
  return problemAt([], dialect === 'http' ? `Request decode failed: ${message}` : message)
}

export function problemAt(path: DefinitionPath, message: string, names: readonly string[] = []): Parsed<never> {
  return err({ path, message, remedy: '', names })
}
