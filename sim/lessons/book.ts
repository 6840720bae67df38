import { escaped } from '../report/markup.ts'
import type { Chapter } from './chapter.ts'
import type { Task } from './lesson.ts'
import { lineMarkup, readingMarkup } from './markup-of-reading.ts'
import { runDrawing, stepLines } from './run-drawing.ts'
import { projectsMarkup, teacherPage } from './teacher-page.ts'

/**
 * The workbook as the body of a page: the students' copy has room to write, the teacher's copy has answers, solutions
 * and times.
 */
export function bookMarkup(chapters: readonly Chapter[], isForTeachers: boolean): string {
  const heading = isForTeachers ? 'How clusters behave: the teacher’s book' : 'How clusters behave: a workbook'
  const rows = chapters.map(
    ({ number, lesson }) =>
      `<tr><td>${number}</td><td><a href="#lesson-${number}">${escaped(lesson.lesson)}</a></td><td>${lesson.minutes} min</td></tr>`,
  )
  const minutes = chapters.reduce((sum, { lesson }) => sum + lesson.minutes, 0)
  const total = `<p>${chapters.length} lessons, ${Math.round(minutes / 60)} hours together.</p>`
  return [
    `<h1>${heading}</h1>`,
    ...(isForTeachers ? [total, teacherPage(chapters)] : [`<table>${rows.join('')}</table>`, total]),
    ...chapters.map((chapter) => chapterMarkup(chapter, isForTeachers)),
    ...(isForTeachers ? [] : [`<section>${projectsMarkup(false)}</section>`]),
  ].join('\n')
}

function chapterMarkup({ number, lesson, film }: Chapter, isForTeachers: boolean): string {
  const answers = isForTeachers ? [`<p class="good">${lineMarkup(lesson.predict.answer)}</p>`] : [lines(3)]
  const steps = stepLines(film).map((line) => `<li>${escaped(line)}</li>`)
  return [
    `<section id="lesson-${number}"><h2>${number}. ${escaped(lesson.lesson)}</h2>`,
    `<ul class="aims">${lesson.aims.map((aim) => `<li>${lineMarkup(aim)}</li>`).join('')}</ul>`,
    readingMarkup(lesson.reading),
    `<h3>Predict</h3><p>${lineMarkup(lesson.predict.question)}</p>`,
    ...answers,
    `<h3>The run: ${escaped(film.scenario)}, seed ${film.seed}</h3>`,
    runDrawing(film),
    // Open, because a browser prints no part of what is closed.
    `<details open><summary>What happened, by the numbers above</summary><ol>${steps.join('')}</ol></details>`,
    `<p>${lineMarkup(lesson.run.look)}</p>`,
    '<h3>Tasks</h3>',
    `<ol class="reading">${lesson.tasks.map((task) => `<li>${taskMarkup(task, isForTeachers)}</li>`).join('\n')}</ol>`,
    ...(isForTeachers && lesson.teacher !== undefined ? [`<p class="good">${lineMarkup(lesson.teacher)}</p>`] : []),
    `<h3>Read on</h3><ul class="sources">${lesson['read on'].map((each) => `<li>${lineMarkup(each)}</li>`).join('')}</ul></section>`,
  ].join('\n')
}

function taskMarkup(task: Task, isForTeachers: boolean): string {
  const choices = 'choices' in task ? Object.entries(task.choices) : []
  const list = choices.map(([letter, text]) => `<li>${letter}) ${lineMarkup(text)}</li>`)
  const wanted = task.kind === 'cause' ? `<p>Name an event, too: ${lineMarkup(task.event)}.</p>` : ''
  return [
    `<p>${lineMarkup(task.task)}</p>`,
    list.length === 0 ? '' : `<ul class="choices">${list.join('')}</ul>`,
    wanted,
    isForTeachers ? `<p class="good">${solutionMarkup(task)} ${lineMarkup(task.why)}</p>` : lines(2),
  ].join('')
}

function solutionMarkup(task: Task): string {
  switch (task.kind) {
    case 'choice':
      return `<b>${task.right}</b>.`
    case 'cause':
      return `<b>${task.right}</b>, with an event whose words match <code>${escaped(task.evidence.says)}</code>.`
    case 'seed':
      return `<b>${task.solution}</b>, for instance.`
    case 'page':
      return task.solution
        .map(({ replace, by }) => `Replace <code>${escaped(replace)}</code> by <code>${escaped(by)}</code>.`)
        .join(' ')
  }
}

/** Empty lines to write on. */
function lines(count: number): string {
  return '<div class="write"></div>'.repeat(count)
}
