import { wordsOf } from './act-words.ts'

/** What a line of the terminal asks for. */
export type TypedLine =
  | { readonly kind: 'command'; readonly args: readonly string[] }
  | { readonly kind: 'request'; readonly method: string; readonly target: string; readonly body: string }

/** `GET /v1/kv/color?raw` and `PUT /v1/kv/color blue` are requests; any other line is a command of `svc`. */
export function typedLine(line: string): TypedLine {
  const [, method = '', target = '', body = ''] =
    /^\s*(GET|PUT|POST|DELETE|HEAD|OPTIONS)\s+(\/\S*)(?:\s+(.*))?$/.exec(line) ?? []
  if (method !== '') return { kind: 'request', method, target, body: body.trim() }
  return { kind: 'command', args: wordsOf(line.trim().replace(/^svc\s+/, '')) }
}
