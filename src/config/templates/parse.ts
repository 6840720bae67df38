import { err, ok, type Result } from '../../base/result.ts'

/** A function with its arguments; the value of the pipe becomes its last argument. */
export interface Call {
  readonly name: string
  readonly args: readonly string[]
}

/** Text as it stands, or calls that hand on to each other. */
export type Piece = string | readonly Call[]

/**
 * Reads `a {{ F "x" | g 1 }} b`. Of the field's templates these are calls and pipes; conditions, loops and variables are
 * refused. The error is one clause. Reference: configuration.md#address-templates.
 */
export function parseTemplate(text: string): Result<readonly Piece[], string> {
  const pieces: Piece[] = []
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('{{', at)
    if (open < 0) return ok([...pieces, text.slice(at)])
    pieces.push(text.slice(at, open))
    const calls = readCalls(text, open + 2)
    if (!calls.ok) return calls
    pieces.push(calls.value.calls)
    at = calls.value.end
  }
  return ok(pieces)
}

/** Matches one token at the given position. */
const token =
  /\s*(?:(?<end>\}\})|(?<pipe>\|)|"(?<quoted>(?:[^"\\\n]|\\.)*)"|`(?<raw>[^`]*)`|(?<word>[A-Za-z_]\w*)|(?<number>[+-]?\d+)|(?<rest>.))/y

const words = new Set(['if', 'else', 'end', 'range', 'with', 'define', 'template', 'block', 'nil', 'true', 'false'])

interface ReadCalls {
  readonly calls: readonly Call[]
  /** Behind the closing braces. */
  readonly end: number
}

function readCalls(text: string, from: number): Result<ReadCalls, string> {
  const calls: { name: string; args: string[] }[] = []
  const tokens = new RegExp(token)
  let expectsName = true
  for (let at = from; ; ) {
    tokens.lastIndex = at
    const found = tokens.exec(text)?.groups
    if (found === undefined) return err('the template is not closed with }}')
    at = tokens.lastIndex
    const { end, pipe, quoted, raw, word, number, rest } = found
    if (end !== undefined || pipe !== undefined) {
      if (expectsName) return err(calls.length === 0 ? 'the template is empty' : 'a function is missing behind |')
      if (end !== undefined) return ok({ calls, end: at })
      expectsName = true
    } else if (word !== undefined && expectsName && !words.has(word)) {
      calls.push({ name: word, args: [] })
      expectsName = false
    } else {
      const value = quoted === undefined ? (raw ?? number) : unquoted(quoted)
      const call = calls.at(-1)
      if (value === undefined || expectsName || call === undefined) {
        return err(
          `${JSON.stringify(word ?? rest ?? quoted ?? raw ?? number)} is not served: write functions and pipes`,
        )
      }
      call.args.push(value)
    }
  }
}

function unquoted(text: string): string | undefined {
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped === 't' ? '\t' : escaped))
}
