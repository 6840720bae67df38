import type { Expression } from './linear-regexp-syntax.ts'
import { err, ok, type Result } from './result.ts'

/** One step; the next in order follows unless it says otherwise. */
type Step =
  | { readonly op: 'set'; has(point: number): boolean }
  | { readonly op: 'assert'; holds(points: readonly number[], at: number): boolean }
  | { readonly op: 'jump'; to: number }
  /** Goes on at the next step and at `to`. */
  | { readonly op: 'split'; to: number }
  | { readonly op: 'match' }

export type Program = readonly Step[]

/** Repetitions are written out, so an expression of a few bytes may become long. */
const stepsMax = 4_000

export function compile(expression: Expression): Result<Program, string> {
  const steps: Step[] = []
  if (!write(steps, expression)) return err('error parsing regexp: expression is too large')
  steps.push({ op: 'match' })
  return ok(steps)
}

/** False when it grows beyond the bound. */
function write(steps: Step[], expression: Expression): boolean {
  if (steps.length > stepsMax) return false
  switch (expression.kind) {
    case 'set':
      steps.push({ op: 'set', has: expression.has })
      return true
    case 'assert':
      steps.push({ op: 'assert', holds: expression.holds })
      return true
    case 'sequence':
      return expression.parts.every((part) => write(steps, part))
    case 'choice':
      return writeChoice(steps, expression.parts)
    case 'repeat':
      return writeRepeat(steps, expression)
  }
}

function writeChoice(steps: Step[], parts: readonly Expression[]): boolean {
  const ends: { to: number }[] = []
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1
    const split = { op: 'split' as const, to: 0 }
    if (!isLast) steps.push(split)
    if (!write(steps, part)) return false
    if (isLast) break
    const jump = { op: 'jump' as const, to: 0 }
    steps.push(jump)
    ends.push(jump)
    split.to = steps.length
  }
  for (const end of ends) end.to = steps.length
  return true
}

function writeRepeat(steps: Step[], repeat: Extract<Expression, { kind: 'repeat' }>): boolean {
  const { part, least, most } = repeat
  for (let n = 0; n < least; n++) if (!write(steps, part)) return false
  if (most === undefined) {
    const split = { op: 'split' as const, to: 0 }
    const start = steps.length
    steps.push(split)
    if (!write(steps, part)) return false
    steps.push({ op: 'jump', to: start })
    split.to = steps.length
    return true
  }
  const splits: { to: number }[] = []
  for (let n = least; n < most; n++) {
    const split = { op: 'split' as const, to: 0 }
    steps.push(split)
    splits.push(split)
    if (!write(steps, part)) return false
  }
  for (const split of splits) split.to = steps.length
  return true
}
