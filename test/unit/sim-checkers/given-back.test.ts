import { describe, expect, it } from 'vitest'
import { GivenBack } from '../../../sim/checkers/given-back.ts'
import { recorder } from './reports.ts'

const nowUs = 100_000_000
const longAgo = (what: string) => ({ what, sinceUs: 10_000_000 })
const justNow = (what: string) => ({ what, sinceUs: 90_000_000 })
const log = ['/data/raft/log/watermark', '/data/raft/log/0000000002.log'].map(longAgo)
const nothing = { files: [], ended: [], sockets: [], connections: [], timers: [] }

function atRest(held: Partial<Parameters<GivenBack['atRest']>[1]>): readonly string[] {
  const { judge, lines } = recorder()
  new GivenBack(judge).atRest('s1', { ...nothing, ...held }, nowUs)
  return lines
}

describe('P4 given back', () => {
  it('accepts what an agent needs, and what it has not had for long', () => {
    const files = [...log, longAgo('/data/local/registrations.tmp'), justNow('/data/raft/snapshots/7.tmp')]
    expect(atRest({ files, ended: [justNow('10.0.1.2:8301')], sockets: ['10.0.1.1:8500'] })).toEqual([])
  })

  it('reports a file that is not needed any more, and a connection that the peer has ended', () => {
    expect(atRest({ files: [longAgo('/data/raft/snapshots/7.tmp')], ended: [longAgo('10.0.1.2:8301')] })).toEqual([
      'P4: s1 still has /data/raft/snapshots/7.tmp open, though it is at rest',
      'P4: s1 still has a connection with 10.0.1.2:8301 open, which has ended it',
    ])
  })

  it('reports an earlier segment of the log, and a file that is open twice', () => {
    expect(atRest({ files: [longAgo('/data/raft/log/0000000001.log'), ...log] })).toEqual([
      'P4: s1 still has /data/raft/log/0000000001.log open, though it is at rest',
    ])
    expect(atRest({ files: [...log.slice(1), ...log.slice(1)] })).toEqual([
      'P4: s1 has /data/raft/log/0000000002.log open twice, though it is at rest',
    ])
  })

  it('reports whatever a process that was stopped has open', () => {
    const { judge, lines } = recorder()
    const givenBack = new GivenBack(judge)
    givenBack.stopped('s1', nothing)
    givenBack.stopped('s2', {
      ...nothing,
      files: [justNow('/data/raft/log/0000000001.log')],
      sockets: ['10.0.1.2:8500'],
    })
    expect(lines).toEqual(['P4: s2 has stopped and left open: /data/raft/log/0000000001.log, 10.0.1.2:8500'])
  })

  it('reports connections and timers of a process that was stopped', () => {
    const { judge, lines } = recorder()
    const givenBack = new GivenBack(judge)
    const timers = [
      { waitsFor: undefined, dueInMs: 149.5 },
      { waitsFor: 'an answer', dueInMs: 7000 },
    ]
    givenBack.stopped('c1', { ...nothing, connections: ['10.0.1.1:8300'], timers })
    expect(lines).toEqual([
      'P4: c1 has stopped and left connections with 10.0.1.1:8300',
      'P4: c1 has stopped and left armed: a timer of 150 ms, a timer of 7000 ms for an answer',
    ])
  })
})
