import { describe, expect, it } from 'vitest'
import { pagesOf } from '../../../sim/lessons/lesson.ts'
import { loadLesson } from '../../../sim/lessons/load.ts'
import { smallLesson, smallLessonText } from './small-lesson.ts'

function problemsOf(text: string): readonly string[] {
  const loaded = loadLesson('l.yaml', text)
  return loaded.ok ? [] : loaded.error
}

describe('the file of a lesson', () => {
  it('is read with all kinds of tasks, and times in milliseconds', () => {
    const { tasks } = smallLesson()
    expect(tasks.map(({ kind }) => kind)).toEqual(['choice', 'page', 'seed', 'cause'])
    expect(tasks[3]).toMatchObject({ evidence: { within: 2000 } })
  })

  it('names each page once', () => {
    expect(pagesOf(smallLesson())).toEqual(['calm.yaml', '../../scenarios/swarm.yaml'])
  })

  it.each([
    ['minutes: 5', 'minutes: soon', /^l\.yaml:3:\d+: 'minutes'/],
    ['minutes: 5', 'hours: 5', /hours/],
    ['seeds: 1..9', 'seeds: 9..1', /'tasks\.2\.seeds': write a range/],
    ['seeds: 1..9', 'seeds: 1..501', /at most 500 seeds/],
    ['within: 2s', 'within: soon', /not a duration/],
    ['page: calm.yaml', 'page: /etc/passwd', /name a file/],
    ['page: calm.yaml', 'page: ../../../x.yaml', /name a file/],
    ['"^sends to ${name}"', '"("', /'says' is no regular expression/],
    ['(?<voter>s', '(s', /'violation' has no group called voter/],
    ['(?<voter>s', '((?<voter>s', /'violation' is no regular expression/],
    ['right: b', 'right: e', /'tasks\.0\.right'/],
    ['kind: seed', 'kind: riddle', /'tasks\.2\.kind'/],
  ])('is refused with its place when %s is %s', (from, to, message) => {
    expect(smallLessonText).toContain(from)
    expect(problemsOf(smallLessonText.replace(from, () => to)).join('\n')).toMatch(message)
  })

  it('is refused in words when it is no map of keys', () => {
    expect(problemsOf('- a list')).toEqual(["l.yaml:1:1: a lesson is a map of keys: begin with 'lesson: a title'"])
  })
})
