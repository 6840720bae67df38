import { utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import type { Fields, LogLevel } from '../../../src/env/observe.ts'
import type { FaceContext } from '../../../src/http/route-call.ts'
import { newestRelease, type Release } from '../../../src/model/release.ts'

export interface LogLine {
  readonly level: LogLevel
  readonly topic: string
  readonly text: string
  readonly fields: Fields
}

/** A context of routes with a clock, a log and metrics, and nothing to ask: what the HTTP face itself touches. */
export function fakeContext(release: Release = newestRelease) {
  const lines: LogLine[] = []
  const samples: string[] = []
  let nowMs = 0
  const env = {
    clock: { wallMs: () => 0, monoMs: () => nowMs++ },
    log: {
      enabled: () => true,
      write: (level: LogLevel, topic: string, text: string, fields: Fields = {}) =>
        lines.push({ level, topic, text, fields }),
    },
    metrics: { count: () => {}, gauge: () => {}, sample: (name: string) => samples.push(name) },
  }
  const context: FaceContext = { env: env as unknown as Env, release }
  return { context, lines, samples }
}

export interface RequestParts {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | 'too-large'
}

/** `request('GET /v1/kv/a?raw')` */
export function request(line: string, parts: RequestParts = {}): HttpRequest {
  const space = line.indexOf(' ')
  return {
    method: line.slice(0, space),
    target: line.slice(space + 1),
    headers: new Map(Object.entries(parts.headers ?? {})),
    body: parts.body === 'too-large' ? parts.body : utf8(parts.body ?? ''),
    remote: { host: '127.0.0.1', port: 4000 },
    onAbort: () => {},
  }
}
