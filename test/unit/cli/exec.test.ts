import { beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

/** What the command asks for is written down; a read that waits for news ends by the clock alone. */
class Execution {
  readonly clock = new HandClock()
  readonly terminal = new FakeTerminal()
  readonly asked: string[] = []
  readonly words: ReadonlyMap<string, Uint8Array>
  /** What a server says of rights, by resource; undefined: access control is off. */
  rights: Readonly<Record<string, boolean>> | undefined
  ended: number | undefined
  /** Number of the next reads of the job's keys, and of one of them, that fail as while there is no leader. */
  failingLists = 0
  failingValues = 0
  failsToDelete = false

  /** `words`: by what follows the folder of the job in their keys. */
  constructor(words: Readonly<Record<string, Uint8Array>> = {}) {
    this.words = new Map(Object.entries(words))
  }

  async begin(...argv: readonly string[]): Promise<void> {
    const { clock, timers } = this.clock.env
    const http = { ...host.http, request: (_to: unknown, asked: HttpClientRequest) => this.#answer(asked) }
    const env = { ...host, disk: host.disk, machine: host.machine, clock, timers, http } as unknown as Env
    host.detach(runCli(['exec', ...argv], env, this.terminal).then((code) => (this.ended = code)))
    await this.until(() => this.ended !== undefined || this.asked.some((line) => line.includes('index=7')))
  }

  /** Lets nothing pass but what is under way; and time in small steps while that is not enough. */
  async until(isSo: () => boolean): Promise<void> {
    for (let turn = 0; !isSo() && turn < 10_000; turn++) {
      await settled()
      if (turn % 10 === 9) await this.clock.advance(10)
    }
    expect(isSo()).toBe(true)
  }

  #explained(asked: URLSearchParams) {
    const Allowed = this.rights?.[asked.get('resource') ?? '']
    const body = { AccessorID: 'a', Allowed, DecidedBy: 'default', Rule: '', Level: 'deny', Policy: '' }
    const status = this.rights === undefined ? 401 : 200
    return ok({ status, headers: new Map<string, string>(), body: utf8(JSON.stringify(body)) })
  }

  async #answer({ method, target }: HttpClientRequest) {
    this.asked.push(`${method} ${target}`)
    const answer = (body: string | Uint8Array, index = '') =>
      ok({
        status: 200,
        headers: new Map([['x-svc-index', index]]),
        body: typeof body === 'string' ? utf8(body) : body,
      })
    if (target.startsWith('/v1/acl/explain?')) return this.#explained(new URLSearchParams(target.split('?')[1]))
    if (target === '/v1/agent/self') return answer('{"Config":{"NodeName":"n0","Datacenter":"dc1"}}')
    if (target === '/v1/session/create') return answer('{"ID":"s1"}')
    const refused = ok({ status: 500, headers: new Map<string, string>(), body: utf8('No cluster leader') })
    // As an agent answers paths that are not clean.
    if (target.includes('//')) return ok({ status: 301, headers: new Map<string, string>(), body: utf8('') })
    if (method === 'DELETE' && this.failsToDelete) return refused
    if (method !== 'GET') return answer('true')
    const [, path = '', query = ''] = /^\/v1\/kv\/_rexec\/s1\/([^?]*)\?(.*)$/.exec(target) ?? []
    if (path !== '') return this.failingValues-- > 0 ? refused : answer(this.words.get(path) ?? '')
    if (this.failingLists-- > 0) return refused
    const wait = /wait=(\d+)ms/.exec(query)?.[1]
    const over = host.deferred<void>()
    if (wait === undefined) over.resolve()
    else this.clock.env.timers.after(Number(wait), () => over.resolve())
    await over.promise
    const keys = ['job', ...this.words.keys()].map((word) => `_rexec/s1/${word}`)
    return answer(JSON.stringify(keys), '7')
  }
}

// The command loads them when it needs them: that takes true time, and here time goes by turns.
beforeAll(() =>
  Promise.all([import('../../../src/cli/acl/acl-explanation.ts'), import('../../../src/cli/api/answers.ts')]),
)

describe('svc exec', () => {
  it('asks first whether the token may do it, and names each rule that it lacks', async () => {
    const execution = new Execution()
    execution.rights = { key: false, event: false, session: false }
    await execution.begin('true')
    expect([execution.ended, execution.terminal.written, execution.terminal.complained]).toEqual([
      1,
      '',
      'Permission denied: the token lacks session "n0" { policy = "write" } and key_prefix "_rexec/" { policy = "write" } ' +
        'and event "_rexec" { policy = "write" }\n',
    ])
    expect(execution.asked.filter((line) => !line.startsWith('GET '))).toEqual([])
  })

  it('names the rule that agents need where no agent acknowledges under access control, and that is no success', async () => {
    const execution = new Execution()
    execution.rights = { key: true, event: true, session: true }
    await execution.begin('true')
    await execution.clock.advance(3_000)
    await execution.until(() => execution.ended !== undefined)
    expect([execution.ended, execution.terminal.complained]).toEqual([
      1,
      'No node acknowledged: agents run commands only with disable_remote_exec set to false, ' +
        'and with a token that has key_prefix "_rexec/" { policy = "write" }\n',
    ])
  })

  it('asks for no read that waits longer than 15 s, and goes on until its own wait is over', async () => {
    const execution = new Execution()
    await execution.begin('-wait=2m', 'true')
    for (let step = 0; step < 13; step++) await execution.clock.advance(10_000)
    await execution.until(() => execution.ended !== undefined)
    const waits = execution.asked.flatMap((line) =>
      line.includes('wait=') ? [Number(/wait=(\d+)/.exec(line)?.[1])] : [],
    )
    expect(waits).toHaveLength(8)
    expect(Math.max(...waits)).toBe(15_000)
    expect([execution.ended, execution.terminal.complained]).toEqual([
      1,
      'No node acknowledged: agents run commands only with disable_remote_exec set to false\n',
    ])
  })

  it('ends at once when it is interrupted, and takes its session and keys away', async () => {
    const execution = new Execution({ 'n1/ack': utf8('') })
    await execution.begin('-wait=1h', 'sleep 9')
    execution.terminal.signal('SIGINT')
    await settled()
    await settled()
    await execution.until(() => execution.ended !== undefined)
    expect(execution.ended).toBe(2)
    expect(execution.terminal.written).toBe('0 / 1 node(s) completed / acknowledged\n')
    expect(execution.asked.slice(-2)).toEqual(['PUT /v1/session/destroy/s1', 'DELETE /v1/kv/_rexec/s1/?recurse='])
  })

  it('prints lines and characters whole that come in two pieces, and the rest at the end of the command', async () => {
    const bytes = utf8('one\ntwo ü\nthree')
    const words = { 'n1/ack': utf8(''), 'n1/exit': utf8('0') }
    const cut = bytes.indexOf(0xc3) + 1
    const execution = new Execution({
      ...words,
      'n1/out/00000': bytes.subarray(0, cut),
      'n1/out/00001': bytes.subarray(cut),
    })
    await execution.begin('x')
    await execution.clock.advance(3_000)
    await execution.until(() => execution.ended !== undefined)
    expect(execution.terminal.written).toBe(
      '    n1: one\n    n1: two ü\n    n1: three\n==> n1: finished with exit code 0\n1 / 1 node(s) completed / acknowledged\n',
    )
  })

  it('reads again what could not be read, in the same order, and does not take that time for quiet', async () => {
    const execution = new Execution({ 'n1/ack': utf8(''), 'n1/exit': utf8('0'), 'n1/out/00000': utf8('said\n') })
    execution.failingLists = 3
    execution.failingValues = 1
    await execution.begin('-wait=1s', 'x')
    await execution.clock.advance(3_000)
    await execution.until(() => execution.ended !== undefined)
    expect([execution.ended, execution.terminal.complained]).toEqual([0, ''])
    expect(execution.terminal.written).toBe(
      '    n1: said\n==> n1: finished with exit code 0\n1 / 1 node(s) completed / acknowledged\n',
    )
  })

  it('gives up when nothing can be read for long, and names the keys that it had to leave', async () => {
    const execution = new Execution()
    execution.failingLists = Number.POSITIVE_INFINITY
    execution.failsToDelete = true
    await execution.begin('x')
    await execution.until(() => execution.ended !== undefined)
    expect([execution.ended, execution.terminal.complained]).toEqual([
      1,
      'Unexpected response code: 500 (No cluster leader)\n' +
        'Failed to delete the keys under _rexec/s1/: Unexpected response code: 500 (No cluster leader)\n',
    ])
    expect(execution.asked.filter((line) => line.startsWith('GET /v1/kv/'))).toHaveLength(6)
  })

  it('puts the job where agents look for it, be it that the prefix ends with a slash', async () => {
    const execution = new Execution()
    await execution.begin('-prefix=_rexec/', 'x')
    expect(execution.asked).toContain('PUT /v1/kv/_rexec/s1/job?acquire=s1')
    expect(execution.asked.filter((line) => line.includes('_rexec//'))).toEqual([])
  })

  it('refuses a wait in which a node that works could not be told from one that is gone', async () => {
    const execution = new Execution()
    await execution.begin('-wait=999ms', 'x')
    expect([execution.ended, execution.asked]).toEqual([1, []])
    expect(execution.terminal.complained).toMatch(
      /^-wait 999ms: must be at least 1s, because nodes send heartbeats only every 500ms\n/,
    )
  })
})
