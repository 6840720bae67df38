import { err, type Result } from '../../src/base/result.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import { type LoadedScenario, loadScenario, problemText } from '../scenario/language/load.ts'
import type { Answer, Answers } from './answers.ts'
import {
  type Judgement,
  judgeCause,
  judgeChoice,
  judgeEdit,
  judgeRuns,
  judgeUnnoticed,
  type NamedEvent,
  seedGiven,
  seedsOf,
} from './judge.ts'
import type { NumberedLesson, RunTask, Task, TaskOf } from './lesson.ts'
import { judgementLines, readOnLines } from './lesson-text.ts'
import { withAdded, withValues } from './page-changes.ts'
import { ofLesson, type Progress, rightCount, tried } from './progress.ts'
import type { SeedsOfTask } from './seed-range.ts'

/** Why there are no records of the runs of a page. */
export type NoRuns =
  /** The page, with the parts that the check adds, is not well formed. */
  | { readonly kind: 'page'; readonly message: string }
  /** No process for the runs could be started. */
  | { readonly kind: 'worker'; readonly message: string }

export interface PageRuns {
  /** The name of the page in messages. */
  readonly file: string
  readonly text: string
  readonly seeds: SeedsOfTask
}

/** Where a student works on one lesson: a folder, with processes for runs, or a browser's tab. */
export interface Bench {
  /** The name in messages of a page that the lesson names. */
  pathOf(page: string): string
  /** The student's text of a page. */
  edited(page: string): Promise<Result<string, string>>
  /** The text of a page as it is shipped. */
  original(page: string): Promise<Result<string, string>>
  /** Runs a page until a seed fails; returns the records in the order of the seeds. */
  runs(runs: PageRuns): Promise<Result<readonly SeedRecord[], NoRuns>>
  /** An event of the run of the planted program. The error is one line: it could not be judged. */
  eventOfBug(task: TaskOf<'cause'>, n: number): Promise<Result<NamedEvent, string>>
}

export interface CheckedLesson {
  readonly progress: Progress
  readonly isDone: boolean
  /** Number of tasks that could not be judged. */
  readonly unjudged: number
}

const noAnswer: Answer = { line: '', event: '' }

/** The page of these runs. */
export function pageOfRuns({ file, text }: PageRuns): Result<LoadedScenario, NoRuns> {
  const loaded = loadScenario(file, text)
  if (loaded.ok) return loaded
  const [first] = loaded.error
  return err({ kind: 'page', message: `with what the check adds, the page is not well formed: ${first?.message}` })
}

/** Judges all tasks of a lesson, and counts the attempts. `onLine` receives what the student is told. */
export async function checkTasks(
  { number, name, lesson }: NumberedLesson,
  answers: Answers['byTask'],
  before: Progress,
  bench: Bench,
  onLine: (line: string) => void,
): Promise<CheckedLesson> {
  let progress = before
  let unjudged = 0
  onLine(`Lesson ${number}: ${lesson.lesson}`)
  for (const [at, task] of lesson.tasks.entries()) {
    const judged = await judgeTask(task, answers.get(at + 1) ?? noAnswer, bench)
    for (const line of judgementLines(judged, at + 1)) onLine(line)
    if (judged.kind === 'unjudged') unjudged++
    else if (judged.kind !== 'open') progress = tried(progress, name, at + 1, judged.kind === 'right')
  }
  const right = rightCount(ofLesson(progress, name))
  const isDone = right === lesson.tasks.length
  onLine(`${right} of ${lesson.tasks.length} tasks are right`)
  if (isDone) for (const line of readOnLines(lesson)) onLine(line)
  return { progress, isDone, unjudged }
}

async function judgeTask(task: Task, answer: Answer, bench: Bench): Promise<Judgement> {
  switch (task.kind) {
    case 'choice':
      return judgeChoice(task, answer)
    case 'page':
      return judgePage(task, bench)
    case 'seed':
      return judgeSeed(task, answer, bench)
    case 'cause': {
      const open = judgeCause(task, answer, () => undefined)
      if (open.kind === 'open') return open
      const event = await bench.eventOfBug(task, Number(answer.event))
      return event.ok ? judgeCause(task, answer, () => event.value) : { kind: 'unjudged', say: event.error }
    }
  }
}

async function judgePage(task: TaskOf<'page'>, bench: Bench): Promise<Judgement> {
  const now = await pageNow(task.page, bench)
  const before = await bench.original(task.page)
  if (typeof now === 'string') return { kind: 'wrong', say: now }
  if (!before.ok) return { kind: 'wrong', say: before.error }
  const original = loadScenario(task.page, before.value)
  const early = original.ok ? judgeEdit(task, original.value.document.value, now.value) : undefined
  const judged = early ?? (await judgedRuns(task, now.value, seedsOf(task), bench))
  return judged.kind === 'right' ? noticing(task, now.value, judged, bench) : judged
}

/** Takes back that a page is right if it passes with changes that it must refuse. */
async function noticing(task: TaskOf<'page'>, page: unknown, judged: Judgement, bench: Bench): Promise<Judgement> {
  const { first } = seedsOf(task)
  for (const values of task['must refuse'] ?? []) {
    const { added: _, ...alone } = task
    const changed = await judgedRuns(alone, withValues(page, values), { first, last: first }, bench)
    if (changed.kind === 'right') return judgeUnnoticed(task, values)
    if (changed.kind === 'unjudged') return changed
  }
  return judged
}

async function judgeSeed(task: TaskOf<'seed'>, answer: Answer, bench: Bench): Promise<Judgement> {
  const seed = seedGiven(task, answer)
  if (typeof seed !== 'number') return seed
  const page = await bench.original(task.page)
  const loaded = page.ok ? loadScenario(task.page, page.value) : undefined
  if (loaded?.ok !== true) return { kind: 'wrong', say: `${task.page} cannot be read` }
  return judgedRuns(task, loaded.value.document.value, { first: seed, last: seed }, bench)
}

async function judgedRuns(task: RunTask, page: unknown, seeds: SeedsOfTask, bench: Bench): Promise<Judgement> {
  const runs = await bench.runs({ file: bench.pathOf(task.page), text: withAdded(page, task), seeds })
  if (runs.ok) return judgeRuns(task, runs.value)
  const { kind, message } = runs.error
  return { kind: kind === 'worker' ? 'unjudged' : 'wrong', say: message }
}

/** The edited page as plain data, or a text that says what is wrong with it. */
async function pageNow(page: string, bench: Bench): Promise<{ readonly value: unknown } | string> {
  const text = await bench.edited(page)
  if (!text.ok) return text.error
  const loaded = loadScenario(bench.pathOf(page), text.value)
  return loaded.ok ? { value: loaded.value.document.value } : loaded.error.map(problemText).join('\n')
}
