import type { Judgement } from './judge.ts'
import type { Lesson, Task } from './lesson.ts'
import type { LessonProgress } from './progress.ts'
import { rightCount } from './progress.ts'

/** One row of the list: number, title, minutes, and how far the student is. */
export function listLine(
  number: number,
  { lesson, minutes, tasks }: Lesson,
  progress: LessonProgress | undefined,
): string {
  const done = progress === undefined ? '' : doneText(rightCount(progress), tasks.length)
  return `${String(number).padStart(3)}  ${lesson.padEnd(50)} ${String(minutes).padStart(3)} min  ${done}`.trimEnd()
}

function doneText(right: number, tasks: number): string {
  return right === tasks ? 'done' : `${right} of ${tasks} tasks`
}

/** The lines that a student reads first. `commands` says how to continue. */
export function startLines(number: number, lesson: Lesson, commands: readonly string[]): readonly string[] {
  return [
    `Lesson ${number}: ${lesson.lesson} (${lesson.minutes} minutes)`,
    '',
    'You will learn:',
    ...lesson.aims.map((aim) => `- ${aim}`),
    '',
    ...block(lesson.reading),
    '',
    'PREDICT, before you run anything:',
    ...block(lesson.predict.question),
    '',
    ...commands,
  ]
}

/** The lines that are shown after the student has predicted and seen the run. */
export function answerLines({ predict, run, tasks }: Lesson): readonly string[] {
  return [
    '',
    'WHAT THE RUN SHOWS:',
    ...block(predict.answer),
    '',
    'IN THE PICTURE:',
    ...block(run.look),
    '',
    'TASKS:',
    ...tasks.flatMap((task, at) => taskLines(task, at + 1)),
  ]
}

function taskLines(task: Task, number: number): readonly string[] {
  const [first = '', ...more] = block(task.task)
  return [`${number}. ${first}`, ...more.map((line) => `   ${line}`.trimEnd()), ...choiceLines(task), '']
}

function choiceLines(task: Task): readonly string[] {
  if (!('choices' in task)) return []
  return Object.entries(task.choices).flatMap(([letter, text]) => {
    const [first = '', ...more] = block(text)
    return [`   ${letter}) ${first}`, ...more.map((line) => `      ${line}`)]
  })
}

/** The verdict on one task, with the reason below it. */
export function judgementLines({ kind, say }: Judgement, number: number): readonly string[] {
  const [first = '', ...more] = wrapped(say)
  return [
    `${String(number).padStart(3)}  ${kind.padEnd(8)} ${first}`,
    ...more.map((line) => `${' '.repeat(14)}${line}`),
  ]
}

export function readOnLines(lesson: Lesson): readonly string[] {
  return ['', 'READ ON:', ...lesson['read on'].map((each) => `- ${each}`)]
}

/** Lines of at most this width, because a judgement joins what a run has said with the hint of a lesson. */
const width = 100

function wrapped(text: string): readonly string[] {
  return block(text).flatMap((line) => {
    const lines: string[] = []
    let current = ''
    for (const word of line.split(' ')) {
      if (current !== '' && current.length + 1 + word.length > width) {
        lines.push(current)
        current = word
      } else current = current === '' ? word : `${current} ${word}`
    }
    return [...lines, current]
  })
}

function block(text: string): readonly string[] {
  return text.trimEnd().split('\n')
}
