import { RE2JS, RE2JSException } from 're2js'
import { regexpSize } from './regexp-size.ts'
import { err, ok, type Result } from './result.ts'

/** Longest expression, in UTF-16 units. */
const lengthMax = 1_000

/**
 * Largest `regexpSize`: compiling it takes some 30 ms. An expression of only 980 characters could otherwise take a
 * second.
 */
const sizeMax = 5_000

/**
 * A regular expression in the syntax of the field's language (RE2), for expressions from outside: the engine's own may
 * take exponential time for a short text, so that one client could stop every agent. This one takes time in
 * proportion to the lengths of expression and text, for any input.
 */
export class LinearRegexp {
  readonly #compiled: RE2JS

  private constructor(compiled: RE2JS) {
    this.#compiled = compiled
  }

  /** The error is in the words of the field: "error parsing regexp: missing closing ): `(a`". */
  static from(expression: string): Result<LinearRegexp, string> {
    if (expression.length > lengthMax) return err(`error parsing regexp: longer than ${lengthMax} characters`)
    if (regexpSize(expression) > sizeMax) return err(`error parsing regexp: expression too large: \`${expression}\``)
    try {
      return ok(new LinearRegexp(RE2JS.compile(expression)))
    } catch (cause) {
      if (!(cause instanceof RE2JSException)) throw cause
      return err(cause.message)
    }
  }

  /** Whether some part of the text matches; `^` and `$` anchor the expression to the ends. */
  test(text: string): boolean {
    return this.#compiled.matcher(text).find()
  }

  /**
   * The first part of the text that matches, then its groups, which are empty if they took no part; an empty list
   * without a match.
   */
  groups(text: string): readonly string[] {
    const matcher = this.#compiled.matcher(text)
    if (!matcher.find()) return []
    return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '')
  }
}
