import { expect, it } from 'vitest'
import { HeartbeatsTaken } from '../../../sim/checkers/pool/heartbeats-taken.ts'
import { recorder } from './reports.ts'

it('E4 is broken by an agent that accepts a heartbeat for a check that it does not have', () => {
  const { judge, lines, counts } = recorder()
  const checker = new HeartbeatsTaken(judge)
  const heartbeat = { node: 'c1', check: 'pulse', isRestarted: false, isHeld: true }
  checker.taken(heartbeat)
  checker.taken({ ...heartbeat, isRestarted: true, isHeld: false })
  expect([lines, counts()]).toEqual([[], ['E4 1', 'E4 excused: restarted meanwhile 1']])
  checker.taken({ ...heartbeat, isHeld: false })
  expect(lines).toEqual(['E4: c1 accepts a heartbeat for check pulse, which it does not have'])
})
