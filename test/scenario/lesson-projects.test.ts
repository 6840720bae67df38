import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { projectRoot, svcSim } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
const solutions = join(projectRoot, 'test/scenario/projects')
const work = mkdtempSync(join(tmpdir(), 'svc-projects-'))
afterAll(() => rmSync(work, { recursive: true }))

/** A new folder in which this project was started. */
async function started(number: number): Promise<string> {
  const dir = mkdtempSync(join(work, `${number}-`))
  const { exit, out } = await svcSim(['lesson', 'project', 'start', `${number}`, dir])
  expect(out).toContain(`svc-sim lesson project check ${number} ${dir}`)
  expect(exit).toBe(0)
  return dir
}

async function graded(number: number, dir: string): Promise<{ readonly exit: number; readonly out: string }> {
  const { exit, out, err } = await svcSim(['lesson', 'project', 'check', `${number}`, dir])
  return { exit, out: `${out}${err}` }
}

function edit(file: string, edits: readonly (readonly [string, string])[]): void {
  const text = edits.reduce(
    (before, [replace, by]) => {
      expect(before).toContain(replace)
      return before.replace(replace, () => by)
    },
    readFileSync(file, 'utf8'),
  )
  writeFileSync(file, text)
}

describe('the project to write a checker', { timeout: 600_000 }, () => {
  async function withChecker(name: string): Promise<{ readonly exit: number; readonly out: string }> {
    const dir = await started(1)
    for (const file of readdirSync(join(solutions, 'checker')))
      cpSync(join(solutions, 'checker', file), join(dir, file))
    cpSync(join(solutions, 'checker', `${name}.mjs`), join(dir, 'checker.mjs'))
    return graded(1, dir)
  }

  it('accepts the model solution', async () => {
    const { exit, out } = await withChecker('model')
    expect(out).toMatch(/^(\d+) of \1 histories are judged rightly\nproject 1: accepted\n$/)
    expect(exit).toBe(0)
  })

  const wrong = ['unknown-is-nothing', 'no-time', 'known-values', 'by-returns']
  it.each(isLong ? wrong : wrong.slice(0, 1))('refuses %s, and shows a history', async (name) => {
    const { exit, out } = await withChecker(name)
    expect(out).toMatch(/this history is (?:not )?linearizable \(.+\):\n {2}/)
    expect(out).toContain('project 1: not accepted yet')
    expect(exit).toBe(1)
  })

  it('refuses what a student starts from, and says where a checker has failed', async () => {
    const dir = await started(1)
    expect((await graded(1, dir)).exit).toBe(1)
    writeFileSync(join(dir, 'checker.mjs'), 'export function isLinearizable() {\n  return undefined\n}\n')
    const { exit, out } = await graded(1, dir)
    expect(out).toContain('came to no verdict on history 1: nothing happened')
    expect(out).toContain('isLinearizable returned undefined, not true or false')
    expect(exit).toBe(1)
    const said = `console.log('{"verdict":')\n${readFileSync(join(dir, 'checker.mjs'), 'utf8')}`
    writeFileSync(join(dir, 'checker.mjs'), said)
    expect(await graded(1, dir)).toEqual({ exit, out })
  })

  it('says that there is no checker', async () => {
    const out = `${work}/nowhere/checker.mjs: there is no such file: check the path\nproject 1: not accepted yet\n`
    expect(await graded(1, join(work, 'nowhere'))).toEqual({ exit: 1, out })
  })
})

describe.runIf(isLong)('the project to mend the agent', { timeout: 1_200_000 }, () => {
  const renewal = [
    'if (isNew) {\n            this.#deadlines.set(id, atMs);\n            this.#alarm({ id, atMs });\n        }',
    'this.#deadlines.set(id, atMs);\n        if (isNew)\n            this.#alarm({ id, atMs });',
  ] as const
  const newLeader = [
    'this.measure();\n    }\n    close()',
    'for (const session of allSessions(server.read()))\n            this.extend(session);\n    }\n    close()',
  ] as const

  it.each<[string, number, readonly (readonly [string, string])[]]>([
    ['accepts both mistakes mended', 0, [renewal, newLeader]],
    ['refuses the module as it is', 1, []],
    ['refuses a renewal mended alone', 1, [renewal]],
    ['refuses a new leader mended alone', 1, [newLeader]],
    ['refuses sessions that live ten times as long', 1, [renewal, newLeader, ['graceFactor = 2', 'graceFactor = 20']]],
    ['refuses sessions that never end', 1, [renewal, newLeader, ['if (ttlMs === 0', 'if (ttlMs >= 0']]],
    ['refuses a module that does not load', 1, [['export class SessionExpiry', 'export klass SessionExpiry']]],
  ])('%s', async (_, wanted, edits) => {
    const dir = await started(2)
    edit(join(dir, 'duty.js'), edits)
    const { exit, out } = await graded(2, dir)
    expect(exit, out).toBe(wanted)
    expect(out).toContain(`project 2: ${wanted === 0 ? 'accepted' : 'not accepted yet'}`)
  })
})

describe.runIf(isLong)('the project to test a failover', { timeout: 1_200_000 }, () => {
  it.each<[string, number, RegExp]>([
    ['model', 0, /fails with 4 of 4 faulty clients\nproject 3: accepted/],
    ['nothing-fails', 1, /fails with [0-3] of 4 faulty clients\nproject 3: not accepted yet/],
    ['cannot-fail', 1, /fails with 0 of 4 faulty clients/],
    ['asks-too-much', 1, /does not pass with the sound client:/],
  ])('judges %s', async (name, wanted, says) => {
    const dir = await started(3)
    cpSync(join(solutions, 'failover', `${name}.mjs`), join(dir, 'failover.test.mjs'))
    const { exit, out } = await graded(3, dir)
    expect(out).toMatch(says)
    expect(exit).toBe(wanted)
  })
})

describe('svc-sim lesson project', () => {
  it('lists the projects, and knows no others', async () => {
    const { out } = await svcSim(['lesson', 'project', 'list'])
    expect(out.trimEnd().split('\n')).toHaveLength(3)
    const { exit, err } = await svcSim(['lesson', 'project', 'start', '4', join(work, 'none')])
    expect(err).toBe("there is no project '4': see svc-sim lesson project list\n")
    expect(exit).toBe(2)
  })

  it('keeps the files of a student, unless they are to be written anew', async () => {
    const dir = await started(1)
    const file = join(dir, 'checker.mjs')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, '// mine\n')
    expect((await svcSim(['lesson', 'project', 'start', '1', dir])).out).toContain(
      'Kept as you left them: README.md, checker.mjs',
    )
    expect(readFileSync(file, 'utf8')).toBe('// mine\n')
    await svcSim(['lesson', 'project', 'start', '1', dir, '--reset'])
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('lets a test of the third project find svc/sim in any folder', async () => {
    const dir = await started(3)
    expect(readFileSync(join(dir, 'node_modules/svc/sim.js'), 'utf8')).toContain(`${projectRoot}bin/sim.js`)
  })
})
