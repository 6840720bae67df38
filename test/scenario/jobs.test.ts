import { describe, expect, it, onTestFinished } from 'vitest'
import { createWorkshop } from '../../sim/platform/program-copy.ts'
import { projectRoot, scenarioFile, svcSim, traceHashOf } from './svc-sim.ts'

const page = `scenario: One server
cluster:
  dc1:
    servers: { count: 1 }
    config: { performance: { raft_multiplier: 1 } }
steps:
  - step: it elects itself
    eventually: { within: 20s, leader: exactly one }
`

/**
 * What happens to a seed of the planted program: each of these ends its worker, but the last, which fails where its
 * process ran another seed before. With several jobs the clock decides which process that is, so one job shows it.
 * Seed 6 asks for more than the heap at once: filling it by small pieces costs CPU time, which may count as a stall.
 */
const planted = `
    const { seed } = this.#options;
    globalThis.runs = (globalThis.runs ?? 0) + 1;
    if (seed === 2) (function hang() { for (;;) ; })();
    if (seed === 4) process.kill(process.pid, 'SIGKILL');
    if (seed === 6) for (const kept = [];;) kept.push(new Array(30_000_000).fill(seed));
    if (seed === 8 && globalThis.runs > 1) this.fail(['steps', 0], 'something was left');
`

/** What `svc-sim run` of the planted program says, with small heaps. */
async function runOfPlantedCopy(...flags: readonly string[]) {
  const workshop = createWorkshop(projectRoot)
  const file = 'sim/scenario/run.js'
  const pieces = (workshop.read(file) ?? '').split('    async run() {\n')
  expect(pieces).toHaveLength(2)
  const copy = workshop.copy(new Map([[file, pieces.join(`    async run() {${planted}`)]]), 'linked')
  const environment = { ...process.env }
  process.env['NODE_OPTIONS'] = '--max-old-space-size=200'
  onTestFinished(() => {
    process.env = environment
    copy.remove()
  })
  const lines: string[] = []
  const { exit, error } = await copy.run(['run', scenarioFile(page), ...flags], (line) => lines.push(line))
  const text = lines.join('\n')
  return { exit, error, text, verdicts: text.match(/(?<=^seed )\d+, [a-zA-Z ]+/gm) }
}

// Where workers hang, die and run out of memory, a slow machine takes minutes.
describe('svc-sim run --jobs', { timeout: 600_000 }, () => {
  it('gives each seed the same trace with one job, with two, and alone, and tells them in their order', async () => {
    const files = [scenarioFile(page), scenarioFile(page.replace('One server', 'Another server'))]
    const hashes = async (...flags: readonly string[]): Promise<readonly string[]> => {
      const { exit, out } = await svcSim(['run', ...files, '--seeds', '1..5', '--json', ...flags])
      expect(exit).toBe(0)
      const records = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(records.map(({ file, seed }) => [file, seed])).toEqual(
        files.flatMap((file) => [1, 2, 3, 4, 5].map((seed) => [file, seed])),
      )
      return records.map(({ trace }) => trace)
    }
    const two = await hashes('--jobs', '2')
    expect(await hashes('--jobs', '1', '--verify')).toEqual(two)
    expect(traceHashOf(await svcSim(['run', files[1] ?? '', '--seed', '4']))).toBe(two[8])
  })

  it('gives a seed that hangs, dies, runs out of memory or meets what others left a verdict, and goes on', async () => {
    const { exit, error, text, verdicts } = await runOfPlantedCopy('--seeds', '2..9', '--jobs', '1', '--stall', '2')
    expect(verdicts, error).toEqual([
      '2, STUCK',
      '3, passed',
      '4, DIED',
      '5, passed',
      '6, OUT OF MEMORY',
      '7, passed',
      '8, LEFTOVER STATE',
      '9, passed',
    ])
    expect(text).toMatch(
      /^virtual time stands still at 0\.000000 s for \d+ s of CPU time in \d+ s\n {2}at hang \(dist\/sim/m,
    )
    expect(text).toMatch(/^its process ended: signal SIGKILL\na fresh process ended in the same way$/m)
    expect(text).toMatch(/^its process ended: signal SIGABRT\n.*heap out of memory/m)
    expect(text).toMatch(
      /^in a process that had run other seeds: failed, .*: something was left\nin a fresh process: passed/m,
    )
    expect(text).toMatch(/^seed 4; repeat with: svc-sim run \S+ --seed 4$/m)
    expect(text).toMatch(/^One server: 4 of 8 seeds failed$/m)
    // That of the gravest, which is that of the state that was left.
    expect(exit).toBe(3)
  })

  it('stops at the first seed in the order of seeds that fails, whichever failed first by the clock', async () => {
    const file = scenarioFile(page.replace('within: 20s', 'within: 1ms'))
    const { exit, out } = await svcSim(['run', file, '--seeds', '3..500', '--until-failure', '--jobs', '2'])
    expect(out.match(/^seed \d+, FAILED/gm)).toEqual(['seed 3, FAILED'])
    expect(out).toMatch(/: stopped at the first seed that failed$/m)
    expect(exit).toBe(1)
  })

  it.each(['0', '257', 'all'])('refuses --jobs %s with exit code 2', async (jobs) => {
    expect(await svcSim(['run', scenarioFile(page), '--jobs', jobs])).toMatchObject({ exit: 2 })
  })
})
