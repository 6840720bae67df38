import { describe, expect, it } from 'vitest'
import { NameConnections } from '../../../sim/checkers/reads/name-connections.ts'
import type { PipelinedNames } from '../../../sim/checkers/reads/pipelined-names.ts'
import { recorder } from './reports.ts'

const name = 'web.service.svc.'
const sent: PipelinedNames['sent'] = [
  { id: 1, wants: 'answer' },
  { id: 2, wants: 'malformed' },
  { id: 3, wants: 'nothing' },
]
const right: PipelinedNames['replies'] = [
  { id: 2, rcode: 'FORMERR', isFor: '' },
  { id: 1, rcode: 'NOERROR', isFor: name },
]

function judged(told: Partial<PipelinedNames>): readonly string[] {
  const { judge, lines } = recorder()
  new NameConnections(judge).pipelined({ agent: 's1', sent, replies: right, name, isWhole: true, ...told })
  return lines
}

describe('N1, messages on one connection', () => {
  it('are answered in any order, and need no answer if the connection breaks', () => {
    expect(judged({})).toEqual([])
    expect(judged({ replies: [], isWhole: false })).toEqual([])
  })

  it('are all answered before the agent ends the connection', () => {
    expect(judged({ replies: right.slice(1) })).toEqual([
      'N1: s1 ended a connection in order, and had not answered message 2',
    ])
  })

  it.each([
    [{ id: 9, rcode: 'NOERROR', isFor: name }, 'message 9 was never sent, and is answered'],
    [{ id: 1, rcode: 'NOERROR', isFor: name }, 'message 1 is answered twice'],
    [{ id: 3, rcode: 'FORMERR', isFor: '' }, 'message 3 is no question, and is answered'],
  ])('have no other answer: %o', (reply, text) => {
    expect(judged({ replies: [...right, reply] })).toEqual([`N1: on a connection to s1, ${text}`])
  })

  it('are answered for what they are', () => {
    const wrong = [
      { id: 1, rcode: 'NOERROR', isFor: 'db.service.svc.' },
      { id: 2, rcode: 'NOERROR', isFor: name },
    ]
    expect(judged({ replies: wrong })).toEqual([
      'N1: on a connection to s1, message 1 is answered for db.service.svc.',
      'N1: on a connection to s1, message 2 cannot be read, and is answered with NOERROR',
    ])
  })
})
