import { expect, it } from 'vitest'
import type { FewRightsFire } from '../../../sim/checkers/events/event-facts.ts'
import { EventRights } from '../../../sim/checkers/events/event-rights.ts'
import { recorder } from './reports.ts'

function judged() {
  const { judge, lines, counts } = recorder()
  const checker = new EventRights(judge)
  const fire = (content: string, mayWrite: boolean, outcome: FewRightsFire['outcome']): void => {
    const told: FewRightsFire = { content, agent: 'c1', mayWrite, outcome: undefined }
    checker.asked(told)
    checker.answered({ ...told, outcome })
  }
  const list = (node: string, ...contents: readonly string[]): void =>
    checker.listed({
      node,
      boot: 1,
      name: '',
      calledUs: 0,
      wait: undefined,
      index: '1',
      events: contents.map((content) => ({ id: content, content, lamport: 1 })),
    })
  return { checker, fire, list, lines, counts }
}

it('V3 takes an event that the token may write, one that is refused, and one without an answer', () => {
  const { fire, list, lines, counts } = judged()
  fire('deploy a', true, 'fired')
  fire('restart b', false, 'refused')
  fire('restart c', false, undefined)
  list('c2', 'deploy a')
  expect([lines, counts()]).toEqual([[], ['V3 2']])
})

it('V3 reports what is fired without the right, what is refused with it, and what goes round after it was refused', () => {
  const { fire, list, lines } = judged()
  fire('restart a', false, 'fired')
  fire('deploy b', true, 'refused')
  fire('restart c', false, 'refused')
  fire('restart d', false, undefined)
  list('c2', 'restart c', 'restart d')
  expect(lines).toEqual([
    'V3: restart a is fired at c1 for a token that may not write events of this name',
    'V3: deploy b is refused at c1 for a token that may write events of this name',
    'V3: c2 lists restart c, which a token without the right asked c1 to fire',
    'V3: c2 lists restart d, which a token without the right asked c1 to fire',
  ])
})

it('V3 compares what a token is shown with what the agent has, if that did not change meanwhile', () => {
  const { checker, lines, counts } = judged()
  const all = ['deploy a', 'restart b', 'deploy c']
  const show = (shown: readonly string[], after: readonly string[] = all): void =>
    checker.shown({ node: 'c1', names: ['deploy'], before: all, shown, after })
  show(['deploy a', 'deploy c'])
  show(['deploy a'], ['restart b', 'deploy c'])
  show(all)
  show(['deploy c'])
  expect(lines).toEqual([
    'V3: c1 shows restart b to a token that may read events of deploy alone',
    'V3: c1 shows 1 events of deploy to a token that may read them, and has 2',
  ])
  expect(counts()).toEqual(['V3 3', 'V3 excused: changed meanwhile 1'])
})
