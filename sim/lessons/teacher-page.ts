import { escaped } from '../report/markup.ts'
import type { Chapter } from './chapter.ts'
import { faultyClients } from './faulty-clients.ts'
import type { Task } from './lesson.ts'
import { lineMarkup } from './markup-of-reading.ts'
import { projects } from './projects.ts'

/** The first page of the teacher's book: times, aims and answers of all lessons, and the projects. */
export function teacherPage(chapters: readonly Chapter[]): string {
  const rows = chapters.map(({ number, lesson }) => {
    const aims = lesson.aims.map((aim) => `<li>${lineMarkup(aim)}</li>`).join('')
    const answers = lesson.tasks.map((task, at) => `${at + 1}: ${answerText(task)}`).join('; ')
    const title = `<a href="#lesson-${number}">${number}. ${escaped(lesson.lesson)}</a>`
    return `<tr><td>${title}</td><td>${lesson.minutes} min</td><td><ul class="aims">${aims}</ul></td><td>${escaped(answers)}</td></tr>`
  })
  return [
    '<section><h2>For the teacher</h2>',
    '<p>A lesson fits one class: a quarter of its time for reading and the prediction, a quarter for the run and its',
    'picture, half for the tasks. The predictions are not graded; let students compare them aloud before the run.',
    'Answers are checked by <code>svc-sim lesson check</code>, whose exit code is 0 when all are right. An event that',
    'shows a cause has a number that depends on the build of the program, so it is not printed here:',
    '<code>svc-sim lesson run N --task K</code> and <code>svc-sim trace</code> show it.</p>',
    '<table><tr><th>lesson</th><th>time</th><th>aims</th><th>answers</th></tr>',
    ...rows,
    '</table>',
    projectsMarkup(true),
    '</section>',
  ].join('\n')
}

function answerText(task: Task): string {
  switch (task.kind) {
    case 'choice':
      return task.right
    case 'cause':
      return `${task.right} and an event`
    case 'seed':
      return `seed ${task.solution}`
    case 'page':
      return 'an edited page, see the lesson'
  }
}

/** The longer pieces of work at the end of the course. */
export function projectsMarkup(isForTeachers: boolean): string {
  const rows = projects.map(({ number, title, hours }) => {
    const start = `svc-sim lesson project start ${number} FOLDER`
    return `<tr><td>${number}. ${escaped(title)}</td><td>${hours} hours</td><td><code>${start}</code></td></tr>`
  })
  const clients = faultyClients.map(({ about }) => `<li>${escaped(about)}</li>`).join('')
  const notes = [
    '<p class="good">The check of each project runs the code of the student: use a machine or a container that may be',
    'lost. Model solutions are in <code>test/scenario/projects</code> of a checkout, and not in the package. The second',
    'project is solved when a renewal moves the deadline of a session that is known, and when a new leader times the',
    'sessions that it finds. The test of the third must find a client that</p>',
    `<ul>${clients}</ul>`,
  ]
  return ['<h3>Projects</h3>', `<table>${rows.join('')}</table>`, ...(isForTeachers ? notes : [])].join('\n')
}
