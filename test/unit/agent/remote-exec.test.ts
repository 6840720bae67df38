import { describe, expect, it } from 'vitest'
import { RemoteExec } from '../../../src/agent/local/remote-exec.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import { kvValue } from '../../../src/features/kv/model.ts'
import type { UserEvent } from '../../../src/model/remote-exec.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const session = '5ab0f3a1-0000-4000-8000-000000000001'
const event: UserEvent = {
  id: 'e1',
  name: '_rexec',
  payload: utf8(JSON.stringify({ Prefix: '_rexec', Session: session })),
  nodeFilter: '',
  serviceFilter: '',
  tagFilter: '',
  lamport: 1,
}

/** An agent that is asked to run a command: when a job is read and when a program ends is the test's. */
class Asked {
  readonly clock = new HandClock()
  readonly logged: string[] = []
  readonly ran: (readonly string[])[] = []
  reads = 0
  /** Undefined: the token may read and write the job. */
  denied: 'read' | 'write' | undefined
  readonly #doors: (() => void)[] = []
  readonly exec: RemoteExec
  readonly calls: object[] = []
  /** Keys that were read. */
  readonly keys: string[] = []

  constructor(job: object) {
    const query = async (_endpoint: unknown, { key }: { key: string }, _read: unknown, call: object) => {
      this.calls.push(call)
      this.keys.push(key)
      this.reads++
      await new Promise<void>((resolve) => this.#doors.push(resolve))
      if (this.denied === 'read') return err({ kind: 'permission-denied', message: 'Permission denied' })
      return ok({ value: { value: kvValue(utf8(JSON.stringify(job))) } })
    }
    const run = async (argv: readonly string[]) => {
      this.ran.push(argv)
      return ok({ exit: 0 })
    }
    const log = { write: (...words: readonly unknown[]) => this.logged.push(JSON.stringify(words)) }
    const env = { ...this.clock.env, log, processes: { run } } as never
    const write = async (_endpoint: unknown, _args: unknown, call: object) => {
      this.calls.push(call)
      if (this.denied === 'write') return err({ kind: 'permission-denied', message: 'Permission denied' })
      return ok({ kind: 'held' })
    }
    const calls = { query, write } as never
    this.exec = new RemoteExec({ env, calls, nodeName: 'n1', enabled: true, token: () => 'of-agent' })
  }

  async letRead(): Promise<void> {
    for (const open of this.#doors.splice(0)) open()
    await settled()
  }
}

describe('a command from afar', () => {
  it('is read, and answered, with the token of the agent', async () => {
    const asked = new Asked({ Command: 'true' })
    asked.exec.hear(event)
    await asked.letRead()
    expect(asked.calls.length).toBeGreaterThan(1)
    expect(new Set(asked.calls.map((call) => JSON.stringify(call)))).toEqual(new Set(['{"token":"of-agent"}']))
  })

  it.each(['read', 'write'] as const)(
    'names the rule that the token of the agent lacks to %s the job',
    async (denied) => {
      const asked = new Asked({ Command: 'true' })
      asked.denied = denied
      asked.exec.hear(event)
      await asked.letRead()
      const rule = 'key_prefix "_rexec/" { policy = "write" }'
      expect(asked.logged.join('\n')).toContain(
        JSON.stringify({ why: `Permission denied: the agent's token lacks ${rule}` }),
      )
      expect(asked.ran).toEqual([])
    },
  )

  it('is not even read where 16 are on their way, and is once they are done', async () => {
    const asked = new Asked({ Command: 'true' })
    for (let i = 0; i < 40; i++) asked.exec.hear(event)
    expect(asked.reads).toBe(16)
    expect(asked.logged.filter((line) => line.includes('too many jobs'))).toHaveLength(24)
    await asked.letRead()
    expect(asked.ran).toHaveLength(16)
    asked.exec.hear(event)
    expect(asked.reads).toBe(17)
  })

  it('is read where a client has put it whose prefix ends with a slash', async () => {
    const asked = new Asked({ Command: 'true' })
    asked.exec.hear({ ...event, payload: utf8(JSON.stringify({ Prefix: 'jobs/', Session: session })) })
    await asked.letRead()
    expect([asked.keys, asked.ran.length]).toEqual([[`jobs/${session}/job`], 1])
  })

  it('is not begun once the agent stops', async () => {
    const asked = new Asked({ Command: 'true' })
    asked.exec.hear(event)
    asked.exec.stop()
    await asked.letRead()
    expect(asked.ran).toEqual([])
  })

  it.each([
    [{ Command: 'login --password hunter2' }, '/bin/sh'],
    [{ Args: ['login', '--password', 'hunter2'] }, 'login'],
  ])('is logged by session and program, without what may be secret in it: %j', async (job, program) => {
    const asked = new Asked(job)
    asked.exec.hear(event)
    await asked.letRead()
    expect(asked.ran).toHaveLength(1)
    expect(asked.logged).toEqual([JSON.stringify(['info', 'agent', 'remote exec', { session, program }])])
  })
})
