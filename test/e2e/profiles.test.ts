import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { devAgent, eventually, freePorts, leads, makeWorkplace, type RealAgent, type Workplace } from './real-agent.ts'

/** Where Debian's golang has it. */
const go = '/usr/bin/go'

let workplace: Workplace
let agent: RealAgent
beforeAll(async () => {
  workplace = makeWorkplace()
  const ports = await freePorts()
  agent = devAgent(ports, '-encrypt', 'zbd3Yx3YR5ZC3XtQLVmyGQ==')
  await leads(agent)
})
afterAll(async () => {
  await agent.stop('SIGKILL')
  workplace.remove()
})

async function taken(name: string): Promise<Uint8Array> {
  const answer = await agent.request('GET', `/debug/pprof/${name}`)
  expect([name, answer.status]).toEqual([name, 200])
  return new Uint8Array(await answer.arrayBuffer())
}

describe('profiles over HTTP', () => {
  it('one at a time, in the formats of the field, and no secret of the command line', async () => {
    const first = agent.request('GET', '/debug/pprof/trace?seconds=0.3')
    const second = await eventually('a refusal', async () => {
      const answer = await agent.request('GET', '/debug/pprof/heap?seconds=0')
      return answer.status === 429 ? answer.text() : undefined
    })
    expect(second).toBe('another profile is being taken')
    expect(Object.keys((await (await first).json()) as object)).toEqual(['traceEvents'])
    const words = (await (await agent.request('GET', '/debug/pprof/cmdline')).text()).split('\0')
    expect(words).toEqual(expect.arrayContaining(['-dev', '-encrypt', '<hidden>']))
    expect(words).not.toContain('zbd3Yx3YR5ZC3XtQLVmyGQ==')
  })

  it('are opened by go tool pprof', async (context) => {
    if (!existsSync(go)) context.skip(`${go} is not there: install golang`)
    for (const [name, type, row] of [
      ['heap?seconds=0.1', 'inuse_space', /before the profile, in old_space/],
      ['allocs?seconds=0.1', 'alloc_space', /flat%/],
      ['profile?seconds=0.3', 'cpu', /flat%/],
      ['goroutine', 'goroutine', /TCPServerWrap/],
    ] as const) {
      const file = join(workplace.path, `${type}.prof`)
      writeFileSync(file, await taken(name))
      const { status, stdout, stderr } = spawnSync(go, ['tool', 'pprof', '-top', file], { encoding: 'utf8' })
      expect([name, status], stderr).toEqual([name, 0])
      expect(stdout).toContain(`Type: ${type}`)
      expect(stdout).toMatch(row)
    }
  })
})
