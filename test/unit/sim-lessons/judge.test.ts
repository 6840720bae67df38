import { describe, expect, it } from 'vitest'
import { judgeCause, judgeChoice, judgeEdit, judgeRuns, judgeUnnoticed, seedGiven } from '../../../sim/lessons/judge.ts'
import type { TaskOf } from '../../../sim/lessons/lesson.ts'
import { withAdded, withValues } from '../../../sim/lessons/page-changes.ts'
import { withoutRun } from '../../../sim/report/seed-record.ts'
import { smallLesson } from './small-lesson.ts'

const { tasks } = smallLesson()
const choice = tasks[0] as TaskOf<'choice'>
const page = tasks[1] as TaskOf<'page'>
const seed = tasks[2] as TaskOf<'seed'>
const cause = tasks[3] as TaskOf<'cause'>
const line = (text: string, event = '') => ({ line: text, event })

function record(verdict: 'passed' | 'failed', code?: 'R1' | 'R2') {
  const of = { scenario: 'x', file: 'x.yaml', page: '0'.repeat(64), seed: 3 }
  const failures = code === undefined ? [] : [{ atUs: 1, place: code, code, message: 'broken' }]
  return { ...withoutRun(of, verdict, [], { wallMs: 1, cpuMs: 1 }), invariant: code ?? null, failures }
}

describe('a choice', () => {
  it('is right by its letter, in any case', () => {
    expect(judgeChoice(choice, line('B'))).toEqual({ kind: 'right', say: 'Because.' })
  })

  it('breaks no line where the file of the lesson does', () => {
    const lines = { ...choice, why: 'Because\n  of this.\n' }
    expect(judgeChoice(lines, line('b'))).toEqual({ kind: 'right', say: 'Because of this.' })
  })

  it.each(['a', 'c', 'd', 'bb'])('%s is wrong, with the hint', (letter) => {
    expect(judgeChoice(choice, line(letter))).toEqual({ kind: 'wrong', say: `${letter} is not the answer. Think.` })
  })

  it('is open without a letter', () => {
    expect(judgeChoice(choice, line('')).kind).toBe('open')
  })
})

describe('an edited page', () => {
  const before = {
    cluster: { dc1: { servers: { count: 3 }, clients: { count: 1 } } },
    steps: [{ wait: '1s' }, { wait: '2s' }],
  }
  const edited = (change: object) => ({ ...before, ...change })

  it('is wrong without a run when it says too little', () => {
    const strong = { ...page, 'too weak': { 'steps.2.leader': ['none'] } }
    const saying = (leader: string) => judgeEdit(strong, before, edited({ steps: [{ wait: '1s' }, { leader }] }))
    expect(saying('s2')).toBeUndefined()
    expect(saying('none')).toEqual({ kind: 'wrong', say: "'none' in steps.2.leader says too little" })
  })

  it('is wrong without a run when a time is longer than the task grants', () => {
    const bounded = { ...page, 'at most': { 'steps.2.wait': 9_000 } }
    const waiting = (wait: string) => judgeEdit(bounded, before, edited({ steps: [{ wait: '1s' }, { wait }] }))
    expect(waiting('9s')).toBeUndefined()
    expect(waiting('1m')).toEqual({ kind: 'wrong', say: 'steps.2.wait is 1m, and at most 9s is right' })
    expect(waiting('soon')?.kind).toBe('wrong')
  })

  it('is open while it is as it was', () => {
    expect(judgeEdit(page, before, structuredClone(before))?.kind).toBe('open')
  })

  it('is run when only what may change has changed', () => {
    const cluster = { dc1: { servers: { count: 5 }, clients: { count: 1 } } }
    expect(judgeEdit(page, before, edited({ cluster, steps: [{ wait: '1s' }, { wait: '9s' }] }))).toBeUndefined()
  })

  it.each([
    [{ cluster: { dc1: { servers: { count: 3 }, clients: { count: 2 } } } }, 'cluster.dc1.clients.count'],
    [{ steps: [{ wait: '5s' }, { wait: '2s' }] }, 'steps.1.wait'],
    [{ steps: [{ wait: '1s' }, { wait: '2s' }, { wait: '3s' }] }, 'steps.3'],
    [{ excuses: { 'majority lost': true } }, 'excuses'],
  ])('is wrong without a run when something else has changed: %j', (change, path) => {
    const judged = judgeEdit(page, before, edited(change))
    expect(judged?.kind).toBe('wrong')
    expect(judged?.say).toMatch(new RegExp(`you changed ${path.replaceAll('.', '\\.')}$`))
  })

  it('is run with the steps and demands of the check behind its own', () => {
    const added = JSON.parse(withAdded({ ...before, demands: { judged: { K1: 2 } } }, page))
    expect(added.steps).toEqual([...before.steps, { step: 'more', wait: '1s' }])
    expect(added.demands).toEqual({ judged: { K1: 2, R1: 1 } })
  })

  it('is also run with other values at paths that it has', () => {
    expect(withValues(before, { 'steps.2.wait': '9s', 'cluster.dc1.servers.count': 5 })).toEqual({
      cluster: { dc1: { servers: { count: 5 }, clients: { count: 1 } } },
      steps: [{ wait: '1s' }, { wait: '9s' }],
    })
    expect(() => withValues(before, { 'cluster.dc1.servers.count.more': 5 })).toThrow('what its page lacks')
    expect(judgeUnnoticed({ ...page, hint: 'Say\n  more.' }, { 'steps.2.wait': '9s' })).toEqual({
      kind: 'wrong',
      say: 'the page also passes when steps.2.wait is "9s", so it says too little. Say more.',
    })
  })

  it('is right when every run passes, and says which one does not', () => {
    expect(judgeRuns(page, [record('passed'), record('passed')]).kind).toBe('right')
    expect(judgeRuns(page, [record('passed'), record('failed', 'R2')])).toEqual({
      kind: 'wrong',
      say: 'seed 3: R2: broken',
    })
  })
})

describe('a seed', () => {
  it('is a number of the range', () => {
    expect(seedGiven(seed, line('4'))).toBe(4)
  })

  it.each(['0', '10', '1.5', 'four'])('%s is wrong', (text) => {
    expect(seedGiven(seed, line(text))).toMatchObject({ kind: 'wrong' })
  })

  it('is open without a number', () => {
    expect(seedGiven(seed, line(''))).toMatchObject({ kind: 'open' })
  })

  it('is right when its run breaks the invariant of the task, and no other', () => {
    expect(judgeRuns(seed, [record('failed', 'R1')]).kind).toBe('right')
    expect(judgeRuns(seed, [record('failed', 'R2')]).kind).toBe('wrong')
    expect(judgeRuns(seed, [record('passed')])).toMatchObject({ say: 'seed 3 passes, and R1 is not broken' })
  })
})

describe('a cause', () => {
  const vote = { n: 7, atUs: 3_000_000, node: 's1', words: 'sends to s2: vote granted', isEvidence: true }
  const judged = (letter: string, event = vote) => judgeCause(cause, line(letter, '7'), () => event)

  it('is right with its letter and an event that shows it', () => {
    expect(judged('c').kind).toBe('right')
  })

  it('is wrong with another letter, or an event that does not show it', () => {
    expect(judged('a').kind).toBe('wrong')
    expect(judged('c', { ...vote, isEvidence: false })).toMatchObject({
      kind: 'wrong',
      say: 'event 7 does not show it: s1 sends to s2: vote granted',
    })
  })

  it('is wrong when the trace has no such event', () => {
    expect(judgeCause(cause, line('c', '9'), () => undefined)).toMatchObject({ say: 'the trace has no event 9' })
  })

  it('is open until both are written', () => {
    expect(judgeCause(cause, line('c'), () => vote).kind).toBe('open')
    expect(judgeCause(cause, line('', '7'), () => vote).kind).toBe('open')
  })
})
