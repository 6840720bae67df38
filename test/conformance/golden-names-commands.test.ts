import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../../src/base/bytes.ts'
import { ok } from '../../src/base/result.ts'
import { runCli } from '../../src/cli/program.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpClientRequest } from '../../src/env/http.ts'
import { createHostEnv } from '../../src/host/env.ts'
import { FakeTerminal } from '../unit/cli/fake-terminal.ts'
import { borne, refusals } from '../unit/config/every-key.ts'
import { HandClock, settled as turn } from '../unit/features/hand-clock.ts'
import { ask } from './ask.ts'
import { allowed, strange } from './own-name.ts'
import { startSimulatedAgent } from './simulated-agent.ts'
import { settled } from './worlds.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const folder = mkdtempSync(join(tmpdir(), 'consul-cli-'))
afterAll(() => {
  host.close()
  rmSync(folder, { recursive: true, force: true })
})

function terminal(): FakeTerminal & { readonly programName: string } {
  return Object.assign(new FakeTerminal(), { programName: 'consul' })
}

it('the list of places where our name may stand is short, and each has a reason', () => {
  expect(allowed.length).toBeLessThanOrEqual(20)
  expect(allowed.filter(([, why]) => why.length < 20)).toEqual([])
})

describe('under the name of the field, the own name is in nothing that consul validate says', () => {
  async function validated(text: string, name = 'a.json'): Promise<string> {
    const file = join(folder, name)
    writeFileSync(file, text)
    const written = terminal()
    await runCli(['validate', file], host, written)
    return written.written + written.complained
  }

  it('of each value that is refused, or taken with a warning', async () => {
    const enough = { data_dir: '/data', bind_addr: '10.0.0.1' }
    const said = new Map<string, string>()
    for (const [config] of [...refusals, ...borne]) {
      const text = JSON.stringify({ ...enough, ...config })
      said.set(text, await validated(text))
    }
    expect(said.size).toBeGreaterThan(90)
    expect([...said.values()].filter((each) => each.startsWith('Config validation failed: ')).length).toBeGreaterThan(
      50,
    )
    // What the file itself has is quoted.
    const own = [...said].filter(([text]) => !/svc/i.test(text)).flatMap(([, each]) => strange(each))
    expect(own).toEqual([])
  })

  it('of files that cannot be read, and of none', async () => {
    const texts = [
      await validated('{'),
      await validated('a = <<E', 'a.hcl'),
      await validated('x', 'a.txt'),
      await validated('{"data_dir": "/x", "prots": {}, "server": "yes", "services": [{"nmae": "a"}]}'),
    ]
    for (const argv of [['validate'], ['validate', join(folder, 'none')], ['validate', '-x', folder]]) {
      const written = terminal()
      await runCli(argv, host, written)
      texts.push(written.written + written.complained)
    }
    expect(texts.filter((text) => text === '')).toEqual([])
    expect(texts.flatMap(strange)).toEqual([])
  })
})

describe('under the name of the field, the own name is in nothing that', () => {
  const lines: string[] = []
  let agent: Awaited<ReturnType<typeof settled>>
  beforeAll(async () => {
    const wrap: NonNullable<Parameters<typeof startSimulatedAgent>[1]>['wrap'] = (env) => {
      env.log.follow('trace', (line) => lines.push(line))
      return env
    }
    const more = { names: 'consul', enable_debug: true }
    agent = await settled(await startSimulatedAgent('default', { more, wrap }), 'default')
  })
  afterAll(() => agent.stop())

  /** Runs a command that asks the agent, and follows its log. `whileItRuns` lets the command's time pass. */
  async function run(
    argv: readonly string[],
    whileItRuns: (clock: HandClock, written: FakeTerminal) => Promise<void>,
  ): Promise<{ readonly code: number; readonly text: string }> {
    const hand = new HandClock()
    const written = terminal()
    const request = async (_to: unknown, { method, target, onBody }: HttpClientRequest) => {
      if (target.startsWith('/v1/agent/monitor')) {
        for (const line of lines) onBody?.(utf8(`${line}\n`))
        return new Promise<never>(() => undefined)
      }
      const { status, headers, text } = await ask(agent.target, `${method} ${target}`)
      return ok({ status, headers, body: utf8(text) })
    }
    const { clock, timers } = hand.env
    const { disk, machine } = host
    const env = { ...host, disk, machine, clock, timers, http: { ...host.http, request } } as unknown as Env
    let isOver = false
    const code = runCli(argv, env, written).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await whileItRuns(hand, written)
      await turn()
    }
    return { code: await code, text: written.written + written.complained }
  }

  it('consul monitor prints', async () => {
    const { code, text } = await run(['monitor', '-log-level=trace'], async (_clock, written) => {
      if (written.written !== '') written.signal('SIGINT')
    })
    expect([code, text.split('\n').length > 5, /consul/.test(text)]).toEqual([0, true, true])
    expect(strange(text)).toEqual([])
  })

  it('consul debug prints, or writes into its archive', async () => {
    const output = join(folder, 'captured')
    const flags = ['-duration=10s', '-interval=5s', `-output=${output}`]
    const { code, text } = await run(['debug', ...flags], async (clock) => {
      if (clock.timers > 0) await clock.advance(1_000)
    })
    expect([code, strange(text)]).toEqual([0, []])
    execFileSync('tar', ['xzf', `${output}.tar.gz`, '-C', folder])
    const names = readdirSync(output, { recursive: true, encoding: 'utf8' })
    expect(names).toEqual(expect.arrayContaining(['agent.json', 'cluster.json', 'host.json', '0/metrics.json']))
    const files = names.map((name) => join(output, name)).filter((path) => statSync(path).isFile())
    const content = files.map((path) => readFileSync(path, 'latin1'))
    expect(content.filter((each) => /consul/.test(each)).length).toBeGreaterThan(3)
    expect([...names.flatMap(strange), ...content.flatMap(strange)]).toEqual([])
  })
})
