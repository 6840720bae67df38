import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { FakeTerminal } from './fake-terminal.ts'

export const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

export type Answers = Readonly<Record<string, unknown>>

export interface Run {
  readonly code: number
  readonly out: string
  readonly error: string
  /** `PUT /v1/… body`. */
  readonly asked: readonly string[]
}

/**
 * Runs one command line against an agent that answers by method and target; anything else gets 404. `programName`: what
 * the program is called by.
 */
export async function run(argv: readonly string[], answers: Answers = {}, programName = 'svc'): Promise<Run> {
  const asked: string[] = []
  const request = async (_to: unknown, { method, target, body }: HttpClientRequest) => {
    asked.push([method, target, ...(body === undefined ? [] : [textOf(body)])].join(' '))
    const answer = answers[`${method} ${target}`]
    if (answer === undefined) return ok({ status: 404, headers: new Map(), body: utf8('no such thing') })
    if (answer instanceof Error) return ok({ status: 500, headers: new Map(), body: utf8(answer.message) })
    return ok({ status: 200, headers: new Map(), body: utf8(answer === '' ? '' : JSON.stringify(answer)) })
  }
  const env = { ...host, disk: host.disk, machine: host.machine, http: { ...host.http, request } } as Env
  const terminal = Object.assign(new FakeTerminal(), { programName })
  const code = await runCli(argv, env, terminal)
  return { code, out: terminal.written, error: terminal.complained, asked }
}

export const server = { role: 'svc', build: '1.4.0:abc', vsn: '2', dc: 'dc1', id: 'x', raft_vsn: '3' }
