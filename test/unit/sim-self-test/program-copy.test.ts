import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChildLimits, createWorkshop } from '../../../sim/platform/program-copy.ts'

const program = `
import { reportCpuTime } from '../dist/sim/platform/cpu-time.js'
if (process.env.SVC_SIM_CPU_TIME === '1') reportCpuTime()
const spin = (ms) => {
  const used = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000
  for (const from = used(); used() - from < ms; );
}
const [what] = process.argv.slice(2)
if (what === 'hang') spin(Infinity)
if (what === 'wait') setTimeout(() => console.log('done'), 1_500)
if (what === 'wait for nothing') setInterval(() => {}, 1_000_000)
if (what === 'work') for (let seed = 1; seed <= 4; seed++) { spin(300); console.log(seed) }
`

describe('a child of the self-test', () => {
  let root = ''

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-program-copy-'))
    for (const folder of ['bin', 'dist/src', 'dist/sim/platform']) mkdirSync(join(root, folder), { recursive: true })
    const built = join(import.meta.dirname, '../../../dist/sim/platform/cpu-time.js')
    cpSync(built, join(root, 'dist/sim/platform/cpu-time.js'))
    writeFileSync(join(root, 'bin/svc-sim.js'), program)
    writeFileSync(join(root, 'package.json'), '{"type":"module","dependencies":{}}')
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  async function run(what: string, limits: Partial<ChildLimits>) {
    const copy = createWorkshop(root, { cpuMs: 600_000, idleMs: 600_000, leastMs: 1_000, ...limits }).copy(new Map())
    const lines: string[] = []
    try {
      return { ...(await copy.run([what], (line) => lines.push(line))), lines }
    } finally {
      copy.remove()
    }
  }

  it('is stopped when it uses CPU time without an end', async () => {
    expect((await run('hang', { cpuMs: 1_000 })).exit).toBeUndefined()
  })

  it('is not stopped for being slow by the clock on the wall', async () => {
    expect(await run('wait', { cpuMs: 1_000 })).toMatchObject({ exit: 0, lines: ['done'] })
  })

  it('may use as much again behind each line that it writes', async () => {
    expect(await run('work', { cpuMs: 1_000 })).toMatchObject({ exit: 0, lines: ['1', '2', '3', '4'] })
  })

  it('is stopped when it does nothing at all', async () => {
    expect((await run('wait for nothing', { idleMs: 1_500 })).exit).toBeUndefined()
  })
})
