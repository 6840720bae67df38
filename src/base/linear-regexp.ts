import { compile, type Program } from './linear-regexp-program.ts'
import { parse } from './linear-regexp-syntax.ts'
import { ok, type Result } from './result.ts'

/**
 * A regular expression in the syntax of the field's language (RE2), for expressions that come from elsewhere: the engine's
 * own may take exponential time for a short text, and one client could stop every agent with it. This one takes time in
 * proportion to the lengths of expression and text, whatever they are. Source: Thompson, "Regular Expression Search
 * Algorithm" (1968). It says only whether there is a match, and knows no groups beyond that, no named classes of Unicode.
 */
export class LinearRegexp {
  readonly #program: Program

  private constructor(program: Program) {
    this.#program = program
  }

  /** The error is in the words of the field: "error parsing regexp: missing closing ): `(a`". */
  static from(expression: string): Result<LinearRegexp, string> {
    const parsed = parse(expression)
    if (!parsed.ok) return parsed
    const program = compile(parsed.value)
    return program.ok ? ok(new LinearRegexp(program.value)) : program
  }

  /** Whether some part of the text matches; `^` and `$` tie it to the ends. */
  test(text: string): boolean {
    const points = Array.from(text, (character) => character.codePointAt(0) as number)
    let now = new Threads(this.#program.length)
    let next = new Threads(this.#program.length)
    for (let at = 0; at <= points.length; at++) {
      if (this.#follow(now, 0, points, at)) return true
      const point = points[at]
      if (point === undefined) return false
      next.clear()
      for (const place of now.places()) {
        const step = this.#program[place]
        if (step?.op === 'set' && step.has(point) && this.#follow(next, place + 1, points, at + 1)) return true
      }
      const spent = now
      now = next
      next = spent
    }
    return false
  }

  /** Adds what can be reached from `from` without reading; true when that is the end. Each place at most once. */
  #follow(threads: Threads, from: number, points: readonly number[], at: number): boolean {
    const open = [from]
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (!threads.add(place)) continue
      const step = this.#program[place]
      if (step === undefined || step.op === 'match') return true
      if (step.op === 'jump') open.push(step.to)
      else if (step.op === 'split') open.push(step.to, place + 1)
      else if (step.op === 'assert' && step.holds(points, at)) open.push(place + 1)
    }
    return false
  }
}

/** Places of the program at which a match may stand, each once. */
class Threads {
  readonly #has: Uint8Array
  #places: number[] = []

  constructor(length: number) {
    this.#has = new Uint8Array(length + 1)
  }

  add(place: number): boolean {
    if (this.#has[place] === 1) return false
    this.#has[place] = 1
    this.#places.push(place)
    return true
  }

  places(): readonly number[] {
    return this.#places
  }

  clear(): void {
    this.#has.fill(0)
    this.#places = []
  }
}
