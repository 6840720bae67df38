import { type Answers, fileName } from '../lessons/answers.ts'
import type { NumberedLesson, Task } from '../lessons/lesson.ts'
import { type LessonProgress, ofLesson, type Progress, rightCount } from '../lessons/progress.ts'
import type { PlayLesson, PlayLessonLine, PlayTask } from './lessons-api.ts'

export function lessonLine({ number, name, lesson }: NumberedLesson, progress: Progress): PlayLessonLine {
  const { lesson: title, minutes, tasks } = lesson
  return { number, name, title, minutes, tasks: tasks.length, right: rightCount(ofLesson(progress, name)) }
}

/** What a student may see of a lesson by now. `pages`: the student's pages, by the names that tasks have for them. */
export function shownLesson(
  numbered: NumberedLesson,
  progress: Progress,
  { prediction, byTask }: Answers,
  pages: ReadonlyMap<string, string>,
): PlayLesson {
  const { lesson, name } = numbered
  const mine = ofLesson(progress, name)
  const tasks = lesson.tasks.map((task, at) => shownTask(task, at + 1, byTask, mine, pages))
  const isDone = rightCount(mine) === lesson.tasks.length
  const shown = {
    answer: lesson.predict.answer,
    look: lesson.run.look,
    tasks,
    readOn: isDone ? lesson['read on'] : [],
  }
  return {
    ...lessonLine(numbered, progress),
    aims: lesson.aims,
    reading: lesson.reading,
    question: lesson.predict.question,
    prediction,
    shown: mine.predicted ? shown : null,
  }
}

function shownTask(
  task: Task,
  number: number,
  byTask: Answers['byTask'],
  { tasks }: LessonProgress,
  pages: ReadonlyMap<string, string>,
): PlayTask {
  const { tries = 0, right = false } = tasks[String(number)] ?? {}
  return {
    number,
    kind: task.kind,
    task: task.task,
    choices: 'choices' in task ? task.choices : {},
    page: task.kind === 'page' ? { name: fileName(task.page), text: pages.get(task.page) ?? '' } : null,
    seeds: task.kind === 'seed' ? task.seeds : null,
    event: task.kind === 'cause' ? task.event : null,
    answer: byTask.get(number) ?? { line: '', event: '' },
    tries,
    isRight: right,
  }
}
