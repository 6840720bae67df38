import { describe, expect, it } from 'vitest'
import { ConnectionTally } from '../../../sim/checkers/mesh/connection-tally.ts'

class Watched {
  nowMs = 0
  readonly tally = new ConnectionTally(() => this.nowMs * 1000)

  at(ms: number, pair: string, why?: string): void {
    this.nowMs = ms
    this.tally.attempted(pair, why)
  }
}

describe('what became of connections', () => {
  it('says how long some failed: from the first of several that overlap to the end of the last', () => {
    const watched = new Watched()
    for (const pair of ['a', 'b']) watched.at(0, pair)
    watched.at(1_000, 'a', 'refused')
    watched.at(1_500, 'b', 'refused')
    watched.at(2_000, 'a')
    watched.at(3_000, 'b', 'refused')
    watched.at(4_500, 'b')
    watched.at(6_000, 'a', 'refused')
    watched.at(6_500, 'a')
    expect(watched.tally).toMatchObject({ made: 5, failed: 4, longestMs: 3_500, broken: 0, lastWhy: 'a: refused' })
    expect(watched.tally.text).toBe('tunnels: 5 connections made, 4 failed, within 3.5s at the longest; 0 broken')
  })

  it('counts a time that is not over until now', () => {
    const watched = new Watched()
    watched.at(0, 'a')
    watched.at(1_000, 'a', 'refused')
    watched.nowMs = 8_000
    expect(watched.tally.longestMs).toBe(7_000)
  })

  it('expects nothing of a pair before its first success', () => {
    const watched = new Watched()
    watched.at(0, 'a', 'no leaf yet')
    watched.nowMs = 5_000
    expect(watched.tally).toMatchObject({ failed: 0, longestMs: 0, lastWhy: '' })
  })

  it('counts what was open and broke', () => {
    const watched = new Watched()
    watched.tally.broke('a', 'it is over: reset')
    expect(watched.tally).toMatchObject({ broken: 1, lastWhy: 'a: it is over: reset' })
  })
})
