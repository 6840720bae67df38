import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LessonRoom } from '../../../sim/cli/play/lesson-room.ts'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { createTextFile } from '../../../sim/platform/text-file.ts'
import type { PlayLessonTold } from '../../../sim/play/lessons-api.ts'
import type { Result } from '../../../src/base/result.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { hostDisk } from '../../../src/host/disk.ts'
import { smallLessonText } from '../sim-lessons/small-lesson.ts'

const base = mkdtempSync(join(tmpdir(), 'svc-lessons-'))
const folder = join(base, 'lessons/01-small')
const work = join(base, 'work')
const calm = `scenario: Calm
cluster: { dc1: { servers: { count: 3 }, config: { performance: { raft_multiplier: 1 } } } }
steps:
  - { step: they elect a leader, eventually: { within: 10s, leader: exactly one } }
  - { step: time passes, wait: 1s }
`
/** Arguments with which the program was run once more. */
const another: (readonly string[])[] = []

const terminal = {
  disk: hostDisk,
  createPlatform,
  createTextFile,
  gzip: gzipSync,
  pageTemplate: () => '<title><!-- title --></title><!-- film -->',
  shippedLessons: () => [join(folder, 'lesson.yaml')],
  host: { crypto: hostCrypto },
  every: () => ({ close: () => undefined }),
  wallMs: () => 0,
  cpuMs: () => 0,
  screen: { live: false, columns: 100, colour: false },
  environment: new Map<string, string>(),
  build: 'test',
  version: '1.4.0',
  out: () => undefined,
  error: () => undefined,
  /** In this process, which is quicker. */
  runAnother: async (argv: readonly string[], onLine: (line: string) => void) => {
    another.push(argv)
    const said = { out: '', error: '' }
    const out = (text: string): void => {
      said.out += text
    }
    const error = (text: string): void => {
      said.error += text
    }
    const exit = await runSimCli(argv, { ...terminal, out, error } as unknown as SimTerminal)
    for (const line of said.out.split('\n')) onLine(line)
    return { exit, error: said.error }
  },
}

function known<T>(result: Result<T, string>): T {
  if (!result.ok) expect.fail(result.error)
  return result.value
}

describe('lessons in the page of play', () => {
  const room = new LessonRoom(terminal as unknown as SimTerminal, work)
  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
    mkdirSync(join(base, 'scenarios'))
    writeFileSync(join(folder, 'lesson.yaml'), smallLessonText)
    writeFileSync(join(folder, 'calm.yaml'), calm)
    writeFileSync(join(base, 'scenarios/swarm.yaml'), calm)
  })
  afterAll(() => rmSync(base, { recursive: true, force: true }))

  it('are listed; a started one has its reading, and hides its tasks and the answer before the prediction', async () => {
    const line = { number: 1, name: '01-small', title: 'Small', minutes: 5, tasks: 4, right: 0 }
    expect(known(await room.list())).toEqual({ lessons: [line], current: null })
    expect(await room.run({ name: '01-small' })).toMatchObject({ ok: false })
    const started = known(await room.start('01-small'))
    expect(started).toMatchObject({ ...line, reading: 'Read this.', question: 'What happens?', shown: null })
    expect(JSON.stringify(started)).not.toContain('Nothing.')
    expect(known(await room.list()).current).toBe('01-small')
    expect(await room.run({ name: '01-small' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('prediction'),
    })
    expect(await room.start('02-none')).toMatchObject({ ok: false, error: expect.stringContaining('no lesson') })
  })

  it('run once there is a prediction, and show the run, its picture, and the tasks', async () => {
    const prediction = 'It holds: "yes",\nand goes on.'
    const told: PlayLessonTold = known(await room.run({ name: '01-small', prediction }))
    expect(told.text).toMatch(/they elect a leader.*passed: Calm/s)
    expect(told.text).not.toContain('TASKS')
    expect(told.lesson).toMatchObject({ prediction, shown: { answer: 'Nothing.', look: 'Look at s1.', readOn: [] } })
    expect(told.lesson.shown?.tasks.map(({ kind, page, seeds }) => [kind, page?.name, seeds])).toEqual([
      ['choice', undefined, null],
      ['page', 'calm.yaml', null],
      ['seed', undefined, '1..9'],
      ['cause', undefined, null],
    ])
    expect(JSON.stringify(told.lesson)).not.toContain('Because.')
    const secret = /^\/picture\/([0-9a-f]{32})$/.exec(told.picture ?? '')?.[1] ?? ''
    expect(await room.picture(secret)).toMatch(/^<title>Calm, seed 1<\/title>/)
    expect(await room.picture('00')).toBeUndefined()
  })

  it('are checked with the answers and pages that are sent, and kept in the files of svc-sim lesson', async () => {
    const answers = { 1: { line: 'b', event: '' }, 3: { line: '77', event: '' }, 4: { line: '', event: '' } }
    const edited = `${calm}# an own word\n`
    const told = known(await room.check({ name: '01-small', answers, pages: { 2: edited } }))
    expect(told.text).toMatch(/1 {2}right +Because\.\n +2 {2}open .*\n +3 {2}wrong +77 is no seed of 1\.\.9/)
    expect(told.lesson.right).toBe(1)
    expect(told.lesson.shown?.tasks.map(({ answer, tries, isRight }) => [answer.line, tries, isRight])).toEqual([
      ['b', 1, true],
      ['', 0, false],
      ['77', 1, false],
      ['', 0, false],
    ])
    expect(told.lesson.shown?.tasks[1]?.page?.text).toBe(edited)
    expect(told.lesson.prediction).toContain('and goes on.')
    expect(another.at(-1)).toEqual(['lesson', 'check', '01-small', '--dir', work])
    expect(JSON.parse(readFileSync(join(work, 'progress.json'), 'utf8')).lessons['01-small'].tasks['1'].right).toBe(
      true,
    )
    expect(await room.check({ name: '01-small', answers: {}, pages: { 1: '' } })).toMatchObject({
      ok: false,
      error: 'task 1 of lesson 1 has no page to edit',
    })
  })
})
