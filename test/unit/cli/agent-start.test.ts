import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import { EarlySignals } from '../../../src/cli/running/early-signals.ts'
import type { Env } from '../../../src/env/env.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

describe('an agent that starts', () => {
  it.each([
    ['SIGTERM', 'terminated'],
    ['SIGINT', 'interrupt'],
  ] as const)('ends at %s, and leaves no pid file', async (signal, name) => {
    const opening = host.deferred<void>()
    const never = host.deferred<never>()
    const serve = () => {
      opening.resolve()
      return never.promise
    }
    const env = { ...host, disk: host.disk, machine: host.machine, http: { ...host.http, serve } } as unknown as Env
    const files: string[] = []
    const holdPidFile = (path: string) => {
      files.push(path)
      return ok({ close: () => files.splice(0) })
    }
    const terminal = Object.assign(new FakeTerminal(), { holdPidFile })
    const code = runCli(['agent', '-dev', '-pid-file=/tmp/svc-agent-start.pid'], env, terminal)
    await opening.promise
    expect(files).toHaveLength(1)
    // A reload that is requested now does not end it.
    terminal.signal('SIGHUP')
    terminal.signal(signal)
    expect([await code, files]).toEqual([1, []])
    expect(terminal.complained).toBe(`==> Caught signal: ${name}, before the agent had started\n`)
  })

  it('remembers a reload that is requested before it runs', () => {
    const terminal = new FakeTerminal()
    const early = new EarlySignals(host, terminal)
    expect(early.toReload).toBe(false)
    terminal.signal('SIGHUP')
    expect(early.toReload).toBe(true)
  })
})
