import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bugsNamed } from '../../../sim/cli/self-test.ts'
import { blankAnswers, readAnswers } from '../../../sim/lessons/answers.ts'
import { judgeChoice, judgeEdit } from '../../../sim/lessons/judge.ts'
import { type Lesson, pagesOf, type TaskOf } from '../../../sim/lessons/lesson.ts'
import { loadLesson } from '../../../sim/lessons/load.ts'
import { changedPaths, isWithin, withValues } from '../../../sim/lessons/page-changes.ts'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'
import { lessonBugs } from '../../../sim/self-test/lesson-bugs.ts'
import { projectRoot } from '../../tools/planted.ts'

const root = join(projectRoot, 'lessons')
const names = readdirSync(root).filter((name) => existsSync(join(root, name, 'lesson.yaml')))

function lessonOf(name: string): Lesson {
  const loaded = loadLesson(name, readFileSync(join(root, name, 'lesson.yaml'), 'utf8'))
  if (!loaded.ok) expect.fail(loaded.error.join('\n'))
  return loaded.value
}

const tasksOf = <Kind extends 'choice' | 'page' | 'cause'>(lesson: Lesson, kind: Kind) =>
  lesson.tasks.filter((task): task is TaskOf<Kind> => task.kind === kind)

function documentOf(file: string, text: string): unknown {
  const loaded = loadScenario(file, text)
  if (!loaded.ok) expect.fail(loaded.error.map(problemText).join('\n'))
  return loaded.value.document.value
}

/** What the npm package leaves out of `docs`. */
const unpacked: readonly string[] = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).files.flatMap(
  (entry: string) => (entry.startsWith('!') ? [entry.slice(1)] : []),
)

function headingsOf(page: string): readonly string[] {
  const text = readFileSync(join(projectRoot, page), 'utf8')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase())
}

describe('the lessons that come with the program', () => {
  it('are at least sixteen, numbered without a gap', () => {
    expect(names.length).toBeGreaterThanOrEqual(16)
    expect(names.map((name) => Number.parseInt(name, 10))).toEqual(names.map((_, at) => at + 1))
  })

  it('hide each planted bug by a name of their own, and use each of these names', () => {
    const used = names.flatMap((name) => tasksOf(lessonOf(name), 'cause').map(({ bug }) => bug))
    expect(used.toSorted()).toEqual(Object.keys(lessonBugs).toSorted())
    for (const bug of Object.values(lessonBugs)) expect(bugsNamed([bug])).toHaveLength(1)
  })
})

describe.each(names)('lesson %s', (name) => {
  const lesson = lessonOf(name)

  it('has pages that are well formed', () => {
    for (const page of pagesOf(lesson)) documentOf(page, readFileSync(join(root, name, page), 'utf8'))
  })

  it('sends its readers to headings of pages that the package has', () => {
    for (const place of lesson['read on']) {
      const [, page = '', heading] = /^(docs\/\S+\.md)(?:, (.+))?$/.exec(place) ?? []
      if (page === '') continue
      expect(unpacked.filter((left) => page === left || page.startsWith(`${left}/`))).toEqual([])
      if (heading === undefined) expect(headingsOf(page)).not.toEqual([])
      else expect(headingsOf(page), place).toContain(heading.toLowerCase())
    }
  })

  it('has answers that can be left open, and a cause to find', () => {
    expect(readAnswers('answers.yaml', blankAnswers(1, lesson), lesson).ok).toBe(true)
    expect(tasksOf(lesson, 'cause')).toHaveLength(1)
  })

  it('accepts the right choice, and refuses the three others', () => {
    for (const task of tasksOf(lesson, 'choice')) {
      const kinds = (['a', 'b', 'c', 'd'] as const).map((line) => judgeChoice(task, { line, event: '' }).kind)
      expect(kinds.toSorted()).toEqual(['right', 'wrong', 'wrong', 'wrong'])
    }
  })

  it('asks again only with changes of what the student may not change', () => {
    for (const task of tasksOf(lesson, 'page')) {
      const page = documentOf(task.page, readFileSync(join(root, name, task.page), 'utf8'))
      for (const values of task['must refuse'] ?? []) {
        const paths = Object.keys(values)
        expect(paths.filter((path) => isWithin(path, task['may change']))).toEqual([])
        expect(changedPaths(page, withValues(page, values))).toEqual(paths)
      }
    }
  })

  it('has solutions of pages that change what may change', () => {
    for (const task of tasksOf(lesson, 'page')) {
      const text = readFileSync(join(root, name, task.page), 'utf8')
      const solved = task.solution.reduce((page, { replace, by }) => {
        expect(page.split(replace)).toHaveLength(2)
        return page.replace(replace, () => by)
      }, text)
      expect(judgeEdit(task, documentOf(task.page, text), documentOf(task.page, solved))).toBeUndefined()
    }
  })
})
