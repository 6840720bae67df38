/** Why a text is not HCL, and where: an offset in UTF-16 units. The texts are those of the field's own parser. */
export interface HclProblem {
  readonly offset: number
  readonly message: string
  readonly about: HclProblemKind
  /** Whether the text ends within a comment. */
  readonly endsInComment?: boolean
}

/**
 * What the field's position of a problem depends on: whether a token was unknown, or which one was expected and
 * missing.
 */
type HclProblemKind = 'unknown-token' | 'next-token' | 'closing-brace' | 'other'

/** Thrown only inside of this room, and caught at its entry: parsing is too deeply nested for results at every step. */
export class HclError extends Error implements HclProblem {
  readonly offset: number
  readonly about: HclProblemKind

  constructor(offset: number, message: string, about: HclProblemKind = 'other') {
    super(message)
    this.offset = offset
    this.about = about
  }
}

/** The beginning of a message about an unknown token, before the token. */
export const unknownToken = 'Unknown token: '

/** Without the stack of an error. */
export function problemOf({ offset, message, about }: HclError): HclProblem {
  return { offset, message, about }
}

/**
 * The problem in the field's exact text, `At 1:7: …`, for clients that compare texts: each message there has a
 * position.
 */
export function fieldProblemText(text: string, problem: HclProblem): string {
  const { line, column } = placeOf(text, problem.offset)
  const at = `${line}:${column}`
  const { message, about } = problem
  if (problem.offset === text.length) return `At ${line}:${column + looksAtEnd(text, problem)}: ${message}`
  if (about === 'unknown-token') return `At ${at}: ${unknownToken}${at} ${message.slice(unknownToken.length)}`
  return `At ${at}: ${message}`
}

/**
 * In the field's parser, the end of the text moves on by one with each look at it but the first; also for a name or a
 * comment that ends with it.
 */
function looksAtEnd(text: string, { about, endsInComment = false }: HclProblem): number {
  const isSeen = about === 'next-token' || about === 'closing-brace'
  const seen = isSeen && (endsInComment || /[\w.-]$/.test(text)) ? 1 : 0
  return seen + (about === 'closing-brace' ? 1 : 0)
}

/** Lines and columns count from 1, columns in characters. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1
  let begin = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', begin)) {
    line++
    begin = end + 1
  }
  return { line, column: [...text.slice(begin, offset)].length + 1 }
}
