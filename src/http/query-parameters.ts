import { byteString, compareText, textOfByteString } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { QueryParameters } from '../features/contract/route.ts'
import { percentDecode, percentEncode, unreserved } from './target.ts'

type Pair = readonly [name: string, value: string]

/**
 * Parses a query string like the field: `&` and `;` separate, `+` is a space, a name without `=` has the value '', and
 * an empty piece is ignored. The error says that a piece is malformed, without quoting it, because it may contain a
 * token.
 */
export function parseQuery(rawQuery: string): Result<QueryParameters, string> {
  if (rawQuery === '') return ok(noParameters)
  const pairs: Pair[] = []
  for (const piece of rawQuery.split(/[&;]/)) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const name = percentDecode(equals < 0 ? piece : piece.slice(0, equals), true)
    const value = equals < 0 ? '' : percentDecode(piece.slice(equals + 1), true)
    if (name === undefined || value === undefined) return err('Malformed percent-encoding in query string')
    pairs.push([name, value])
  }
  return ok(new ParsedQuery(pairs))
}

/** Keeps bytes unchanged, so that `encoded` returns what was sent; `get` and `all` return text. */
class ParsedQuery implements QueryParameters {
  readonly #pairs: readonly Pair[]
  /** Texts by the name as sent. */
  readonly #values = new Map<string, string[]>()

  constructor(pairs: readonly Pair[]) {
    this.#pairs = pairs
    for (const [name, value] of pairs) {
      const values = this.#values.get(name) ?? []
      values.push(textOfByteString(value))
      this.#values.set(name, values)
    }
  }

  has(name: string): boolean {
    return this.#values.size > 0 && this.#values.has(byteString(name))
  }

  get(name: string): string | undefined {
    return this.#values.size === 0 ? undefined : this.#values.get(byteString(name))?.[0]
  }

  all(name: string): readonly string[] {
    return this.#values.get(byteString(name)) ?? []
  }

  encoded(): string {
    const sorted = [...this.#pairs].sort(([a], [b]) => compareText(a, b))
    return sorted.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&')
  }
}

function escaped(byteText: string): string {
  return percentEncode(byteText, unreserved, true)
}

const noParameters: QueryParameters = new ParsedQuery([])
