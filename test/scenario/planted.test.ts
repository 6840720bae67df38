import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { projectRoot, svcSim } from './svc-sim.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-planted-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Found by its hunt soon with seed 2. */
const bug = ['--bug', 'tail-kept']

describe('a planted bug', () => {
  it('fails under run, and its records lead only to a program that has it, too', async () => {
    const records = join(folder, 'records.jsonl')
    const { exit, out, err } = await svcSim(['run', ...bug, '--seed', '2', '--story', 'none', '--jsonl', records])
    expect([exit, err]).toEqual([1, ''])
    const run = 'scenarios/hunts/long-tails.yaml --seed 2 --bug tail-kept'
    expect(out).toMatch(/^ +\d+\.\d+s P1 \(no panic\): s\d panics: log entries follow each other/m)
    expect(out).toContain(`seed 2; repeat with: svc-sim run ${run}\n`)
    expect(out).toContain(`explain it with: svc-sim explain ${run}\n`)
    expect(JSON.parse(readFileSync(records, 'utf8'))).toMatchObject({ verdict: 'failed', planted: '--bug tail-kept' })
    const without = await svcSim(['shrink', records])
    expect(without).toMatchObject({ exit: 2, out: '' })
    expect(without.err).toContain('its runs were of a program with --bug tail-kept: give --bug tail-kept')
  })

  it('shows what its nodes are at a time', async () => {
    const { exit, out, err } = await svcSim(['inspect', ...bug, '--seed', '1', '--at', '1s', '--node', 's2', '--json'])
    expect([exit, err]).toEqual([0, ''])
    expect(JSON.parse(out)).toMatchObject({ node: 's2', atUs: 1_000_000 })
  })

  it.each([['self-test'], ['run', '--seeds', '2..1000']])(
    'ends by a signal as a shell reports it, and leaves no copy of the program behind: %s',
    async (...args) => {
      const TMPDIR = join(folder, args[0])
      mkdirSync(TMPDIR)
      const child = spawn(process.execPath, [join(projectRoot, 'bin/svc-sim.js'), ...args, ...bug, '--jobs', '1'], {
        cwd: projectRoot,
        env: { ...process.env, TMPDIR },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit')
      if (args[0] === 'run') await once(child.stdout, 'data')
      else await expect.poll(() => readdirSync(TMPDIR)).toEqual([expect.stringMatching(/^svc-self-test-/)])
      child.kill('SIGTERM')
      expect(await ended).toEqual([143, null])
      expect(readdirSync(TMPDIR)).toEqual([])
    },
  )
})
