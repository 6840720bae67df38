import { describe, expect, it } from 'vitest'
import { ServerCare } from '../../../sim/checkers/server-care.ts'
import { logIndexOf } from '../../../src/model/log-position.ts'
import type { Configuration, Suffrage } from '../../../src/raft/core/types.ts'
import { recorder } from './reports.ts'

const idOf = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`

/** Servers by number: voters, or without a vote where the number is negative. */
function group(...numbers: readonly number[]): Configuration {
  const suffrage = (number: number): Suffrage => (number < 0 ? 'nonvoter' : 'voter')
  return {
    servers: numbers.map((number) => ({
      id: idOf(Math.abs(number)),
      address: `10.0.1.${Math.abs(number)}:8300`,
      suffrage: suffrage(number),
    })),
  }
}

/** A leader that changes its group step by step, with the events of that. */
class Leader {
  readonly told: string[] = []
  atMs = 0
  readonly care = new ServerCare(
    { ...recorder().judge, report: (code, message) => void this.told.push(`${code} ${message}`) },
    () => this.atMs * 1000,
  )
  #group = group()

  constructor(first: Configuration, minQuorum = 0) {
    this.#group = first
    this.care.settings({ minQuorum, serverStabilizationMs: 10_000 })
  }

  becomes(next: Configuration): this {
    const voters = this.#group.servers.filter(({ suffrage }) => suffrage === 'voter').map(({ id }) => id)
    this.care.changed('s1', voters, next)
    this.#group = next
    return this
  }
}

describe('O1: a leader takes out a dead server by itself', () => {
  it('of four voters, and leaves three', () => {
    expect(new Leader(group(1, 2, 3, 4)).becomes(group(1, 2, 3)).told).toEqual([])
  })

  it('and never one of three', () => {
    const { told } = new Leader(group(1, 2, 3)).becomes(group(1, 2))
    expect(told).toEqual([`O1 s1 removes ${idOf(3)} from 3 voters by itself: below 4 voters, none may be removed`])
  })

  it('and never so that fewer than min_quorum remain', () => {
    expect(new Leader(group(1, 2, 3, 4, 5), 4).becomes(group(1, 2, 3, 4)).told).toEqual([])
    const { told } = new Leader(group(1, 2, 3, 4), 4).becomes(group(1, 2, 3))
    expect(told).toEqual([`O1 s1 removes ${idOf(4)} from 4 voters by itself, and min_quorum is 4`])
  })

  it('while a server that was asked to leave may always go, and so may a name of an older Raft protocol', () => {
    const leader = new Leader(group(1, 2, 3), 3)
    leader.care.mayGo(idOf(3), 'operator')
    expect(leader.becomes(group(1, 2)).told).toEqual([])
    leader.care.changed('s1', ['10.0.1.1:8300', '10.0.1.2:8300'], group(1))
    expect(leader.told).toEqual([])
  })

  it('of three, if another one has moved to the address of its entry, but not itself', () => {
    const reportsOf = (number: number, host: string, { index = 1, own = 1 } = {}) => {
      const leader = new Leader(group(1, 2, 3))
      leader.care.named('s1', idOf(own))
      leader.care.written(logIndexOf(1), group(1, 2, 3))
      leader.care.moved(idOf(number), host)
      const { servers } = group(1, 2, 3)
      const moved = servers.map((server) => (server.id === idOf(3) ? { ...server, address: '10.0.1.9:8300' } : server))
      if (index > 1) leader.care.written(logIndexOf(index), { servers: moved })
      return leader.becomes(group(1, 2)).told.length
    }
    expect([reportsOf(2, '10.0.1.3'), reportsOf(2, '10.0.1.4'), reportsOf(3, '10.0.1.3')]).toEqual([0, 1, 1])
    expect([reportsOf(2, '10.0.1.3', { index: 2 }), reportsOf(2, '10.0.1.3', { own: 3 })]).toEqual([1, 1])
  })
})

describe('O3: a leader removes a voter by itself', () => {
  const five = () => new Leader(group(1, 2, 3, 4, 5))

  it('when it has heard nothing of it for the stabilization time, as clocks that run fast may have it', () => {
    const leader = five()
    leader.care.heard('s1', idOf(5))
    leader.atMs = 8_000
    leader.care.removalAsked('s1', idOf(5), 'failed')
    expect(leader.becomes(group(1, 2, 3, 4)).told).toEqual([])
  })

  it('and not before, whatever it hears until the removal is durable', () => {
    const leader = five()
    leader.care.heard('s1', idOf(5))
    leader.atMs = 7_999
    leader.care.removalAsked('s1', idOf(5), 'failed')
    leader.atMs = 20_000
    const bound = 'server_stabilization_time is 10000 ms'
    expect(leader.becomes(group(1, 2, 3, 4)).told).toEqual([
      `O3 s1 removes ${idOf(5)} by itself 7999 ms after it received a reply from it, and ${bound}`,
    ])
  })

  it('or when it hears of it again only after it was asked', () => {
    const leader = five()
    leader.care.removalAsked('s1', idOf(5), 'failed')
    leader.care.heard('s1', idOf(5))
    expect(leader.becomes(group(1, 2, 3, 4)).told).toEqual([])
  })

  it('while another leader may have heard it', () => {
    const leader = five()
    leader.care.heard('s2', idOf(5))
    leader.care.heard('s1', idOf(5))
    leader.care.noLongerLeads('s1')
    leader.care.removalAsked('s1', idOf(5), 'failed')
    expect(leader.becomes(group(1, 2, 3, 4)).told).toEqual([])
  })

  it('and always one that left, or that an operator named', () => {
    const leader = five()
    leader.care.heard('s1', idOf(5))
    leader.care.heard('s1', idOf(4))
    leader.care.removalAsked('s1', idOf(5), 'left')
    leader.care.mayGo(idOf(4), 'operator')
    leader.care.removalAsked('s1', idOf(4), 'alive')
    leader.becomes(group(1, 2, 3, 4)).becomes(group(1, 2, 3))
    expect(leader.told).toEqual([])
  })

  it('but not one that left once and is back', () => {
    const leader = five()
    leader.care.mayGo(idOf(5), 'left')
    leader.care.heard('s1', idOf(5))
    leader.care.removalAsked('s1', idOf(5), 'alive')
    expect(leader.becomes(group(1, 2, 3, 4)).told).toHaveLength(1)
  })
})

describe('O2: a leader gives a newcomer its vote', () => {
  it('not before the newcomer has been there for the stabilization time, counted from the first server that wrote that it joined', () => {
    const leader = new Leader(group(1, 2))
    leader.care.written(logIndexOf(77), group(1, 2, -3))
    leader.atMs = 5_000
    expect(leader.becomes(group(1, 2, 3)).told).toEqual([
      `O2 s1 gives ${idOf(3)} a vote 5000 ms after it joined, and server_stabilization_time is 10000 ms`,
    ])
    const later = new Leader(group(1, 2))
    later.care.written(logIndexOf(77), group(1, 2, -3))
    later.atMs = 11_000
    expect(later.becomes(group(1, 2, 3)).told).toEqual([])
  })

  it('whatever a server that lags behind writes of an older configuration', () => {
    const leader = new Leader(group(1, 2, 3))
    leader.care.mayGo(idOf(3), 'left')
    leader.care.written(logIndexOf(80), group(1, 2))
    leader.becomes(group(1, 2))
    leader.care.written(logIndexOf(77), group(1, 2, -3))
    expect(leader.becomes(group(1, 2, 3)).told).toEqual([])
  })

  it('even if its own disk has an older configuration meanwhile, from before the newcomer joined', () => {
    const leader = new Leader(group(1, 2))
    leader.care.written(logIndexOf(80), group(1, 2, -3))
    leader.atMs = 5_000
    leader.becomes(group(1, 2))
    leader.becomes(group(1, 2, -3))
    leader.atMs = 10_000
    expect(leader.becomes(group(1, 2, 3)).told).toEqual([])
  })

  it('counted anew when the newcomer was out in between', () => {
    const leader = new Leader(group(1, 2))
    leader.care.written(logIndexOf(80), group(1, 2, -3))
    leader.care.written(logIndexOf(81), group(1, 2))
    leader.atMs = 9_000
    leader.care.written(logIndexOf(82), group(1, 2, -3))
    leader.atMs = 11_000
    expect(leader.becomes(group(1, 2, 3)).told).toHaveLength(1)
  })

  it('when the stabilization time is over, as clocks that run fast may have it', () => {
    const leader = new Leader(group(1, 2, 3)).becomes(group(1, 2, 3, -4))
    leader.atMs = 8_000
    expect(leader.becomes(group(1, 2, 3, 4)).told).toEqual([])
  })

  it('and not before', () => {
    const leader = new Leader(group(1, 2, 3)).becomes(group(1, 2, 3, -4))
    leader.atMs = 7_999
    const bound = 'server_stabilization_time is 10000 ms'
    expect(leader.becomes(group(1, 2, 3, 4)).told).toEqual([
      `O2 s1 gives ${idOf(4)} a vote 7999 ms after it joined, and ${bound}`,
    ])
  })

  it('counted anew when it went and came back', () => {
    const leader = new Leader(group(1, 2, 3)).becomes(group(1, 2, 3, -4))
    leader.atMs = 5_000
    leader.becomes(group(1, 2, 3)).becomes(group(1, 2, 3, -4))
    leader.atMs = 12_000
    expect(leader.becomes(group(1, 2, 3, 4)).told).toHaveLength(1)
  })

  it('and not with its first word of it', () => {
    expect(new Leader(group(1, 2, 3)).becomes(group(1, 2, 3, 4)).told).toHaveLength(1)
  })

  it('at once where it had one before, or an operator has set the time so', () => {
    const back = new Leader(group(1, 2, 3, 4)).becomes(group(1, 2, 3)).becomes(group(1, 2, 3, 4))
    expect(back.told).toEqual([])
    const leader = new Leader(group(1, 2, 3)).becomes(group(1, 2, 3, -4))
    leader.care.settings({ serverStabilizationMs: 0 })
    expect(leader.becomes(group(1, 2, 3, 4)).told).toEqual([])
  })
})
