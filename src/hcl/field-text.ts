import type { HclProblem } from './problem.ts'

/** The problem in the very words of the field, `At 1:7: …`, for those who compare: there each tells its place. */
export function fieldProblemText(text: string, problem: HclProblem): string {
  const { line, column } = placeOf(text, problem.offset)
  const at = `${line}:${column}`
  const { message } = problem
  // There the end of the text moves on by one with each look at it, and it was looked at twice.
  if (message.endsWith('closing RBRACE got: EOF')) return `At ${line}:${column + 1}: ${message}`
  if (message.startsWith('Unknown token: ')) return `At ${at}: Unknown token: ${at} ${message.slice(15)}`
  return `At ${at}: ${message}`
}

/** Lines and columns count from 1, columns in characters. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1
  let begin = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', begin)) {
    line++
    begin = end + 1
  }
  return { line, column: [...text.slice(begin, offset)].length + 1 }
}
