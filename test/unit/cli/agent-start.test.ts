import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

  it('[CLI-002] [CLI-003] reads files and directories in the order in which they are given, whichever flag names them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-order-'))
    const write = (path: string, datacenter: string): string => {
      writeFileSync(join(folder, path), JSON.stringify({ datacenter }))
      return join(folder, path)
    }
    mkdirSync(join(folder, 'd'))
    write('d/a.json', 'of the directory')
    const directory = join(folder, 'd')
    const [file, other] = [write('file.json', 'of the file'), write('other.json', 'of the other')]
    /** The datacenter that took effect: none of them can be one, so that no agent starts. */
    const counts = async (...flags: readonly string[]): Promise<string | undefined> => {
      const terminal = new FakeTerminal()
      expect(await runCli(['agent', ...flags], host, terminal)).toBe(1)
      return /datacenter cannot be "([^"]*)"/.exec(terminal.complained)?.[1]
    }
    expect(await counts(`-config-dir=${directory}`, '-config-file', file)).toBe('of the file')
    expect(await counts('--config-file', file, `-config-dir=${directory}`)).toBe('of the directory')
    expect(await counts('-config-file', file, '-config-dir', directory, '-config-file', other)).toBe('of the other')
    expect(await counts('-config-file', file, '-config-file', directory)).toBe('of the directory')
    expect(await counts('-config-dir', directory, '-config-dir', file)).toBe('of the file')
    rmSync(folder, { recursive: true })
  })
})
