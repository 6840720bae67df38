import { describe, expect, it } from 'vitest'
import { FailStop } from '../../../sim/checkers/raft/fail-stop.ts'
import { recorder } from './reports.ts'

const old = { major: 0, minor: 6, patch: 4 }
const fresh = { major: 0, minor: 7, patch: 0 }

function checker() {
  const { judge, lines } = recorder()
  return { lines, failStop: new FailStop(judge, (kind) => (kind === 'txn.apply' ? fresh : undefined)) }
}

describe('D2 fail-stop', () => {
  it('accepts a server that applies what it knows, and one that stops at what it does not', () => {
    const { lines, failStop } = checker()
    failStop.carriedOut('s1', fresh, 'txn.apply', 7)
    failStop.stopped('s2', old, 'txn.apply', 7)
    failStop.stopped('s2', fresh, 'never.heard', 8)
    expect(lines).toEqual([])
  })

  it('reports a server that continues with what it does not know, and one that stops without a cause', () => {
    const { lines, failStop } = checker()
    failStop.carriedOut('s1', old, 'txn.apply', 7)
    failStop.carriedOut('s1', fresh, 'never.heard', 8)
    failStop.stopped('s2', fresh, 'txn.apply', 9)
    expect(lines).toEqual([
      "D2: s1 applied 'txn.apply' at 7, which release 0.6.4 does not know",
      "D2: s1 applied 'never.heard' at 8, which release 0.7.0 does not know",
      "D2: s2 stopped at 'txn.apply' at 9, which release 0.7.0 knows",
    ])
  })
})
