import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import type { HttpMethod } from '../../../src/features/contract/route.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { responseEncoder } from '../../../src/http/encode-response.ts'
import { headerNames } from '../../../src/http/header-names.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { SessionWorld } from '../features/session-world.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const encoder = responseEncoder(svcNaming, headerNames(svcNaming, []), [])

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Commands that ask an agent whose routes are the real ones, over a lone server. */
export class CliWorld {
  readonly sessions: SessionWorld
  readonly asked: string[] = []
  /** The time limit of the last request of each kind. */
  readonly limits = new Map<string, number>()
  /** That of the last command. */
  terminal = new FakeTerminal()

  private constructor(sessions: SessionWorld) {
    this.sessions = sessions
  }

  static async begun(): Promise<CliWorld> {
    return new CliWorld(await SessionWorld.begun())
  }

  /** `typed`: what a person answers when asked; without it the command runs in a script. */
  async run(argv: readonly string[], input = '', typed?: string): Promise<Ran> {
    const request = async (_to: unknown, { method, target, body, timeoutMs }: HttpClientRequest) => {
      this.asked.push(`${method} ${target}`)
      this.limits.set(`${method} ${target}`, timeoutMs)
      const [path = '', query] = target.split('?')
      const plain = query === undefined ? decodeURIComponent(path) : `${decodeURIComponent(path)}?${query}`
      const response = await this.sessions.server.request(method as HttpMethod, plain, (body as Uint8Array) ?? '')
      const { status, headers, body: answer } = encoder.response(response, false)
      const bytes = typeof answer === 'string' ? utf8(answer) : (answer as Uint8Array)
      return ok({ status, headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])), body: bytes })
    }
    const env = { ...host, disk: host.disk, machine: host.machine, http: { ...host.http, request } } as Env
    const terminal = new FakeTerminal()
    this.terminal = terminal
    Object.assign(terminal, { readInput: async () => ok(utf8(input)) })
    if (typed !== undefined) Object.assign(terminal, { ask: async () => typed })
    const code = await runCli(argv, env, terminal)
    return { code, out: terminal.written, error: terminal.complained }
  }

  async textAt(key: string): Promise<string> {
    const response = await this.sessions.server.request('GET', `/v1/kv/${key}?raw`)
    return response.kind === 'bytes' ? textOf(response.bytes) : 'none'
  }
}
