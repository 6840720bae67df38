import type { Answer } from '../../lessons/answers.ts'
import {
  type Judgement,
  judgeCause,
  judgeChoice,
  judgeEdit,
  judgeRuns,
  judgeUnnoticed,
  seedGiven,
  seedsOf,
} from '../../lessons/judge.ts'
import type { Lesson, RunTask, Task, TaskOf } from '../../lessons/lesson.ts'
import { judgementLines, readOnLines } from '../../lessons/lesson-text.ts'
import { withAdded, withValues } from '../../lessons/page-changes.ts'
import { ofLesson, rightCount, tried } from '../../lessons/progress.ts'
import { loadScenario, problemText } from '../../scenario/language/load.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { type Desk, deskOf, type LessonFlags, lessonAt, refused } from './desk.ts'
import { eventOfBug } from './event-of-bug.ts'
import { answersOf } from './run.ts'
import { runsOfPage } from './runs-of-page.ts'
import type { ShelvedLesson } from './shelf.ts'

export interface CheckFlags extends LessonFlags {
  readonly jobs?: number
}

const noAnswer: Answer = { line: '', event: '' }

/** `svc-sim lesson check`: judges the student's answers. The exit code is 0 when every task is right. */
export async function checkLesson(
  named: string | undefined,
  flags: CheckFlags,
  terminal: SimTerminal,
): Promise<number> {
  const desk = await deskOf(flags, terminal)
  if (!desk.ok) return refused(desk.error, terminal)
  const found = lessonAt(desk.value, named)
  if (!found.ok) return refused([found.error], terminal)
  const shelved = found.value
  const { lesson, name, number } = shelved
  if (!ofLesson(desk.value.progress, name).predicted) {
    return refused([`predict and see the run first: svc-sim lesson run ${number}`], terminal)
  }
  const answers = await answersOf(shelved, desk.value)
  if (!('prediction' in answers)) return refused(answers, terminal)
  const checking = new Checking(shelved, desk.value, flags, terminal)
  let { progress } = desk.value
  let unjudged = 0
  terminal.out(`Lesson ${number}: ${lesson.lesson}\n`)
  for (const [at, task] of lesson.tasks.entries()) {
    const judged = await checking.judge(task, answers.byTask.get(at + 1) ?? noAnswer)
    for (const line of judgementLines(judged, at + 1)) terminal.out(`${line}\n`)
    if (judged.kind === 'unjudged') unjudged++
    else if (judged.kind !== 'open') progress = tried(progress, name, at + 1, judged.kind === 'right')
  }
  const right = rightCount(ofLesson(progress, name))
  const isDone = right === lesson.tasks.length
  terminal.out(`${right} of ${lesson.tasks.length} tasks are right\n`)
  if (isDone) for (const line of readOnLines(lesson)) terminal.out(`${line}\n`)
  if (!(await desk.value.folder.keep(progress))) return exits.usage
  if (isDone) return exits.passed
  return unjudged > 0 ? exits.noVerdict : exits.failed
}

/** Judges the tasks of one lesson. */
class Checking {
  readonly #shelved: ShelvedLesson
  readonly #desk: Desk
  readonly #flags: CheckFlags
  readonly #terminal: SimTerminal

  constructor(shelved: ShelvedLesson, desk: Desk, flags: CheckFlags, terminal: SimTerminal) {
    this.#shelved = shelved
    this.#desk = desk
    this.#flags = flags
    this.#terminal = terminal
  }

  judge(task: Lesson['tasks'][number], answer: Answer): Judgement | Promise<Judgement> {
    switch (task.kind) {
      case 'choice':
        return judgeChoice(task, answer)
      case 'page':
        return this.#page(task)
      case 'seed':
        return this.#seed(task, answer)
      case 'cause':
        return this.#cause(task, answer)
    }
  }

  async #page(task: TaskOf<'page'>): Promise<Judgement> {
    const now = await this.#pageOf(task)
    const before = await this.#desk.folder.original(this.#shelved, task.page)
    if (typeof now === 'string') return { kind: 'wrong', say: now }
    if (!before.ok) return { kind: 'wrong', say: before.error }
    const original = loadScenario(task.page, before.value)
    const early = original.ok ? judgeEdit(task, original.value.document.value, now.value) : undefined
    const judged = early ?? (await this.#runs(task, now.value, seedsOf(task)))
    return judged.kind === 'right' ? this.#noticing(task, now.value, judged) : judged
  }

  /** Takes back that a page is right if it passes with changes that it must refuse. */
  async #noticing(task: TaskOf<'page'>, page: unknown, judged: Judgement): Promise<Judgement> {
    const { first } = seedsOf(task)
    for (const values of task['must refuse'] ?? []) {
      const { added: _, ...alone } = task
      const changed = await this.#runs(alone, withValues(page, values), { first, last: first })
      if (changed.kind === 'right') return judgeUnnoticed(task, values)
      if (changed.kind === 'unjudged') return changed
    }
    return judged
  }

  async #seed(task: TaskOf<'seed'>, answer: Answer): Promise<Judgement> {
    const seed = seedGiven(task, answer)
    if (typeof seed !== 'number') return seed
    const page = await this.#desk.folder.original(this.#shelved, task.page)
    const loaded = page.ok ? loadScenario(task.page, page.value) : undefined
    if (loaded?.ok !== true) return { kind: 'wrong', say: `${task.page} cannot be read` }
    return this.#runs(task, loaded.value.document.value, { first: seed, last: seed })
  }

  async #runs(task: RunTask, page: unknown, seeds: ReturnType<typeof seedsOf>): Promise<Judgement> {
    const file = this.#desk.folder.pathOf(this.#shelved, task.page)
    const text = withAdded(page, task)
    const runs = await runsOfPage({ file, text, seeds, untilFailure: true, jobs: this.#flags.jobs }, this.#terminal)
    if (runs.ok) return judgeRuns(task, runs.value)
    const { kind, message } = runs.error
    return { kind: kind === 'worker' ? 'unjudged' : 'wrong', say: message }
  }

  async #cause(task: TaskOf<'cause'>, answer: Answer): Promise<Judgement> {
    const open = judgeCause(task, answer, () => undefined)
    if (open.kind === 'open') return open
    const { folder } = this.#desk
    const page = folder.pathOf(this.#shelved, task.page)
    const trace = folder.pathOf(this.#shelved, 'check.jsonl.gz')
    const event = await eventOfBug({ task, page, trace, n: Number(answer.event) }, this.#terminal)
    if (!event.ok) return { kind: 'unjudged', say: event.error }
    return judgeCause(task, answer, () => event.value)
  }

  /** The edited page as plain data, or a text that says what is wrong with it. */
  async #pageOf({ page }: Extract<Task, { readonly page: string }>): Promise<{ readonly value: unknown } | string> {
    const text = await this.#desk.folder.read(this.#shelved, page)
    if (!text.ok) return text.error
    const loaded = loadScenario(this.#desk.folder.pathOf(this.#shelved, page), text.value)
    return loaded.ok ? { value: loaded.value.document.value } : loaded.error.map(problemText).join('\n')
  }
}
