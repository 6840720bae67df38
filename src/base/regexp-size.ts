/** Size that is assumed for a Unicode class or a negated one, which is a table of hundreds of ranges. */
const classSize = 50

/**
 * Estimates the number of instructions of a compiled RE2 expression: a repetition (`a{1000}`) is expanded as often as
 * it says, and nested repetitions as often as their product. Used as a bound before compiling; the compiler decides
 * whether the expression is valid. The estimate is too large rather than too small.
 */
export function regexpSize(expression: string): number {
  /** Sizes of the enclosing groups, each without the group that is open within it. */
  const open: number[] = []
  let size = 0
  /** Size of the last atom, to which a following repetition applies; included in `size` already. */
  let last = 0
  for (let at = 0; at < expression.length; ) {
    const character = expression.charAt(at)
    if (character === '(') {
      open.push(size)
      size = 0
      last = 0
      at++
      continue
    }
    if (character === ')') {
      last = size + 1
      size = (open.pop() ?? 0) + last
      at++
      continue
    }
    const count = character === '{' ? countAt(expression, at) : undefined
    if (count !== undefined) {
      const more = last * Math.max(0, count.times - 1)
      size += more
      last += more
      at = count.end
      continue
    }
    const end = atomEnd(expression, at)
    last = isLargeClass(expression.slice(at, end)) ? classSize : 1
    size += last
    at = end
  }
  for (const outer of open) size += outer
  return size
}

function countAt(expression: string, at: number): { readonly times: number; readonly end: number } | undefined {
  const match = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/.exec(expression.slice(at, at + 24))
  if (match === null) return undefined
  const [text, least, most] = match
  // Without an upper bound there is one more, which repeats.
  const times = most === undefined ? Number(least) : Math.max(Number(least) + 1, Number(most))
  return { times, end: at + text.length }
}

/** The end of the atom that begins here: a class in brackets, an escape, or one character. */
function atomEnd(expression: string, at: number): number {
  if (expression[at] === '\\') return escapeEnd(expression, at)
  if (expression[at] !== '[') return at + 1
  let end = at + 1
  if (expression[end] === '^') end++
  // A bracket in the first position is a member of the class.
  if (expression[end] === ']') end++
  while (end < expression.length && expression[end] !== ']') {
    if (expression[end] === '\\') end = escapeEnd(expression, end)
    else if (expression.startsWith('[:', end)) end = Math.max(end + 2, expression.indexOf(':]', end) + 2)
    else end++
  }
  return Math.min(end + 1, expression.length)
}

function escapeEnd(expression: string, at: number): number {
  const named = /^\\(?:[pPx]\{[^}]*\}|[pP].)/s.exec(expression.slice(at, at + 64))
  return named === null ? at + 2 : at + named[0].length
}

function isLargeClass(atom: string): boolean {
  return atom.startsWith('[^') || /\\[pPDWSQ]/.test(atom)
}
