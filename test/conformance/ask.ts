import { type Exact, parseExact } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'

/** An answer as a client of the API sees it. */
export interface Reply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** The body read as JSON; throws where it is none. */
  json(): Exact
  /** What `X-Svc-Index` says; NaN where it is missing. */
  index(): number
}

/** Longer than any read waits. */
const timeoutMs = 660_000

/** Sends `GET /v1/kv/a?raw` and waits for the answer. */
export function ask(target: GoldenTarget, line: string, body?: string): Promise<Reply> {
  return target.until(begin(target, line, body))
}

/** Sends without waiting; `target.until` brings the answer. */
export async function begin(
  target: GoldenTarget,
  line: string,
  body?: string,
  headers: readonly (readonly [name: string, value: string])[] = [],
): Promise<Reply> {
  const space = line.indexOf(' ')
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const answer = await target.begin({
    method: line.slice(0, space),
    target: line.slice(space + 1),
    headers: [...headers, ...(bytes === undefined ? [] : [['Content-Length', String(bytes.length)] as const])],
    body: bytes,
    timeoutMs,
    stream: false,
  })
  if (answer.kind === 'error') throw new Error(`${line}: ${answer.error}`)
  const sent = new Map(answer.headers.map(([name, value]) => [name.toLowerCase(), value]))
  const text = Buffer.from(answer.body).toString('utf8')
  return {
    status: answer.status,
    headers: sent,
    text,
    json: () => parseExact(text),
    index: () => Number(sent.get('x-svc-index') ?? Number.NaN),
  }
}
