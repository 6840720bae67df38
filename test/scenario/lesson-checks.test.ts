import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { eventOf, readTrace } from '../../sim/cli/trace/events.ts'
import { type Failure, failureIn, isEvidence, type ToldEvent } from '../../sim/lessons/evidence.ts'
import type { Lesson, Task, TaskOf } from '../../sim/lessons/lesson.ts'
import { loadLesson } from '../../sim/lessons/load.ts'
import { readPieces } from '../../sim/platform/input.ts'
import { recordWords } from '../../sim/report/record-text.ts'
import { oneJob, projectRoot, svcSim } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
const root = join(projectRoot, 'lessons')
const work = mkdtempSync(join(tmpdir(), 'svc-lessons-'))
afterAll(() => rmSync(work, { recursive: true }))

type Edit = readonly [replace: string, by: string]

/** Three edits of each page that do not solve its task: two that it allows, and one of what may not change, mostly. */
const wrongEdits: Readonly<Record<string, readonly [Edit, Edit, Edit]>> = {
  '01-elections': [
    ['minority with the leader', 'one of followers'],
    ['minority with the leader', 'leader'],
    ['partition: ${its side}', 'wait: 1s'],
  ],
  '02-log-repair': [
    ['within: 10s, leader: "${deaf}"', 'within: 20s, leader: "${deaf}"'],
    ['within: 10s, leader: "${deaf}"', 'within: 10s, leader: none'],
    ['crash: ${first}', 'wait: 1s'],
  ],
  '03-quorum-loss': [
    ['count: 3', 'count: 4'],
    ['count: 3', 'count: 2'],
    ['count: 3', 'count: 7'],
  ],
  '04-reads': [
    ['color?raw, within: 20s', 'color?consistent&raw, within: 20s'],
    ['status: 200, body: blue', 'status: 200, body: green'],
    ['partition: ${apart}', 'wait: 1s'],
  ],
  '06-gossip-and-suspicion': [
    ['within: 3s', 'within: 2s'],
    ['within: 3s', 'within: 10m'],
    ['crash: c4', 'wait: 1s'],
  ],
  '07-lifeguard': [
    ['20ms..60ms', '30ms..60ms'],
    ['20ms..60ms, loss: 1%', '100ms..200ms, loss: 0%'],
    ['wait: 30s', 'wait: 10m'],
  ],
  '08-anti-entropy': [
    ['"ServiceID": "web"', '"ServiceID": "other"'],
    ['"Node": "c1", "ServiceID": "web"', '"Node": "c1"'],
    ['wait: 130s', 'wait: 1s'],
  ],
  '09-blocking-queries': [
    ['wait=30s', 'index=1&wait=30s'],
    ['color?raw&wait=30s', 'color?raw&index=${first.index}&wait=1ms'],
    ['status: 200, body: green', 'status: 200, body: blue'],
  ],
  '10-locks-and-fencing': [
    ['takes the lock at once', 'takes the lock'],
    ['- step: the second session takes', '- step: five seconds pass\n    wait: 5s\n  - step: the second session takes'],
    ['"LockDelay": "15s"', '"LockDelay": "0s"'],
  ],
  '11-tombstones': [
    ['status: 404', 'status: 200'],
    ['status: 404', 'status: 200, body: "[]"'],
    ['within: 1s, save: after', 'within: 20s, save: after'],
  ],
  '12-snapshots': [
    ['wait=5s", within: 20s', 'wait=9s", within: 20s'],
    ['status: 200, body: red', 'status: 404'],
    ['status: 200, body: red', 'status: 200, body: blue'],
  ],
  '13-members-and-autopilot': [
    ['raft_multiplier: 1', 'raft_multiplier: 2'],
    ['config: {', 'config: { autopilot: { min_quorum: 3 },'],
    ['config: {', 'config: { autopilot: { cleanup_dead_servers: false },'],
  ],
  '17-upgrades': [
    [
      `nodes: s1, to: 0.8.0 }
  - step: and the others
    upgrade: { nodes: "s2, s3", to: 0.8.0, one by one: 10s }`,
      `nodes: "s2, s3", to: 0.8.0, one by one: 10s }
  - step: and the others
    upgrade: { nodes: s1, to: 0.8.1 }`,
    ],
    ['nodes: "s2, s3", to: 0.8.0, one by one: 10s', 'nodes: s2, to: 0.8.0'],
    ['transfer leadership: { to: s1 }', 'transfer leadership: { to: s2 }'],
  ],
  '18-dns-in-an-outage': [
    ['max_stale: 5s', 'max_stale: 6s'],
    ['max_stale: 5s', 'allow_stale: false'],
    ['max_stale: 5s', 'max_stale: 30s'],
  ],
}

/** Answers to a task that asks for a seed: seeds of the range that are not right, or none of it. */
const wrongSeeds: Readonly<Record<string, readonly [string, string, string]>> = {
  '01-elections': ['1', '6', '101'],
  '05-leases-and-clocks': ['1', '3', 'two'],
}

/** One of the shortest: most lessons take a minute of CPU time and more. */
const sample = ['11-tombstones']
const names = readdirSync(root).filter((name) => existsSync(join(root, name, 'lesson.yaml')))
const tried = isLong ? names : names.filter((name) => sample.includes(name))

interface Given {
  readonly line: string
  readonly event?: number
}

interface EventsOfCause {
  readonly shows: number
  readonly other: number
}

/** The work of a student on one lesson, by the commands alone. */
class Student {
  readonly lesson: Lesson
  readonly #name: string
  readonly #dir: string
  /** A lesson has one task that asks for a cause. */
  #events: Promise<EventsOfCause> | undefined

  constructor(name: string, dir = name) {
    const loaded = loadLesson(name, readFileSync(join(root, name, 'lesson.yaml'), 'utf8'))
    if (!loaded.ok) expect.fail(loaded.error.join('\n'))
    this.lesson = loaded.value
    this.#name = name
    this.#dir = join(work, dir)
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

  /**
   * Events of the trace of a task: the first that shows its cause, and the next one that does not, or the one before if
   * the run ends there. The run of a planted program is always the same, and takes long.
   */
  events(task: TaskOf<'cause'>, number: number): Promise<EventsOfCause> {
    this.#events ??= this.#eventsOf(task, number)
    return this.#events
  }

  async #eventsOf(task: TaskOf<'cause'>, number: number): Promise<EventsOfCause> {
    const { exit } = await this.command('run', this.#name, '--task', String(number))
    expect(exit).toBe(1)
    let failure: Failure | undefined
    let shows: number | undefined
    let before: number | undefined
    let other: number | undefined
    const onEvents = (onEvent: (n: number, told: Omit<ToldEvent, 'n'>, kind: string) => boolean) =>
      readTrace({ readPieces }, this.file(`task-${number}.jsonl.gz`), {
        onHeader: () => true,
        onLine: (line) => {
          const record = eventOf(line)
          if (!record.ok) return record
          const told = { atUs: line.t, node: record.value.node, words: recordWords(record.value) }
          return { ok: true, value: onEvent(line.n, told, record.value.kind) }
        },
      })
    await onEvents((_, told, kind) => {
      if (kind === 'violation') failure = failureIn(task.evidence, told)
      return failure === undefined
    })
    const broken = failure ?? expect.fail(`no violation of the trace matches ${task.evidence.violation}`)
    const read = await onEvents((n, told) => {
      if (isEvidence(task.evidence, broken, told)) shows ??= n
      else if (shows === undefined) before = n
      else other ??= n
      return other === undefined
    })
    if (!read.ok) expect.fail(read.error)
    if (shows === undefined) expect.fail(`no event of the trace matches ${task.evidence.says}`)
    return { shows, other: other ?? before ?? expect.fail('the trace has one event alone') }
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
  return { line: task.right, event: (await student.events(task, number)).shows }
}

/** The wrong answer of a turn to each task, but for pages: each wrong letter once, wrong seeds, wrong events. */
async function wrongAnswers(student: Student, name: string, turn: Turn): Promise<Map<number, Given>> {
  const answers = new Map<number, Given>()
  for (const [at, task] of student.lesson.tasks.entries()) {
    if (task.kind === 'choice') answers.set(at + 1, { line: wrongLetter(task.right, turn) })
    if (task.kind === 'seed')
      answers.set(at + 1, { line: wrongSeeds[name]?.[turn] ?? expect.fail(`${name}: no seeds`) })
    if (task.kind === 'cause') answers.set(at + 1, await wrongCause(student, task, at + 1, turn))
  }
  return answers
}

/** An event at random, a wrong cause with the right event, and an event that is close to the right one. */
async function wrongCause(student: Student, task: TaskOf<'cause'>, number: number, turn: Turn): Promise<Given> {
  if (turn === 0) return { line: task.right, event: 1 }
  const { shows, other } = await student.events(task, number)
  return turn === 1 ? { line: wrongLetter(task.right, turn), event: shows } : { line: task.right, event: other }
}

function wrongLetter(right: string, turn: Turn): string {
  return ['a', 'b', 'c', 'd'].filter((letter) => letter !== right)[turn] ?? expect.fail('there are four letters')
}

type Turn = 0 | 1 | 2
/** Each turn runs pages and planted programs, in long runs alone. */
const turns: readonly Turn[] = isLong ? [0, 1, 2] : []

// The limit ends a run that hangs; a machine with other work takes ten times as long as an idle one.
describe.each(tried)('svc-sim lesson check of %s', { timeout: 3_600_000 }, (name) => {
  const student = new Student(name)

  it('accepts what is right in every task', async () => {
    expect((await student.command('start', name)).exit).toBe(0)
    student.predict()
    const { exit, verdicts, out } = await student.check(await rightAnswers(student))
    expect(verdicts, out).toEqual(student.lesson.tasks.map(() => 'right'))
    expect(exit).toBe(0)
    expect(out).toContain('READ ON:')
  })

  it.each(turns)('refuses what is wrong in every task, turn %i', async (turn) => {
    for (const task of student.lesson.tasks) {
      if (task.kind !== 'page') continue
      const [replace, by] = wrongEdits[name]?.[turn] ?? expect.fail(`${name} has no wrong edit here`)
      student.edit(task, [{ replace, by }])
    }
    const { verdicts, out } = await student.check(await wrongAnswers(student, name, turn))
    expect(verdicts, out).toEqual(student.lesson.tasks.map(() => 'wrong'))
  })
})

describe('svc-sim lesson', () => {
  const student = new Student('11-tombstones')
  const other = join(work, 'other')
  const inOther = (...args: readonly string[]) => svcSim(['lesson', ...args, '--dir', other])

  /** What a lesson says of its run is true of this build, too: other draws and laws give another run. */
  it.each(names.filter((name) => !tried.includes(name)))(
    'has a planted program that fails as %s says, and shows the cause',
    { timeout: 600_000 },
    async (name) => {
      const own = new Student(name)
      expect((await own.command('start', name)).exit).toBe(0)
      own.predict()
      const at = own.lesson.tasks.findIndex(({ kind }) => kind === 'cause')
      const task = own.lesson.tasks[at]
      if (task?.kind !== 'cause') return expect.fail('every lesson asks for a cause')
      // Fails by itself if the run passes, if it breaks something else, or if no event of it is evidence.
      await expect(own.events(task, at + 1)).resolves.toMatchObject({ shows: expect.any(Number) })
    },
  )

  it('lists lessons with what is done of them', async () => {
    const { exit, out } = await student.command('list')
    expect(exit).toBe(0)
    expect(out.trimEnd().split('\n')).toHaveLength(names.length)
    expect(out).toMatch(/^ +11 {2}Tombstones.* min {2}done$/m)
  })

  it('says what is wrong with the command', async () => {
    expect(await inOther('start', '99')).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/there is no lesson '99'/),
    })
    expect(await inOther('check')).toMatchObject({
      exit: 2,
      err: `no lesson is started: svc-sim lesson start 1 --dir ${other}\n`,
    })
    const { exit, out } = await inOther('start', '1')
    expect(exit).toBe(0)
    expect(out).toMatch(/Lesson 1: Elections[\s\S]*PREDICT/)
    expect(out).toContain(`\n  svc-sim lesson run 1 --dir ${other}\n`)
  })

  it('shows no run before a prediction, and judges nothing before the run', async () => {
    expect(await inOther('run')).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/^write your prediction into .*answers\.yaml first/),
    })
    expect(await inOther('check')).toMatchObject({
      exit: 2,
      err: `write your prediction into answers.yaml and see the run first: svc-sim lesson run 1 --dir ${other}\n`,
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
    expect((await inOther('start', '2')).exit).toBe(2)
    expect((await inOther('start', '2', '--reset')).exit).toBe(0)
    expect((await inOther('list')).out).toMatch(/^ {2}2 {2}.* 0 of 3 tasks$/m)
  })

  it('refuses a page that passes because it says too little, and leaves the other tasks open', async () => {
    const weak = new Student('11-tombstones', 'weak')
    await weak.command('start', '11')
    weak.predict()
    for (const task of weak.lesson.tasks) {
      if (task.kind === 'page') weak.edit(task, [{ replace: 'status: 404', by: 'status: 200' }])
    }
    const { exit, verdicts, out } = await weak.check(new Map())
    expect(verdicts, out).toEqual(['open', 'wrong', 'open'])
    expect(out.replaceAll(/\s+/g, ' ')).toContain('the page also passes when steps.2.http.request is')
    expect(exit).toBe(1)
  })

  it('lists the marks of seeds of a task, and of no other run', async () => {
    const dir = join(work, 'marks')
    const inMarks = (...args: readonly string[]) => svcSim(['lesson', ...args, '--dir', dir])
    await inMarks('start', '9')
    writeFileSync(join(dir, '09-blocking-queries/answers.yaml'), 'prediction: mine\nanswers: {}\n')
    const listed = await inMarks('run', '--task', '2', '--seeds', '1..2')
    expect(listed.out.trimEnd().split('\n')).toEqual(
      [1, 2].map((n) => expect.stringMatching(`^seed ${n}: failed; marks: `)),
    )
    expect(listed.exit).toBe(0)
    const refusals = [
      [['--seeds', '1..2'], '--seeds is for a task: add --task\n'],
      [['--task', '3', '--seeds', '1..2'], '--seeds is not for a planted program: its task is about one run\n'],
      [['--task', '2', '--seeds', '1..501'], '--seeds lists at most 500 seeds\n'],
    ] as const
    for (const [args, err] of refusals) expect(await inMarks('run', ...args)).toMatchObject({ exit: 2, err })
  })

  it('says why a book is out of date, and that a file is no book', async () => {
    const book = join(work, 'book.html')
    writeFileSync(book, '<!-- svc-lessons {"build":"another","lessons":{"01-elections":"x","00-gone":"y"}} -->')
    const { exit, out } = await svcSim(['lesson', 'book', '--check', book])
    expect(out.split('\n').slice(0, 3)).toEqual([
      '00-gone: there is no such lesson any more',
      '01-elections: has changed',
      '02-log-repair: is new',
    ])
    expect(out).toContain(`the pictures were drawn by another build of the program\n${book}: is out of date`)
    expect(exit).toBe(1)
    writeFileSync(book, '<p></p>')
    expect(await svcSim(['lesson', 'book', '--check', book])).toMatchObject({ exit: 2 })
    expect(await svcSim(['lesson', 'book'])).toMatchObject({ exit: 2, err: 'give either --output or --check\n' })
  })

  it.runIf(isLong)('writes a book that is current', { timeout: 600_000 }, async () => {
    const book = join(work, 'whole.html')
    expect((await svcSim(['lesson', 'book', '-o', book, '--teacher'])).exit).toBe(0)
    expect(await svcSim(['lesson', 'book', '--check', book])).toMatchObject({ exit: 0, out: `${book}: is current\n` })
    expect(readFileSync(book, 'utf8').match(/<section id="lesson-/g)).toHaveLength(names.length)
  })
})
