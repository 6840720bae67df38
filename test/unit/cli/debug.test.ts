import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const folder = mkdtempSync(join(tmpdir(), 'svc-debug-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** An agent of a few answers, and a command that asks it at a pace of the test's own. */
class Recording {
  readonly clock = new HandClock()
  readonly terminal = new FakeTerminal()
  say: (line: string) => void = () => undefined
  #over = false

  async run(...argv: readonly string[]): Promise<number> {
    const { clock, timers } = this.clock.env
    const request = (_to: unknown, asked: HttpClientRequest) => this.#answer(asked)
    const http = { ...host.http, request }
    const env = { ...host, disk: host.disk, machine: host.machine, clock, timers, http } as unknown as Env
    const ended = runCli(['debug', ...argv], env, this.terminal).finally(() => {
      this.#over = true
    })
    return ended
  }

  /** When it waits for an interval to end. */
  async waiting(): Promise<void> {
    while (this.clock.timers === 0 && !this.#over) await settled()
  }

  /** Lets time pass until the command has ended. */
  async pass(): Promise<void> {
    while (!this.#over) {
      await this.waiting()
      await this.clock.advance(1_000)
    }
  }

  async #answer({ target, onBody }: HttpClientRequest) {
    if (target.startsWith('/v1/agent/monitor')) {
      this.say = (line) => onBody?.(utf8(`${line}\n`))
      return new Promise<never>(() => undefined)
    }
    const refused = target.startsWith('/v1/agent/host')
    const body = target === '/v1/agent/self' ? { Config: { Version: '1.4.0' } } : { asked: target }
    return ok({ status: refused ? 403 : 200, headers: new Map(), body: utf8(JSON.stringify(body)) })
  }
}

describe('svc debug', () => {
  it('writes what the agent says of itself into one file, interval by interval, and what it refuses to say', async () => {
    const recording = new Recording()
    const output = join(folder, 'a')
    const ended = recording.run('-duration=12s', '-interval=5s', `-output=${output}`)
    await recording.waiting()
    recording.say('first')
    await recording.clock.advance(5_000)
    await recording.waiting()
    recording.say('second')
    await recording.pass()
    expect([await ended, recording.terminal.complained]).toEqual([
      0,
      '==> host.json: Unexpected response code: 403 ({"asked":"/v1/agent/host"})\n',
    ])
    expect(recording.terminal.written).toContain(`==> Saved debug archive: ${output}.tar.gz\n`)
    const names = execFileSync('tar', ['tzf', `${output}.tar.gz`], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const marks = ['0', '5', '10'].flatMap((at) => [
      ...['heap.prof', 'goroutine.prof', 'profile.prof', 'trace.out'].map((name) => `a/${at}/${name}`),
      ...[`a/${at}/metrics.json`, `a/${at}/agent.log`],
    ])
    expect(names).toEqual(['a/agent.json', 'a/cluster-wan.json', 'a/cluster.json', ...marks, 'a/index.json'])
    const content = (name: string) => execFileSync('tar', ['xzfO', `${output}.tar.gz`, name], { encoding: 'utf8' })
    // Without a value, the parameter would ask for the pool of the datacenter.
    expect(content('a/cluster-wan.json')).toBe('{"asked":"/v1/agent/members?wan=1"}')
    expect(content('a/cluster.json')).toBe('{"asked":"/v1/agent/members"}')
    expect(content('a/0/profile.prof')).toBe('{"asked":"/debug/pprof/profile?seconds=2"}')
    expect([content('a/0/agent.log'), content('a/5/agent.log')]).toEqual(['first\n', 'second\n'])
    expect(JSON.parse(content('a/index.json'))).toMatchObject({
      AgentVersion: '1.4.0',
      Interval: '5s',
      Duration: '12s',
    })
  })

  it('ends early when it is interrupted, with what there is, and writes a directory where it is asked for', async () => {
    const recording = new Recording()
    const output = join(folder, 'b')
    const ended = recording.run('-capture=metrics', '-archive=false', `-output=${output}`)
    await recording.waiting()
    recording.terminal.signal('SIGINT')
    expect(await ended).toBe(0)
    expect(readFileSync(join(output, '0/metrics.json'), 'utf8')).toBe('{"asked":"/v1/agent/metrics"}')
    expect(existsSync(join(output, 'agent.json'))).toBe(false)
    expect(existsSync(`${output}.tar.gz`)).toBe(false)
  })

  it.each([
    [['-duration=9s'], 'duration must be longer than 10s'],
    [['-interval=1s'], 'interval must be longer than 5s'],
    [['-interval=3m'], 'interval must not be longer than the duration'],
    [['-duration=soon'], '-duration soon: not a duration such as 30s or 2m'],
    [['-capture=agent,all'], 'unknown capture "all": agent, host, cluster, metrics, logs, pprof'],
    [[`-output=${folder}`, '-archive=false'], `output path "${folder}" exists already`],
    [[`-output=${folder}/`], `output path "${folder}/" names a directory: name a file in it`],
    [[`-output=${folder}/none/a`], `output directory "${folder}/none/" is not there`],
    [['-archive=false', `-output=${folder}/none/a`], `output directory "${folder}/none/" is not there`],
    [[`-output=${'x'.repeat(65)}`], 'the name of the output has more than 64 bytes'],
  ])('refuses %j', async (argv, why) => {
    const recording = new Recording()
    expect(await recording.run(...argv)).toBe(1)
    expect(recording.terminal.complained).toBe(`==> Capture validation failed: ${why}\n`)
  })
})
