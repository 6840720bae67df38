import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
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

describe('what svc debug captures of an agent under the name of the field', () => {
  let named: RealAgent
  let folder: string
  let files: readonly string[]

  beforeAll(async () => {
    named = devAgent(await freePorts(), '-names=consul', '-node=n1')
    await leads(named)
    folder = join(workplace.path, 'capture')
    await capture(named, folder)
    files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name))
  })
  afterAll(() => named.stop('SIGKILL'))

  it('is the agent, its log, metrics, and profiles that go tool pprof opens', async (context) => {
    const kinds = [...new Set(files.map((name) => name.split('/').at(-1)))].sort()
    const profiles = ['goroutine.prof', 'heap.prof', 'profile.prof']
    const rest = ['agent.json', 'agent.log', 'cluster-wan.json', 'cluster.json', 'host.json', 'index.json']
    expect(kinds).toEqual([...rest, 'metrics.json', ...profiles, 'trace.out'].sort())
    if (!existsSync(go)) context.skip(`${go} is not there: install golang`)
    for (const name of files.filter((each) => each.endsWith('.prof'))) {
      const ran = spawnSync(go, ['tool', 'pprof', '-top', join(folder, name)], { encoding: 'utf8' })
      expect([name, ran.status, ran.stdout.includes('flat%')], ran.stderr).toEqual([name, 0, true])
    }
  })

  it('has our own name nowhere but in the names of the files that run', () => {
    const found = files.flatMap((name) => {
      const bytes = readFileSync(join(folder, name))
      const text = (name.endsWith('.prof') ? gunzipSync(bytes) : bytes).toString('latin1')
      const rest = text.replace(/\bsvc(?:-sim)?\.c?js\b/g, '')
      return (rest.match(/.{0,40}svc.{0,40}/gi) ?? []).map((line) => `${name}: ${line}`)
    })
    expect(found).toEqual([])
  })
})

/** Runs `svc debug`, and interrupts it after its first interval. */
async function capture(of: RealAgent, folder: string): Promise<void> {
  const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
  const flags = [`-http-addr=${of.address}`, '-interval=5s', '-archive=false', `-output=${folder}`]
  const child = spawn(process.execPath, [svc, 'debug', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const isFirst = !said.includes('Capture successful')
    said += text
    if (isFirst && said.includes('Capture successful')) child.kill('SIGINT')
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(code, said).toBe(0)
}
