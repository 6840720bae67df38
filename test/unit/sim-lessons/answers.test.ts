import { describe, expect, it } from 'vitest'
import { answersText, blankAnswers, readAnswers } from '../../../sim/lessons/answers.ts'
import { smallLesson } from './small-lesson.ts'

const lesson = smallLesson()
const read = (text: string) => readAnswers('a.yaml', text, lesson)

describe('the answers of a student', () => {
  it('are empty in the file that is written for them', () => {
    const answers = read(blankAnswers(1, lesson))
    if (!answers.ok) expect.fail(answers.error.join('\n'))
    expect(answers.value.prediction).toBe('')
    expect([...answers.value.byTask]).toEqual([
      [1, { line: '', event: '' }],
      [3, { line: '', event: '' }],
      [4, { line: '', event: '' }],
    ])
  })

  it('are read as they were written, whatever they contain', () => {
    const byTask = new Map([
      [1, { line: '# b: "c"', event: '' }],
      [3, { line: '4', event: '' }],
      [4, { line: 'c', event: '77' }],
    ])
    const given = { prediction: 'They lead.\n\n- two: no', byTask }
    expect(read(answersText(1, lesson, given))).toEqual({ ok: true, value: given })
  })

  it('say what is wanted of each task', () => {
    const text = blankAnswers(7, lesson)
    expect(text).toContain('# Your answers to lesson 7: Small')
    expect(text).toContain('# Before the run, predict:\n# What happens?\n')
    expect(text).toContain('# Task 1: a, b, c or d')
    expect(text).toContain('# Task 2: edit calm.yaml; nothing is written here')
    expect(text).toContain('# Task 3: a seed of 1..9')
    expect(text).toContain('the number of an event: the vote')
  })

  it('are words and numbers', () => {
    const answers = read('prediction: it holds\nanswers:\n  1: b\n  3: 4\n  4: { cause: c, event: 77 }\n')
    if (!answers.ok) expect.fail(answers.error.join('\n'))
    expect(answers.value.prediction).toBe('it holds')
    expect(answers.value.byTask.get(3)).toEqual({ line: '4', event: '' })
    expect(answers.value.byTask.get(4)).toEqual({ line: 'c', event: '77' })
  })

  it.each([
    ['prediction: x\nanswers:\n  5: b\n', 'a.yaml:3:3: there is no task 5: this lesson has 4'],
    ['prediction: x\nanswers:\n  4: c\n', "a.yaml:3:3: write a map with 'cause' and 'event'"],
    ['prediction: x\nanswers:\n  1: { cause: c, event: 1 }\n', 'a.yaml:3:3: write a, b, c or d'],
    ['- b', "a.yaml:1:1: the answers are a map of keys: 'prediction' and 'answers'"],
  ])('are refused with their place: %j', (text, message) => {
    const answers = read(text)
    expect(answers.ok ? [] : answers.error).toEqual([message])
  })
})
