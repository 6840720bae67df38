import { describe, expect, it } from 'vitest'
import { Invariants } from '../../../sim/checkers/invariants.ts'
import { leaderCompleteness } from '../../../sim/checkers/raft/leader-completeness.ts'
import { serverLogs } from '../../../sim/checkers/raft/server-logs.ts'
import { stateMachineSafety } from '../../../sim/checkers/raft/state-machine-safety.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import { entry } from './reports.ts'

/** The term of an entry that was forced upon one of term 1. */
const forcedTerm = 0x1_0000_0001
const electedTerm = 0x1_0000_0000 + (1 << 24) + 1

/**
 * Two entries are committed by s1 and s2, the second of which s3 lacks. Then s3 alone is forced to go on, leads, and
 * has another entry where the lost one stood.
 */
function recovered(isExcused: boolean): Invariants {
  const all = new Invariants({ nowUs: () => 0, staleDefaultMs: 0, excusesLostMajority: isExcused, onTrigger: () => {} })
  const put = (node: string, ...entries: readonly Entry[]): void => {
    for (const one of entries) all.of(serverLogs).of(node).append(one)
  }
  const [first, second] = [entry(1, 1, 'a'), entry(2, 1, 'b')]
  put('s1', first, second)
  put('s3', first)
  all.tell('leader began', { node: 's1', term: termOf(1), log: all.of(serverLogs).of('s1'), atUs: 0 })
  all.of(leaderCompleteness).committed(logIndexOf(2), termOf(1), all.of(serverLogs).of('s1'))
  for (const one of [first, second]) all.of(stateMachineSafety).applied('s1', one)
  all.tell('leader ended', { node: 's1', crashed: false })
  const forced = entry(2, forcedTerm, 'forced')
  put('s3', forced)
  all.tell('configuration forced', { node: 's3', entry: forced })
  all.tell('leader began', { node: 's3', term: termOf(electedTerm), log: all.of(serverLogs).of('s3'), atUs: 0 })
  for (const one of [first, forced]) all.of(stateMachineSafety).applied('s3', one)
  return all
}

describe('the loss of a majority', () => {
  it('breaks R4 and R5 where no excuse is named', () => {
    expect(recovered(false).violations.map(({ code }) => code)).toEqual(['R4', 'R5'])
  })

  it('is excused by name', () => {
    expect(recovered(true).violations).toEqual([])
  })

  it('excuses only what the server that goes on has not', () => {
    const all = recovered(true)
    all.of(stateMachineSafety).applied('s2', entry(1, 1, 'another'))
    expect(all.violations.map(({ code }) => code)).toEqual(['R5'])
  })
})
