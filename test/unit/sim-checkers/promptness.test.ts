import { describe, expect, it } from 'vitest'
import { Promptness } from '../../../sim/checkers/promptness.ts'
import { recorder } from './reports.ts'

/** L2, after an answer that took this long, over links of at most 10 ms there and back and with syncs of at most 5 ms. */
function answered(tookMs: number, { isCalm = true, loss = 0 } = {}) {
  const { judge, codes, lines, counts } = recorder()
  const world = { network: { rttMs: 6, rttMaxMs: 10, loss }, disk: { syncMaxMs: 5 } }
  const right = { status: 200, body: /./ }
  const request = { what: 'GET /v1/kv/door at s1 (for certain)', mark: 'm', calledIn: 7 }
  new Promptness({ ...judge, ...world }).answered({
    ...request,
    tookMs,
    status: 200,
    body: '',
    right,
    isInContact: true,
    isCalm,
  })
  return { codes, lines, counts }
}

describe('L2', () => {
  it('holds for an answer that comes in the time that the network and the disks need', () => {
    const { codes, counts } = answered(110)
    expect([codes, counts()]).toEqual([[], ['L2 1']])
  })

  it('is broken by one that takes longer, whatever it says', () => {
    const { lines } = answered(111)
    expect(lines).toEqual(['L2: GET /v1/kv/door at s1 (for certain) took 111 ms, and needs 110 ms at most'])
  })

  it('judges nothing around faults, and nothing where packets are lost', () => {
    expect(answered(9_000, { isCalm: false }).counts()).toEqual([])
    expect(answered(9_000, { loss: 0.01 }).counts()).toEqual([])
  })
})
