import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { scenarioFile, svcSim } from './svc-sim.ts'

const lone = 'scenario: One server alone\ncluster: { dc1: { servers: { count: 1 } } }\n'
const sound = `${lone}steps:
  - step: it leads
    eventually: { within: 20s, leader: exactly one }
`
const failing = `${sound}  - step: nobody leads
    expect: { leader: none }
`

describe('svc-sim diff and fork', () => {
  it('show where a page that was edited parts from what it was, and that the failure does not depend on chance', async () => {
    const file = scenarioFile(failing)
    const [differ, fork] = await Promise.all([
      svcSim(['diff', scenarioFile(sound), file, '--seed', '3']),
      svcSim(['fork', file, '--seed', '3', '--at', '20ms', '--tries', '2', '--jobs', '1']),
    ])
    expect(differ).toMatchObject({ exit: 0, err: '' })
    // The one that fails is A, whichever was named first.
    expect(differ.out).toMatch(/^A: .*, seed 3: fails at \d+\.\d{6} s: .*expected leader: none.*\nB: .*: passes/)
    expect(differ.out).toMatch(/^first difference on the chain of causes \(of the \d+ events/m)
    expect(fork).toMatchObject({ exit: 0, err: '' })
    expect(fork.out).toContain(
      'different random numbers from 0.02s on: 2 of 2 (34..100 %) fail in the same way, 0 pass',
    )
  })
})

/** A checkout whose commits have a program that only says how it fails. */
class Repository {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-bisect-'))

  constructor() {
    this.git('init', '--quiet', '--initial-branch=main')
    mkdirSync(join(this.root, 'bin'))
    const program = `
      const fs = require('node:fs')
      const state = fs.readFileSync(__dirname + '/../state', 'utf8').trim()
      const failures = state.startsWith('good') ? [] : [{ code: state.slice(0, 2), place: state, message: 'said so' }]
      const verdict = failures.length > 0 ? 'failed' : 'passed'
      if (!fs.existsSync(__dirname + '/../built')) throw new Error('it was not built')
      console.log(JSON.stringify({ verdict, failures }))
      process.exitCode = failures.length`
    writeFileSync(join(this.root, 'bin/svc-sim.js'), program)
  }

  git(...argv: readonly string[]): string {
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false', '-C', this.root]
    return execFileSync('git', [...own, ...argv], { encoding: 'utf8' })
  }

  /** A commit in which the program is so; its name. */
  commit(state: string): string {
    writeFileSync(join(this.root, 'state'), `${state}\n`)
    this.git('add', '.')
    this.git('commit', '--quiet', '--message', `it is ${state}`)
    return this.git('rev-parse', '--short', 'HEAD').trim()
  }

  bisect(...flags: readonly string[]): ReturnType<typeof svcSim> {
    const build = 'grep -q broken state && echo no such type && exit 1; touch built'
    const argv = ['bisect', scenarioFile(sound), '--seed', '7', '--build', build, ...flags]
    return svcSim(argv, { cwd: this.root, environment: { TMPDIR: this.temporary } })
  }

  readonly temporary = mkdtempSync(join(tmpdir(), 'svc-bisect-tmp-'))

  close(): void {
    for (const folder of [this.root, this.temporary]) rmSync(folder, { recursive: true, force: true })
  }
}

describe('svc-sim bisect', () => {
  const repository = new Repository()
  afterAll(() => repository.close())
  const names = ['good 1', 'good 2', 'R6 1', 'broken', 'R1 1', 'R6 2', 'R6 3'].map((state) => repository.commit(state))

  it('names the commit, past those that do not build or fail in another way, and leaves nothing behind', async () => {
    const { exit, out, err } = await repository.bisect('--good', 'HEAD~6')
    expect(err).toBe('')
    expect(out).toContain('looking for the beginning of: R6 3: said so')
    expect(out).toContain(`the first bad commit: ${names[2]} it is R6 1\n`)
    expect(out).toMatch(/^ +state \| 2 \+-$/m)
    expect(exit).toBe(0)
    expect(readdirSync(repository.temporary)).toEqual([])
    expect(repository.git('status', '--porcelain')).toBe('')
  })
})
