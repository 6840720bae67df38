import { beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import type { ForegroundChild } from '../../../src/env/terminal.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

const held =
  '[{"LockIndex":1,"Key":"p/.lock","Flags":3304740253564472344,"Value":null,"Session":"s1","CreateIndex":7,"ModifyIndex":7}]'

/** `svc lock p work`, which has acquired its lock, and a shell that ends at SIGTERM unlike what it has started. */
class Locking {
  readonly clock = new HandClock()
  readonly terminal = new FakeTerminal()
  readonly asked: string[] = []
  readonly signals: string[] = []
  /** Whether something that the shell has started runs. */
  worker = true
  sent: Result<undefined, string> = ok(undefined)
  /** What the key is after the release. */
  left = held
  ended: number | undefined
  readonly shell = host.deferred<number | string>()

  async begin(prefix = 'p'): Promise<void> {
    const { clock, timers } = this.clock.env
    const http = { ...host.http, request: (_to: unknown, asked: HttpClientRequest) => this.#answer(asked) }
    const env = { ...host, disk: host.disk, machine: host.machine, clock, timers, http } as unknown as Env
    const child: ForegroundChild = {
      ended: this.shell.promise,
      signal: (signal) => {
        this.signals.push(signal)
        if (this.sent.ok) this.shell.resolve(signal)
        if (signal === 'SIGKILL') this.worker = false
        return this.sent
      },
      lives: () => this.worker,
    }
    const started = host.deferred<void>()
    const startChild = async () => {
      started.resolve()
      return ok(child)
    }
    host.detach(
      runCli(['lock', prefix, 'work'], env, Object.assign(this.terminal, { startChild })).then(
        (code) => (this.ended = code),
      ),
    )
    await started.promise
    await turns()
  }

  /** Whether the lock was released. */
  get isReleased(): boolean {
    return this.asked.some((line) => line.startsWith('PUT /v1/kv/p/.lock?release=s1'))
  }

  async #answer({ method, target }: HttpClientRequest) {
    this.asked.push(`${method} ${target}`)
    const answer = (status: number, body: string) =>
      ok({ status, headers: new Map([['x-svc-index', '7']]), body: utf8(body) })
    if (target === '/v1/session/create') return answer(200, '{"ID":"s1"}')
    if (method !== 'GET') return answer(200, 'true')
    if (!this.asked.some((line) => line.includes('?acquire='))) return answer(404, '')
    // The watch of the lock hears nothing.
    if (this.isReleased) return answer(200, this.left)
    if (target.includes('index=7')) await host.deferred<void>().promise
    return answer(200, held)
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await settled()
}

beforeAll(() => import('../../../src/cli/api/answers.ts'))

describe('svc lock', () => {
  it('keeps the lock until what the shell has started has ended, too', async () => {
    const locking = new Locking()
    await locking.begin()
    locking.terminal.signal('SIGTERM')
    await locking.clock.advance(3_000)
    expect([locking.signals, locking.isReleased]).toEqual([['SIGTERM'], false])
    locking.worker = false
    await locking.clock.advance(100)
    await turns()
    expect([locking.signals, locking.isReleased, locking.ended]).toEqual([['SIGTERM'], true, 0])
  })

  it('kills what has not ended after the grace time, counted from the first request to end', async () => {
    const locking = new Locking()
    await locking.begin()
    locking.terminal.signal('SIGTERM')
    await locking.clock.advance(4_000)
    locking.terminal.signal('SIGINT')
    await locking.clock.advance(1_100)
    await turns()
    expect([locking.signals, locking.isReleased, locking.ended]).toEqual([['SIGTERM', 'SIGTERM', 'SIGKILL'], true, 0])
    await locking.clock.advance(10_000)
    expect(locking.signals).toHaveLength(3)
  })

  it('leaves alone what a command that ended by itself has left running', async () => {
    const locking = new Locking()
    await locking.begin()
    locking.shell.resolve(0)
    await turns()
    expect([locking.signals, locking.isReleased, locking.ended]).toEqual([[], true, 0])
  })

  it('holds the lock for a command that it may not signal, and says so', async () => {
    const locking = new Locking()
    locking.sent = err('SIGTERM: EPERM')
    await locking.begin()
    locking.terminal.signal('SIGTERM')
    await locking.clock.advance(4_000)
    expect([locking.isReleased, locking.terminal.complained]).toEqual([
      false,
      'Failed to terminate child, waiting for it to end: SIGTERM: EPERM\n',
    ])
    locking.worker = false
    locking.shell.resolve(0)
    await locking.clock.advance(100)
    await turns()
    expect([locking.isReleased, locking.ended]).toEqual([true, 0])
  })
  it.each(['/p', 'p/', '//p//'])('takes the prefix %s for the one without slashes', async (prefix) => {
    const locking = new Locking()
    await locking.begin(prefix)
    expect(locking.asked).toContain('PUT /v1/kv/p/.lock?acquire=s1&flags=3304740253564472344')
  })

  it('takes slashes in a row for one', async () => {
    const locking = new Locking()
    await locking.begin('o//p')
    expect(locking.asked).toContain('PUT /v1/kv/o/p/.lock?acquire=s1&flags=3304740253564472344')
  })

  it('deletes the key of a lock that it has released', async () => {
    const locking = new Locking()
    locking.left = held.replace('"Session":"s1",', '')
    await locking.begin()
    locking.shell.resolve(0)
    await turns()
    expect([locking.asked.at(-2), locking.ended]).toEqual(['DELETE /v1/kv/p/.lock?cas=7', 0])
  })

  it('leaves a key that another program has written since the lock was lost', async () => {
    const locking = new Locking()
    locking.left = held.replace('"Session":"s1",', '').replace('3304740253564472344', '0')
    await locking.begin()
    locking.shell.resolve(0)
    await turns()
    expect([locking.asked.filter((line) => line.startsWith('DELETE')), locking.ended]).toEqual([[], 1])
    expect(locking.terminal.complained).toBe('Lock release failed: Existing key does not match lock use\n')
  })
})
