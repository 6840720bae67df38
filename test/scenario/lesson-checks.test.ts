import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { eventOf, readTrace } from '../../sim/cli/trace/events.ts'
import { isEvidence } from '../../sim/lessons/judge.ts'
import type { Lesson, Task, TaskOf } from '../../sim/lessons/lesson.ts'
import { loadLesson } from '../../sim/lessons/load.ts'
import { readPieces } from '../../sim/platform/input.ts'
import { recordWords } from '../../sim/report/record-text.ts'
import { oneJob, projectRoot, svcSim } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
const root = join(projectRoot, 'lessons')
const work = mkdtempSync(join(tmpdir(), 'svc-lessons-'))
afterAll(() => rmSync(work, { recursive: true }))

/** An edit of each page that its task allows, and that does not solve it. */
const wrongEdits: Readonly<Record<string, readonly [string, string]>> = {
  '01-elections': ['minority with the leader', 'one of followers'],
  '02-log-repair': ['within: 10s, leader: "${deaf}"', 'within: 20s, leader: "${deaf}"'],
  '03-quorum-loss': ['count: 3', 'count: 4'],
  '04-reads': ['color?raw, within: 20s', 'color?consistent&raw, within: 20s'],
  '06-gossip-and-suspicion': ['within: 3s', 'within: 2s'],
  '07-lifeguard': ['20ms..60ms', '30ms..60ms'],
  '08-anti-entropy': ['"ServiceID": "web"', '"ServiceID": "other"'],
  '09-blocking-queries': ['wait=30s', 'index=1&wait=30s'],
  '10-locks-and-fencing': ['takes the lock at once', 'takes the lock'],
  '11-tombstones': ['status: 404', 'status: 500'],
  '12-snapshots': ['wait=5s", within: 20s', 'wait=9s", within: 20s'],
  '13-members-and-autopilot': ['raft_multiplier: 1', 'raft_multiplier: 2'],
  '17-upgrades': ['to: 0.8.0, one by one: 10s', 'to: 0.8.0, one by one: 5s'],
  '18-dns-in-an-outage': ['max_stale: 5s', 'max_stale: 6s'],
}

/** A seed of the range that is not right. */
const wrongSeeds: Readonly<Record<string, number>> = { '01-elections': 1, '05-leases-and-clocks': 1 }

/** A lesson with every kind of task but seeds, which are judged by the same code as pages. */
const sample = ['09-blocking-queries']
const names = readdirSync(root).filter((name) => existsSync(join(root, name, 'lesson.yaml')))
const tried = isLong ? names : names.filter((name) => sample.includes(name))

interface Given {
  readonly line: string
  readonly event?: number
}

/** The work of a student on one lesson, by the commands alone. */
class Student {
  readonly lesson: Lesson
  readonly #name: string
  readonly #dir: string

  constructor(name: string) {
    const loaded = loadLesson(name, readFileSync(join(root, name, 'lesson.yaml'), 'utf8'))
    if (!loaded.ok) expect.fail(loaded.error.join('\n'))
    this.lesson = loaded.value
    this.#name = name
    this.#dir = join(work, name)
  }

  async command(...args: readonly string[]): Promise<{ exit: number; out: string; err: string }> {
    return svcSim(['lesson', ...args, '--dir', this.#dir])
  }

  file(name: string): string {
    return join(this.#dir, this.#name, name)
  }

  predict(): void {
    writeFileSync(this.file('answers.yaml'), 'prediction: I do not know\nanswers: {}\n')
    const progress = join(this.#dir, 'progress.json')
    const { lessons, ...others } = JSON.parse(readFileSync(progress, 'utf8'))
    lessons[this.#name].predicted = true
    writeFileSync(progress, JSON.stringify({ ...others, lessons }))
  }

  edit({ page }: TaskOf<'page'>, edits: readonly { readonly replace: string; readonly by: string }[]): void {
    const original = readFileSync(join(root, this.#name, page), 'utf8')
    const text = edits.reduce((before, { replace, by }) => {
      expect(before).toContain(replace)
      return before.replace(replace, () => by)
    }, original)
    writeFileSync(this.file(page), text)
  }

  /** The verdicts on all tasks, in their order. */
  async check(
    answers: ReadonlyMap<number, Given>,
  ): Promise<{ exit: number; verdicts: readonly string[]; out: string }> {
    const given = [...answers].map(([number, { line, event }]) => [
      number,
      event === undefined ? line : { cause: line, event },
    ])
    writeFileSync(
      this.file('answers.yaml'),
      JSON.stringify({ prediction: 'I do not know', answers: Object.fromEntries(given) }),
    )
    const { exit, out, err } = await this.command('check', this.#name, ...oneJob)
    const verdicts = [...out.matchAll(/^ {2}\d {2}(right|wrong|open)/gm)].map(([, verdict = '']) => verdict)
    return { exit, verdicts, out: `${out}${err}` }
  }

  /** The first event of the trace of a task that shows its cause. */
  async evidence(task: TaskOf<'cause'>, number: number): Promise<number> {
    const { exit } = await this.command('run', this.#name, '--task', String(number))
    expect(exit).toBe(1)
    let found: number | undefined
    const read = await readTrace({ readPieces }, this.file(`task-${number}.jsonl.gz`), {
      onHeader: () => true,
      onLine: (line) => {
        const record = eventOf(line)
        if (!record.ok) return record
        const told = { atUs: line.t, node: record.value.node, words: recordWords(record.value) }
        if (isEvidence(task, told)) found ??= line.n
        return { ok: true, value: found === undefined }
      },
    })
    if (!read.ok) expect.fail(read.error)
    if (found === undefined) expect.fail(`no event of the trace matches ${task.evidence.says}`)
    return found
  }
}

async function rightAnswers(student: Student): Promise<Map<number, Given>> {
  const answers = new Map<number, Given>()
  for (const [at, task] of student.lesson.tasks.entries()) {
    if (task.kind === 'page') student.edit(task, task.solution)
    else answers.set(at + 1, await rightAnswer(student, task, at + 1))
  }
  return answers
}

async function rightAnswer(student: Student, task: Exclude<Task, { kind: 'page' }>, number: number): Promise<Given> {
  if (task.kind === 'choice') return { line: task.right }
  if (task.kind === 'seed') return { line: String(task.solution) }
  return { line: task.right, event: await student.evidence(task, number) }
}

/** Another letter, a seed that is not right, the right cause with an event that does not show it. */
function wrongAnswers(name: string, { tasks }: Lesson): Map<number, Given> {
  const answers = new Map<number, Given>()
  for (const [at, task] of tasks.entries()) {
    if (task.kind === 'choice') answers.set(at + 1, { line: task.right === 'a' ? 'b' : 'a' })
    if (task.kind === 'seed') answers.set(at + 1, { line: String(wrongSeeds[name]) })
    if (task.kind === 'cause') answers.set(at + 1, { line: task.right, event: 1 })
  }
  return answers
}

describe.each(tried)('svc-sim lesson check of %s', { timeout: 600_000 }, (name) => {
  const student = new Student(name)

  it('accepts what is right in every task', async () => {
    expect((await student.command('start', name)).exit).toBe(0)
    student.predict()
    const { exit, verdicts, out } = await student.check(await rightAnswers(student))
    expect(verdicts, out).toEqual(student.lesson.tasks.map(() => 'right'))
    expect(exit).toBe(0)
    expect(out).toContain('READ ON:')
  })

  it('refuses what is wrong in every task', async () => {
    const edit = wrongEdits[name]
    for (const task of student.lesson.tasks) {
      if (task.kind !== 'page') continue
      if (edit === undefined) expect.fail(`${name} has no wrong edit here`)
      student.edit(task, [{ replace: edit[0], by: edit[1] }])
    }
    const { verdicts, out } = await student.check(wrongAnswers(name, student.lesson))
    expect(verdicts, out).toEqual(student.lesson.tasks.map(() => 'wrong'))
  })
})

describe('svc-sim lesson', () => {
  const student = new Student('09-blocking-queries')
  const inOther = (...args: readonly string[]) => svcSim(['lesson', ...args, '--dir', join(work, 'other')])

  it('lists lessons with what is done of them', async () => {
    const { exit, out } = await student.command('list')
    expect(exit).toBe(0)
    expect(out.trimEnd().split('\n')).toHaveLength(names.length)
    expect(out).toMatch(/^ {2}9 {2}Blocking queries +40 min {2}done$/m)
  })

  it('says what is wrong with the command', async () => {
    expect(await inOther('start', '99')).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/there is no lesson '99'/),
    })
    expect(await inOther('check')).toMatchObject({ exit: 2, err: 'no lesson is started: svc-sim lesson start 1\n' })
    expect(await inOther('start', '1')).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/Lesson 1: Elections[\s\S]*PREDICT/),
    })
  })

  it('shows no run before a prediction, and judges nothing before the run', async () => {
    expect(await inOther('run')).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/^write your prediction into .*answers\.yaml first/),
    })
    expect(await inOther('check')).toMatchObject({
      exit: 2,
      err: 'predict and see the run first: svc-sim lesson run 1\n',
    })
  })

  it('keeps the files of a student, unless they are to be written anew', async () => {
    const answers = join(work, 'other/01-elections/answers.yaml')
    writeFileSync(answers, 'prediction: mine\nanswers: {}\n')
    expect((await inOther('start', '1')).out).toMatch(/Kept as you left them: .*answers\.yaml/)
    expect(readFileSync(answers, 'utf8')).toContain('mine')
    await inOther('start', '1', '--reset')
    expect(readFileSync(answers, 'utf8')).not.toContain('mine')
  })

  it('says where the answers or the progress cannot be read', async () => {
    const folder = join(work, 'other')
    writeFileSync(join(folder, '01-elections/answers.yaml'), 'prediction: [\n')
    expect(await inOther('run')).toMatchObject({ exit: 2, err: expect.stringMatching(/answers\.yaml:\d+:\d+: /) })
    writeFileSync(join(folder, 'progress.json'), '{')
    expect(await inOther('list')).toMatchObject({ exit: 2, err: expect.stringMatching(/progress\.json: is not JSON/) })
  })
})
