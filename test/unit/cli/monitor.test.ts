import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import { host } from './answered-run.ts'
import { FakeTerminal } from './fake-terminal.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('svc monitor', () => {
  /** Runs it while the agent does as told; gives what it printed by the time it ended. */
  async function monitor(
    argv: readonly string[],
    serve: (to: HttpClientRequest, terminal: FakeTerminal) => Promise<unknown>,
  ): Promise<{ code: number; out: string; error: string; target: string }> {
    const terminal = new FakeTerminal()
    let target = ''
    const request = (_to: unknown, asked: HttpClientRequest) => {
      target = asked.target
      return serve(asked, terminal)
    }
    const env = { ...host, disk: host.disk, machine: host.machine, http: { ...host.http, request } } as unknown as Env
    const code = await runCli(['monitor', ...argv], env, terminal)
    return { code, out: terminal.written, error: terminal.complained, target }
  }

  it('prints whole lines as they come, until it is interrupted', async () => {
    const bytes = utf8('one ü\ntwo\nthr')
    const ran = await monitor(['-log-level=debug'], async ({ onBody }, terminal) => {
      // In the middle of a character.
      onBody?.(bytes.slice(0, 5))
      expect(terminal.written).toBe('')
      onBody?.(bytes.slice(5))
      expect(terminal.written).toBe('one ü\ntwo\n')
      terminal.signal('SIGINT')
      return new Promise(() => undefined)
    })
    expect(ran).toEqual({ code: 0, out: 'one ü\ntwo\n', error: '', target: '/v1/agent/monitor?loglevel=debug' })
  })

  it('says when it cannot begin, and when the agent ends it', async () => {
    const bad = ok({ status: 400, headers: new Map(), body: utf8('Unknown log level: ZZZ') })
    expect(await monitor(['-log-level=zzz'], async () => bad)).toMatchObject({
      code: 1,
      error: 'Error starting monitor: Unexpected response code: 400 (Unknown log level: ZZZ)\n',
    })
    const to = { host: '127.0.0.1', port: 8500 }
    expect((await monitor([], async () => err({ kind: 'refused', to }))).error).toMatch(/^Error starting monitor: Get /)
    const broken = err({ kind: 'broken', to, message: 'reset' })
    const crashed = await monitor([], async ({ onBody }) => {
      onBody?.(utf8('a\n'))
      return broken
    })
    const error = 'The agent ended the monitor: it has stopped or crashed\n'
    expect(crashed).toMatchObject({ code: 1, out: 'a\n', error })
  })
})
