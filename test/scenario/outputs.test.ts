import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seedRecordSchema } from '../../sim/report/seed-record.ts'
import { junitProblems } from '../tools/junit-shape.ts'
import { oneJob, projectRoot, scenarioFile, svcSim } from './svc-sim.ts'

const page = `scenario: One server
about: |
  It elects itself,
  and that is all.
cluster:
  dc1:
    servers: { count: 1 }
steps:
  - step: it leads
    eventually: { within: 20s, leader: exactly one }
`
const hopeless = page.replace('One server', 'No time').replace('20s', '1ms')

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-outputs-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const records = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => seedRecordSchema.parse(JSON.parse(line)))

describe('what svc-sim run gives to programs', () => {
  it('is JSON lines of one schema, JUnit, and annotations of GitHub, for many seeds of many files', async () => {
    const [good, bad] = [scenarioFile(page), scenarioFile(hopeless)]
    const [jsonl, junit] = [join(folder(), 'seeds.jsonl'), join(folder(), 'report.xml')]
    const flags = ['--seeds', '3..4', '--verify', '--jsonl', jsonl, '--junit', junit, ...oneJob]
    const environment = { GITHUB_ACTIONS: 'true' }
    const { exit, out } = await svcSim(['run', good, bad, ...flags], { environment })
    expect(exit).toBe(1)
    const written = records(readFileSync(jsonl, 'utf8'))
    expect(written.map(({ file, seed, verdict, verified }) => [file, seed, verdict, verified])).toEqual([
      [good, 3, 'passed', true],
      [good, 4, 'passed', true],
      [bad, 3, 'failed', true],
      [bad, 4, 'failed', true],
    ])
    expect(new Set(written.map(({ build }) => build)).size).toBe(1)
    expect(new Set(written.map(({ page }) => page)).size).toBe(2)
    expect(written[0]?.counts['R1']?.facts).toBeGreaterThan(0)
    const report = readFileSync(junit, 'utf8')
    expect(junitProblems(report)).toEqual([])
    expect(report).toContain(`repeat with: svc-sim run ${bad} --seed 4`)
    expect(out.match(/^::error file=.*test\.yaml,line=\d+,col=\d+,title=seed [34]%3A failed::/gm)).toHaveLength(2)
    expect(out).toMatch(/^total: 2 scenarios, 4 seeds, 2 failed, in \d+\.\d s$/m)
  })

  it('is the same line with --json, for one seed, too, and nothing else is on standard output', async () => {
    const file = scenarioFile(hopeless)
    const [jsonl, junit] = [join(folder(), 'seeds.jsonl'), join(folder(), 'report.xml')]
    const argv = ['run', file, '--seed', '3', '--json', '--verify', '--jsonl', jsonl, '--junit', junit]
    const { exit, out } = await svcSim(argv)
    expect(exit).toBe(1)
    expect(records(out)).toEqual(records(readFileSync(jsonl, 'utf8')))
    expect(records(out)).toMatchObject([{ seed: 3, verdict: 'failed', verified: true }])
    expect(junitProblems(readFileSync(junit, 'utf8'))).toEqual([])
  })

  it('is whole though the trace could not be written, which the exit code says', async () => {
    const file = scenarioFile(page)
    const [jsonl, junit] = [join(folder(), 'seeds.jsonl'), join(folder(), 'report.xml')]
    const flags = ['--trace-text', '/dev/full', '--jsonl', jsonl, '--junit', junit]
    const { exit, out, err } = await svcSim(['run', file, ...flags])
    expect(exit).toBe(2)
    expect(err).toBe('/dev/full: was not written whole (ENOSPC)\n')
    expect(out).toMatch(/^passed: One server/m)
    expect(records(readFileSync(jsonl, 'utf8'))).toMatchObject([{ verdict: 'passed' }])
    expect(junitProblems(readFileSync(junit, 'utf8'))).toEqual([])
  })

  it('does not end as if a seed had failed when the program itself has an error', async () => {
    const throws = `if (!process.argv.includes('pool-worker')) setTimeout(() => { throw new Error('planted') }, 500)`
    const nodeFlags = ['--import', `data:text/javascript,${encodeURIComponent(throws)}`]
    const { exit, err } = await svcSim(['run', scenarioFile(page), '--seeds', '1..99999'], { nodeFlags })
    expect(err).toContain('svc-sim: fatal: Error: planted')
    expect(exit).toBe(70)
  })

  it('has as many seeds as a report can hold, and no more', async () => {
    const flags = ['--seeds', '1..99999999999', '--junit', join(folder(), 'report.xml')]
    const { exit, err } = await svcSim(['run', scenarioFile(page), ...flags])
    expect(exit).toBe(2)
    expect(err).toMatch(/^--junit holds a case for each seed of a scenario, 100000 at most/)
  })

  it('ends, quietly and with 141, when its reader has gone, and runs no further seeds', async () => {
    const argv = [join(projectRoot, 'bin/svc-sim.js'), 'run', scenarioFile(page), '--seeds', '1..99999999999']
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
    child.stdout.once('data', () => child.stdout.destroy())
    const [exit] = await once(child, 'close')
    expect(exit).toBe(141)
    expect(err).not.toMatch(/EPIPE|fatal|\n +at /)
  })

  it('ends with the code for a file that is not whole where standard output is on a full disk', async () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const argv = [join(projectRoot, 'bin/svc-sim.js'), 'run', scenarioFile(page)]
    const child = spawn(process.execPath, argv, { stdio: ['ignore', full, 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let err = ''
    child.stderr?.setEncoding('utf8').on('data', (text) => (err += text))
    const [exit] = await once(child, 'close')
    expect({ exit, err }).toEqual({ exit: 2, err: 'standard output was not written whole (ENOSPC)\n' })
  })

  it('is refused before anything runs where a file cannot be written', async () => {
    const file = scenarioFile(page)
    for (const flag of ['--jsonl', '--junit']) {
      const path = join(folder(), 'nowhere/at.all')
      expect(await svcSim(['run', file, flag, path])).toEqual({
        exit: 2,
        out: '',
        err: `${path}: cannot be written (not-found): name another file\n`,
      })
    }
  })
})

describe('a page of JSON in one line', () => {
  it('is a page for commands that take records, too', async () => {
    const value = {
      scenario: 'JSON',
      cluster: { dc1: { servers: { count: 1 } } },
      steps: [{ step: 'it leads', eventually: { within: '1ms', leader: 'exactly one' } }],
    }
    const { exit, out } = await svcSim(['explain', scenarioFile(JSON.stringify(value)), '--no-blame'])
    expect(exit).toBe(0)
    expect(out).toMatch(/test\.yaml:1:\d+ is not met at /)
  })
})

describe('a file that is written at the end of a long command', () => {
  it.each([
    ['shrink', '-o'],
    ['fork', '--curve', '--svg'],
    ['mutate', '--room', 'src/base/bytes.ts', '--list', '--markdown'],
    ['self-test', '--bug', 'tail-kept', '--trace'],
  ])('%s is refused before anything runs where it cannot be written', async (command, ...flags) => {
    const path = join(folder(), 'nowhere/at.all')
    const files = ['mutate', 'self-test'].includes(command) ? [] : [scenarioFile(page)]
    expect(await svcSim([command, ...files, ...flags, path])).toEqual({
      exit: 2,
      out: '',
      err: `${path}: cannot be written (not-found): name another file\n`,
    })
  })

  it.each([
    ['shrink', '-o'],
    ['explain', '--html'],
  ])('of %s is not there, nor is one that was there changed, if there is nothing to write', async (command, flag) => {
    const out = join(folder(), 'at.all')
    const argv = [command, scenarioFile(page), flag, out, '--runs', '1']
    const refused = { exit: 2, err: expect.stringContaining(`does not fail: there is nothing to ${command}`) }
    expect(await svcSim(argv)).toMatchObject(refused)
    expect(existsSync(out)).toBe(false)
    writeFileSync(out, 'kept')
    expect(await svcSim(argv)).toMatchObject(refused)
    expect(readFileSync(out, 'utf8')).toBe('kept')
  })

  it('is printed if there is no room for it', async () => {
    const { exit, out, err } = await svcSim(['shrink', scenarioFile(hopeless), '-o', '/dev/full', '--runs', '1'])
    expect(exit).toBe(2)
    expect(err).toBe('/dev/full: was not written whole (full)\n')
    expect(out).toMatch(/^scenario: No time, shrunk$/m)
  })
})

describe('what svc-sim run tells people', () => {
  it('has commands that a shell takes, whatever a file is called', async () => {
    const path = join(folder(), "two words, it's")
    mkdirSync(path)
    const [file, list] = [join(path, 'a.yaml'), join(path, 'list')]
    writeFileSync(file, hopeless)
    const word = (name: string): string => `'${name.replace("'", `'\\''`)}'`
    const { out } = await svcSim(['run', file, '--decisions', list])
    expect(out).toContain(`repeat with: svc-sim run ${word(file)} --seed 1\n`)
    expect((await svcSim(['run', file, '--replay', list])).out).toContain(` --replay ${word(list)}\n`)
    expect((await svcSim(['fork', file, '--at', '0s', '--tries', '1', ...oneJob])).out).toContain(
      `svc-sim run ${word(file)} --seed 1 --fork 0ms:1\n`,
    )
    const shrunk = join(path, 'a.shrunk.yaml')
    expect((await svcSim(['shrink', file, '--runs', '1', ...oneJob])).out).toContain(`svc-sim run ${word(shrunk)}\n`)
    expect(readFileSync(shrunk, 'utf8')).toContain(`svc-sim shrink ${word(file)} --seed 1`)
  })

  it('begins, for one seed, with what the scenario is about', async () => {
    const { out } = await svcSim(['run', scenarioFile(page)])
    expect(out).toMatch(/^One server\n {2}It elects itself, and that is all\.\n +0\.000s \* it leads\n/)
  })

  it('leaves out seeds that passed with --quiet, and has no colour where the output is no terminal', async () => {
    const [good, bad] = [scenarioFile(page), scenarioFile(hopeless)]
    const { out } = await svcSim(['run', good, bad, '--seeds', '1..2', '--quiet', ...oneJob])
    expect(out.match(/^seed \d+, [A-Za-z]+/gm)).toEqual(['seed 1, FAILED', 'seed 2, FAILED'])
    expect(out).toMatch(/^One server: all 2 seeds passed$/m)
    expect(out).not.toContain('\u001b')
  })
})
