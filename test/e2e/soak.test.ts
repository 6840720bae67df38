import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Stage } from './stage.ts'

const soak = fileURLToPath(new URL('../../bench/soak.mjs', import.meta.url))
const stage = new Stage()

function run(...words: readonly string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(process.execPath, [soak, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })))
}

interface Figures {
  readonly rssMb: number
  readonly descriptors: number
}

/** Writes the lines of a run of an hour in which an agent takes `figuresAt` each share of it. */
function write(figuresAt: (share: number) => Figures, ...more: readonly object[]): void {
  const samples = Array.from({ length: 200 }, (_, number) => {
    const atS = number * 18
    const rest = { heapMb: 50, threads: 11, diskMb: 10, cpuPercent: 5, loopP99Ms: 3, lagMs: 20 }
    const sample = { type: 'sample', atS, agent: 's1', ageS: 100 + atS, ...rest, ...figuresAt(number / 200) }
    return [{ type: 'machine', atS, load: 1, syncMs: 1 }, sample]
  })
  const all = [{ type: 'begin', atS: 0, hours: 1 }, ...samples.flat(), ...more, { type: 'end', atS: 3600 }]
  writeFileSync(join(stage.path, 'soak.jsonl'), `${all.map((line) => JSON.stringify(line)).join('\n')}\n`)
}

it('a soak in which everything stays as it was is passed, and drawn', async () => {
  write((share) => ({ rssMb: share < 0.2 ? 80 : 120, descriptors: 40 }))
  const { code, out } = await run('--report', stage.path)
  expect(out).not.toContain('FAIL')
  expect(code).toBe(0)
  expect(readFileSync(join(stage.path, 'soak.svg'), 'utf8')).toContain('Resident memory')
})

it('a soak names the agent and the figures of what grew, and each bound that was not kept', async () => {
  const growing = (share: number): Figures => ({ rssMb: 100 + Math.round(100 * share), descriptors: 40 + share * 100 })
  const failing = { type: 'failing', atS: 50, kind: 'kv put', agent: 'c1', fromS: 30, tookS: 20, tries: 9, why: '500' }
  write(growing, failing, { type: 'violation', atS: 60, what: 'a key is lost' })
  const { code, out } = await run('--report', stage.path)
  expect(code).toBe(1)
  const failed = out.split('\n').filter((line) => line.startsWith('FAIL'))
  expect(failed).toEqual([
    'FAIL s1: resident memory: 138 MB in the second quarter, 188 in the last; allowed 167.8',
    'FAIL s1: open descriptors: 77.5 in the second quarter, 127.5 in the last; allowed 93.3',
    expect.stringContaining('the longest, kv put at c1 after 30 s, failed for 20.0 s (500); allowed 15'),
    'FAIL violations: 1',
  ])
})

it('a soak says what is wrong with its command line, or with its folder', async () => {
  expect(await run('--foo')).toMatchObject({ code: 2, out: expect.stringMatching(/'--foo'.*\nusage: /) })
  expect(await run('--hours', 'x')).toMatchObject({ code: 2, out: expect.stringMatching(/^usage: /) })
  const out = expect.stringMatching(/none\/soak\.jsonl: is not there/)
  expect(await run('--report', join(stage.path, 'none'))).toMatchObject({ code: 1, out })
})

it.runIf(process.env['SVC_TEST_LONG'] === '1')(
  'a soak of some minutes loses nothing that was acknowledged',
  { timeout: 600_000 },
  async () => {
    const { out } = await run('--minutes', '4', '--out', stage.path)
    expect(out).toContain('ok   violations: 0')
    expect(out).toContain('ok   the run came to its end')
    expect(out).toContain('ok   operations outside announced restarts')
  },
)
