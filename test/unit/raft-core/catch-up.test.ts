import { describe, expect, it } from 'vitest'
import { logIndexOf, noIndex } from '../../../src/model/log-position.ts'
import { hasAppliedOwnTerm, hasCaughtUp } from '../../../src/raft/core/catch-up.ts'
import { appendRequest, appendResponse, Cluster, command, leaderAlone } from './cluster.ts'

/** s1 with four entries of term 1 on its disk, of which it does not know whether they are committed. */
function started(): { readonly cluster: Cluster; readonly caughtUp: () => boolean } {
  const cluster = new Cluster({
    voters: ['s1', 's2', 's3'],
    running: ['s1'],
    past: { s1: { terms: [1, 1, 1, 1] } },
  })
  const caughtUp = (): boolean => hasCaughtUp(cluster.raft('s1'), cluster.raft('s1').applied)
  return { cluster, caughtUp }
}

describe('a server that has started', () => {
  it('has not caught up as long as it has heard of no leader, whatever its log holds', () => {
    expect(started().caughtUp()).toBe(false)
  })

  it('has when it has applied what its first leader told, however that came', () => {
    const { cluster, caughtUp } = started()
    cluster.receive('s1', 's2', appendRequest({ term: 1, previousIndex: 4, previousTerm: 1, commit: 9 }))
    expect([cluster.raft('s1').applied, caughtUp()]).toEqual([4, false])
    const five = [5, 6, 7].map((index) => command(index, 1))
    cluster.receive(
      's1',
      's2',
      appendRequest({ term: 1, previousIndex: 4, previousTerm: 1, entries: five, commit: 20 }),
    )
    expect([cluster.raft('s1').applied, caughtUp()]).toEqual([7, false])
    const rest = [8, 9].map((index) => command(index, 1))
    cluster.receive(
      's1',
      's2',
      appendRequest({ term: 1, previousIndex: 7, previousTerm: 1, entries: rest, commit: 20 }),
    )
    expect([cluster.raft('s1').applied, caughtUp()]).toEqual([9, true])
  })

  it('does not believe a leader that has committed nothing in its term: more may have been committed before', () => {
    const { cluster, caughtUp } = started()
    cluster.receive('s1', 's2', appendRequest({ term: 2, previousIndex: 4, previousTerm: 1, commit: 2 }))
    expect([cluster.raft('s1').applied, caughtUp()]).toEqual([2, false])
    const first = [command(5, 2)]
    cluster.receive(
      's1',
      's2',
      appendRequest({ term: 2, previousIndex: 4, previousTerm: 1, entries: first, commit: 4 }),
    )
    expect([cluster.raft('s1').applied, caughtUp()]).toEqual([4, false])
    cluster.receive('s1', 's2', appendRequest({ term: 2, previousIndex: 5, previousTerm: 2, commit: 5 }))
    expect([cluster.raft('s1').applied, caughtUp()]).toEqual([5, true])
  })

  it('has when it leads and has applied the first entry of its term, and only then judges by its state', () => {
    const cluster = leaderAlone({}, [])
    const core = cluster.raft('s1')
    const seen = (): unknown => [hasCaughtUp(core, core.applied), hasAppliedOwnTerm(core, core.applied)]
    expect([core.role.kind, seen()]).toEqual(['leader', [false, false]])
    cluster.receive('s1', 's2', appendResponse({ index: core.log.lastIndex }))
    expect(seen()).toEqual([true, true])
    expect([hasCaughtUp(core, noIndex), hasAppliedOwnTerm(core, logIndexOf(core.log.lastIndex - 1))]).toEqual([
      false,
      false,
    ])
  })
})
