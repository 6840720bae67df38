import { describe, expect, it } from 'vitest'
import { CleanDeath } from '../../../sim/checkers/clean-death.ts'
import { MonotoneIndex } from '../../../sim/checkers/clients/monotone-index.ts'
import { AcknowledgedWrites } from '../../../sim/checkers/keys/acknowledged-writes.ts'
import { AppliedKeys } from '../../../sim/checkers/keys/applied-keys.ts'
import { ExactlyOnce } from '../../../sim/checkers/keys/exactly-once.ts'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { StaleReads } from '../../../sim/checkers/keys/stale-reads.ts'
import { atRest, Liveness, type Unrest } from '../../../sim/checkers/liveness.ts'
import { recorder } from './reports.ts'

const operation = (part: Partial<KeyOperation>): KeyOperation => ({
  client: 'client 1',
  key: 'k',
  kind: 'read',
  value: undefined,
  expected: undefined,
  consistency: 'stale',
  callUs: 0,
  returnUs: 1,
  outcome: 'ok',
  found: undefined,
  ...part,
})

function history(): AppliedKeys {
  const applied = new AppliedKeys()
  applied.changed('k', 3, 'a')
  applied.changed('k', 5, 'b')
  applied.changed('k', 6, undefined)
  applied.changed('k', 9, 'c')
  return applied
}

describe('K1 for stale reads', () => {
  const findings = (...found: readonly (string | undefined)[]): readonly string[] => {
    const { judge, lines } = recorder()
    const checker = new StaleReads(judge, history())
    for (const one of found) checker.answered(operation({ found: one }), checker.began('s1', 1, 'k'))
    return lines
  }

  it('accepts any prefix of the log that only grows', () => {
    expect(findings(undefined, 'a', 'a', 'b', undefined, 'c')).toEqual([])
    expect(findings('c', 'c')).toEqual([])
    expect(findings(undefined, undefined, 'b')).toEqual([])
  })

  it('reports a state older than one answered before', () => {
    expect(findings('b', 'a')).toHaveLength(1)
    expect(findings('c', undefined)).toHaveLength(1)
  })

  it('reports a value that the key never held', () => {
    expect(findings('zz')).toHaveLength(1)
  })

  it('lets a server that lost its leader before it caught up show its old state, but no value that was never held', () => {
    const { judge, lines, counts } = recorder()
    const checker = new StaleReads(judge, history())
    for (const [found, mayBeOld] of [
      ['c', false],
      ['a', true],
      ['zz', true],
      ['b', false],
    ] as const)
      checker.answered(operation({ found }), checker.began('s1', 1, 'k'), mayBeOld)
    expect(lines).toHaveLength(2)
    expect(counts()).toEqual(['K1 4', 'K1 excused: catching up 1'])
  })

  it('lets a client agent go back, for it asks one server now and another then, but not make a value up', () => {
    const { judge, lines } = recorder()
    const checker = new StaleReads(judge, history())
    for (const found of ['c', 'a', undefined]) checker.answeredBySome(operation({ found }))
    expect(lines).toEqual([])
    checker.answeredBySome(operation({ found: 'zz' }))
    expect(lines).toHaveLength(1)
  })

  it('compares only reads of one boot, and only those asked after the answer', () => {
    const { judge, codes } = recorder()
    const checker = new StaleReads(judge, history())
    const early = checker.began('s1', 1, 'k')
    checker.answered(operation({ found: 'c' }), checker.began('s1', 1, 'k'))
    checker.answered(operation({ found: 'a' }), early)
    checker.answered(operation({ found: 'a' }), checker.began('s1', 2, 'k'))
    expect(codes).toEqual([])
  })
})

describe('D1 durability', () => {
  it('accepts acknowledged writes that took effect and are there in the end', () => {
    const { judge, codes } = recorder()
    const checker = new AcknowledgedWrites(judge, history())
    checker.acknowledged(operation({ kind: 'write', value: 'b' }))
    checker.finalState('s1', new Map([['k', 'c']]), 9)
    expect(codes).toEqual([])
    expect(checker.count).toBe(1)
  })

  it('reports a write acknowledged before it took effect', () => {
    const { judge, codes } = recorder()
    new AcknowledgedWrites(judge, history()).acknowledged(operation({ kind: 'write', value: 'zz' }))
    expect(codes).toEqual(['D1'])
  })

  it('reports a server that lost a write, or kept what was deleted', () => {
    const { judge, codes } = recorder()
    const applied = history()
    applied.changed('gone', 10, 'x')
    applied.changed('gone', 11, undefined)
    const checker = new AcknowledgedWrites(judge, applied)
    checker.finalState('s1', new Map([['k', 'b']]), 11)
    checker.finalState(
      's2',
      new Map([
        ['k', 'c'],
        ['gone', 'x'],
      ]),
      11,
    )
    checker.finalState('s3', new Map(), 11)
    expect(codes).toEqual(['D1', 'D1', 'D1'])
  })

  it('takes what a key had when all servers had applied the same, or since then', () => {
    const { judge, codes } = recorder()
    const checker = new AcknowledgedWrites(judge, history())
    for (const value of ['b', 'c']) checker.finalState('s1', new Map([['k', value]]), 5)
    checker.finalState('s1', new Map(), 5)
    expect(codes).toEqual([])
    checker.finalState('s1', new Map([['k', 'a']]), 5)
    expect(codes).toEqual(['D1'])
  })
})

describe('K3 exactly once', () => {
  it('accepts the same effect seen at every server, and replayed after a restart', () => {
    const { judge, codes } = recorder()
    const checker = new ExactlyOnce(judge)
    for (const node of ['s1', 's2', 's1']) checker.tookEffect(node, 7, 'origin', 1)
    checker.tookEffect('s1', 8, 'origin', 2)
    checker.tookEffect('s1', 9, 'another', 1)
    expect(codes).toEqual([])
  })

  it('reports one write that took effect by two entries', () => {
    const { judge, codes } = recorder()
    const checker = new ExactlyOnce(judge)
    checker.tookEffect('s1', 7, 'origin', 1)
    checker.tookEffect('s2', 9, 'origin', 1)
    expect(codes).toEqual(['K3'])
  })
})

describe('W1 monotone index', () => {
  it('reports an index below one answered before the request began', () => {
    const { judge, codes } = recorder()
    const checker = new MonotoneIndex(judge)
    checker.answered('k', checker.began('k'), 5)
    checker.answered('k', checker.began('k'), 5)
    checker.answered('other', checker.began('other'), 2)
    expect(codes).toEqual([])
    checker.answered('k', checker.began('k'), 4)
    expect(codes).toEqual(['W1'])
  })

  it('lets requests that overlap be answered in any order', () => {
    const { judge, codes } = recorder()
    const checker = new MonotoneIndex(judge)
    const floor = checker.began('k')
    checker.answered('k', checker.began('k'), 9)
    checker.answered('k', floor, 7)
    expect(codes).toEqual([])
  })
})

describe('H3 clean death', () => {
  it('accepts what a running boot does', () => {
    const { judge, codes } = recorder()
    const checker = new CleanDeath(judge)
    checker.booted('s1', 1)
    expect(checker.acted('s1', 1, 'applied an entry')).toBe(true)
    checker.leftBehind('s1', 1, { timers: 0, streams: 0 })
    expect(codes).toEqual([])
  })

  it('reports what a dead boot does, and what it leaves waiting', () => {
    const { judge, lines } = recorder()
    const checker = new CleanDeath(judge)
    checker.booted('s1', 1)
    checker.died('s1')
    expect(checker.acted('s1', 1, 'applied an entry')).toBe(false)
    checker.booted('s1', 2)
    checker.acted('s1', 1, 'gave a vote')
    checker.leftBehind('s1', 1, { timers: 2, streams: 0 })
    expect(lines).toEqual([
      'H3: boot 1 of s1 applied an entry, though the node is down',
      'H3: boot 1 of s1 gave a vote, though boot 2 is running',
      'H3: boot 1 of s1 left behind 2 timers',
    ])
  })
})

describe('L1 liveness', () => {
  const rest: Unrest = {
    openRequests: [],
    leaving: [],
    down: [],
    leaders: ['s1'],
    applied: new Map([
      ['s1', 5],
      ['s2', 5],
    ]),
    committed: 5,
  }

  it('is at rest when one server leads, all run, all have applied the same, and nothing is open', () => {
    expect(atRest(rest)).toBe(true)
  })

  it('names everything that keeps the cluster from rest', () => {
    const { judge, lines } = recorder()
    const unrest: Unrest = {
      openRequests: ['a write'],
      down: ['s3'],
      leaving: ['s4'],
      leaders: ['s1', 's2'],
      applied: new Map([
        ['s1', 5],
        ['s2', 4],
      ]),
      committed: 5,
    }
    expect(atRest(unrest)).toBe(false)
    new Liveness(judge).overdue(unrest, '60s')
    expect(lines).toEqual([
      'L1: 60s after the last fault s3 is not running',
      'L1: 60s after the last fault s4 is still leaving',
      'L1: 60s after the last fault s1 and s2 lead at the same time',
      'L1: 60s after the last fault servers have applied different entries: s1 5, s2 4',
      'L1: 60s after the last fault s2 has applied 4 of 5 committed entries',
      'L1: 60s after the last fault 1 requests are still open, such as a write',
    ])
    expect(atRest({ ...rest, leaders: [] })).toBe(false)
  })
})
