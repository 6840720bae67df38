import { err, ok, type Result } from '../../base/result.ts'

/** A text with placeholders. */
export type Interpolated = readonly Piece[]

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }
  /** A group of the template's regular expression. */
  | { readonly kind: 'match'; readonly group: number }

/** The values of the placeholders. */
export interface Meaning {
  readonly variables: ReadonlyMap<string, string>
  /** The whole match and its groups; empty if nothing matched. */
  readonly groups: readonly string[]
}

/**
 * Parses `a-${name.suffix}-${match(1)}`. `$${` stands for a literal `${`; all other text is literal. The field's
 * language can also compute and choose; this is the part that its templates are documented with.
 */
export function parseInterpolated(text: string): Result<Interpolated, string> {
  const pieces: Piece[] = []
  let literal = ''
  let at = 0
  while (at < text.length) {
    if (text.startsWith('$${', at)) {
      literal += '${'
      at += 3
    } else if (text.startsWith('${', at)) {
      const end = text.indexOf('}', at)
      if (end < 0) return err(`expected closing "}" of the interpolation at ${at + 1}`)
      const piece = parsePlace(text.slice(at + 2, end))
      if (piece === undefined) return err(`unknown interpolation ${JSON.stringify(text.slice(at, end + 1))}`)
      if (literal !== '') pieces.push({ kind: 'text', text: literal })
      pieces.push(piece)
      literal = ''
      at = end + 1
    } else {
      literal += text[at]
      at++
    }
  }
  if (literal !== '' || pieces.length === 0) pieces.push({ kind: 'text', text: literal })
  return ok(pieces)
}

function parsePlace(inside: string): Piece | undefined {
  const call = /^\s*match\(\s*(-?\d{1,9})\s*\)\s*$/.exec(inside)
  if (call !== null) return { kind: 'match', group: Number(call[1]) }
  const variable = /^\s*([a-z]+(?:\.[a-z]+)*)\s*$/.exec(inside)
  return variable?.[1] === undefined ? undefined : { kind: 'variable', name: variable[1] }
}

/** A missing group, or one without a match, is empty. Stops when the text exceeds `lengthMax`. */
export function renderInterpolated(pieces: Interpolated, meaning: Meaning, lengthMax: number): Result<string, string> {
  let out = ''
  for (const piece of pieces) {
    if (out.length > lengthMax) break
    if (piece.kind === 'text') out += piece.text
    else if (piece.kind === 'match') out += meaning.groups[piece.group] ?? ''
    else {
      const value = meaning.variables.get(piece.name)
      if (value === undefined) return err(`unknown variable accessed: ${piece.name}`)
      out += value
    }
  }
  return ok(out)
}
