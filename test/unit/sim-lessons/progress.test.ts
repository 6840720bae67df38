import { describe, expect, it } from 'vitest'
import {
  noProgress,
  ofLesson,
  predicted,
  progressText,
  readProgress,
  rightCount,
  started,
  tried,
} from '../../../sim/lessons/progress.ts'

describe('the progress of a student', () => {
  it('is kept as it is written', () => {
    const progress = tried(predicted(started(noProgress, '01-a', false), '01-a'), '01-a', 2, true)
    const read = readProgress('p.json', progressText(progress))
    expect(read).toEqual({ ok: true, value: progress })
    expect(progress.current).toBe('01-a')
  })

  it('counts tries, and what was right once stays right', () => {
    let progress = started(noProgress, '01-a', false)
    for (const isRight of [false, true, false]) progress = tried(progress, '01-a', 1, isRight)
    expect(ofLesson(progress, '01-a').tasks['1']).toEqual({ tries: 3, right: true })
    expect(rightCount(ofLesson(progress, '01-a'))).toBe(1)
  })

  it('of a lesson that is started again stays, unless it is to begin anew', () => {
    const done = predicted(started(noProgress, '01-a', false), '01-a')
    expect(ofLesson(started(done, '01-a', false), '01-a').predicted).toBe(true)
    expect(ofLesson(started(done, '01-a', true), '01-a').predicted).toBe(false)
  })

  it.each(['{', '[]', '{"version":2,"lessons":{}}'])('is refused in words when the file is %s', (text) => {
    const read = readProgress('p.json', text)
    expect(read.ok ? '' : read.error).toMatch(/^p\.json: .* with svc-sim lesson start N --reset$/)
  })
})
