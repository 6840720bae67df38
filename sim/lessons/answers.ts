import { z } from 'zod'
import { err, ok, type Result } from '../../src/base/result.ts'
import { parseYaml } from '../scenario/language/yaml-document.ts'
import type { Lesson, Task } from './lesson.ts'
import { checked } from './load.ts'

/** Maximum number of characters in one line of an answer. */
const lineMax = 4_000

/** An answer that the student has left empty is null: nothing follows the colon in `answers.yaml`. */
const line = z
  .union([z.string().max(lineMax), z.number(), z.null()], { error: 'write a word, a number or a sentence' })
  .transform((value) => (value === null ? '' : String(value).trim()))

const causeAnswer = z.strictObject({ cause: line, event: line })

const answersSchema = z.strictObject({
  prediction: line,
  answers: z.record(
    z.string().regex(/^[1-9]$/, 'answers have the numbers of their tasks'),
    z.union([line, causeAnswer]),
  ),
})

/** A student's answer to one task. Tasks about a page are answered by editing the page instead. */
export interface Answer {
  readonly line: string
  /** For a task that asks for a cause: the number of the event that shows it. */
  readonly event: string
}

export interface Answers {
  readonly prediction: string
  /** Keyed by the number of the task, starting from 1. */
  readonly byTask: ReadonlyMap<number, Answer>
}

/** The text of the answers file before the student fills it in. */
export function blankAnswers(number: number, lesson: Lesson): string {
  return answersText(number, lesson, { prediction: '', byTask: new Map() })
}

/** The text of the answers file with these answers. */
export function answersText(
  number: number,
  { lesson, predict, tasks }: Lesson,
  { prediction, byTask }: Answers,
): string {
  const lines = [
    `# Your answers to lesson ${number}: ${lesson}`,
    '#',
    '# Before the run, predict:',
    ...commented(predict.question),
    `prediction:${written(prediction)}`,
    '',
    'answers:',
    ...tasks.flatMap((task, at) => [
      ...commented(`Task ${at + 1}: ${wantedText(task)}`, '  '),
      ...answerOf(task, at + 1, byTask.get(at + 1)),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

/** Reads the answers file, or says what is wrong with it. */
export function readAnswers(file: string, text: string, { tasks }: Lesson): Result<Answers, readonly string[]> {
  const yaml = parseYaml(file, text, "the answers are a map of keys: 'prediction' and 'answers'")
  if (!yaml.ok) return err(yaml.error.map(({ place, message }) => `${place}: ${message}`))
  const parsed = checked(yaml.value, answersSchema)
  if (!parsed.ok) return parsed
  const byTask = new Map<number, Answer>()
  for (const [name, given] of Object.entries(parsed.value.answers)) {
    const number = Number(name)
    const task = tasks[number - 1]
    const at = yaml.value.placeOfKey(['answers', name])
    if (task === undefined) return err([`${at}: there is no task ${name}: this lesson has ${tasks.length}`])
    if ((task.kind === 'cause') !== (typeof given === 'object')) return err([`${at}: write ${formText(task)}`])
    byTask.set(
      number,
      typeof given === 'object' ? { line: given.cause, event: given.event } : { line: given, event: '' },
    )
  }
  return ok({ prediction: parsed.value.prediction, byTask })
}

/** The place for an answer in the file. */
function answerOf(task: Task, number: number, { line, event }: Answer = { line: '', event: '' }): readonly string[] {
  switch (task.kind) {
    case 'choice':
    case 'seed':
      return [`  ${number}:${written(line)}`]
    case 'page':
      return []
    case 'cause':
      return [`  ${number}:`, `    cause:${written(line)}`, `    event:${written(event)}`]
  }
}

/** Behind a colon: a text in quotes, which YAML reads as JSON does. */
function written(text: string): string {
  return text === '' ? '' : ` ${JSON.stringify(text)}`
}

function wantedText(task: Task): string {
  switch (task.kind) {
    case 'choice':
      return 'a, b, c or d'
    case 'seed':
      return `a seed of ${task.seeds}`
    case 'page':
      return `edit ${fileName(task.page)}; nothing is written here`
    case 'cause':
      return `the cause (a, b, c or d), and the number of an event: ${task.event}`
  }
}

function formText(task: Task): string {
  return task.kind === 'cause' ? "a map with 'cause' and 'event'" : wantedText(task)
}

/** The name of a page in the student's folder. */
export function fileName(page: string): string {
  return page.split('/').at(-1) ?? page
}

function commented(text: string, indent = ''): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((each) => `${indent}# ${each}`.trimEnd())
}
