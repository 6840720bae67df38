import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientFailure, HttpClientRequest } from '../../../src/env/http.ts'
import { type Endpoint, endpointText } from '../../../src/env/net.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

/** What an agent answers: a status and a body, as text or as JSON. */
export type FakeAnswer = readonly [status: number, body: unknown]

export interface FakeRequest {
  /** `PUT /v1/acl/token`, with what stands behind the path. */
  readonly what: string
  /** As JSON where it is such, else the text; undefined: none. */
  readonly body: unknown
  readonly token: string | undefined
}

/** An agent that answers as a test says, by method and path; any other path it does not serve. */
export class FakeApi {
  readonly asked: FakeRequest[] = []
  readonly answers = new Map<string, FakeAnswer | ((request: FakeRequest) => FakeAnswer)>()
  readonly environment = new Map<string, string>()
  /** What a person types when asked; without it the command runs in a script. */
  typed: string | undefined
  /** Whether standard output is a terminal. */
  interactive = false
  /** Why reads have no answer; undefined: they have one. */
  failingReads: ((to: Endpoint) => HttpClientFailure) | undefined
  /** Where each request went. */
  readonly addresses: string[] = []
  /** The questions that the person was asked. */
  readonly questions: string[] = []

  on(what: string, answer: FakeAnswer | ((request: FakeRequest) => FakeAnswer)): this {
    this.answers.set(what, answer)
    return this
  }

  /** What was asked, without what only reads. */
  get changes(): readonly FakeRequest[] {
    return this.asked.filter(({ what }) => !what.startsWith('GET '))
  }

  async run(argv: readonly string[], input = ''): Promise<{ code: number; out: string; error: string }> {
    const request = async (to: Endpoint, { method, target, headers, body }: HttpClientRequest) => {
      const token = (headers ?? []).find(([name]) => name === 'X-Svc-Token')?.[1]
      const text = body === undefined ? undefined : textOf(body as Uint8Array)
      const asked = { what: `${method} ${target}`, body: text === undefined ? undefined : parsed(text), token }
      this.asked.push(asked)
      this.addresses.push(endpointText(to))
      if (method === 'GET' && this.failingReads !== undefined) return err(this.failingReads(to))
      const found = this.answers.get(asked.what) ?? ([404, ''] as const)
      const [status, answer] = typeof found === 'function' ? found(asked) : found
      const bytes = utf8(typeof answer === 'string' ? answer : JSON.stringify(answer))
      return ok({ status, headers: new Map<string, string>(), body: bytes })
    }
    const env = { ...host, disk: host.disk, machine: host.machine, http: { ...host.http, request } } as Env
    const terminal = new FakeTerminal()
    for (const [name, value] of this.environment) terminal.environment.set(name, value)
    Object.assign(terminal, { readInput: async () => ok(utf8(input)) })
    const { typed, interactive } = this
    Object.assign(terminal, { interactive })
    const ask = async (question: string) => {
      this.questions.push(question)
      return typed
    }
    if (typed !== undefined) Object.assign(terminal, { ask })
    const code = await runCli(argv, env, terminal)
    return { code, out: terminal.written, error: terminal.complained }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
