import { describe, expect, it } from 'vitest'
import type { ServerTiming } from '../../../sim/checkers/process-facts.ts'
import { LeaderContact } from '../../../sim/checkers/raft/leader-contact.ts'
import { StaleNames } from '../../../sim/checkers/reads/stale-names.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { recorder } from './reports.ts'

const word = { kind: 'append-request' } as RaftMessage
const timing: ServerTiming = { monoMs: () => 0, heartbeatTimeoutMs: 1_000, leaderLeaseMs: 500, detection: 'fixed' }

/** Two servers that have heard a leader from 1 s to 20 s, with 3 s as the bound. The service was `a` until 12 s. */
function judged({ allowStale = true } = {}) {
  const { judge, lines, counts } = recorder()
  let nowUs = 0
  const contact = new LeaderContact(() => nowUs)
  const asked: number[] = []
  const versions = {
    between: (_service: string, fromUs: number) => {
      asked.push(fromUs)
      const version = (offered: string) => ({
        instances: '',
        found: '',
        health: '',
        offered,
        nodes: '',
        places: new Map(),
        event: 0,
      })
      return fromUs < 5e6 ? undefined : [...(fromUs < 12e6 ? [version('a')] : []), version('b')]
    },
  }
  const settings = { dnsOf: () => ({ allowStale, maxStaleMs: 3_000 }) as never }
  const names = new StaleNames({ ...judge, nowUs: () => nowUs }, { versions, contact, settings })
  for (const server of ['s1', 's2']) contact.began(server, timing)
  for (nowUs = 1e6; nowUs < 20e6; nowUs += 500_000) for (const server of ['s1', 's2']) contact.received(server, word)
  const at = (us: number): void => {
    nowUs = us
  }
  const answered = (calledUs: number, offered: string | undefined, agent = 's1'): void =>
    names.answered({ service: 'web', agent, calledUs, offered })
  return { contact, at, answered, lines, counts, asked }
}

describe('N2', () => {
  it('takes names within the bound, and refusals beyond it', () => {
    const { at, answered, lines, counts } = judged()
    at(21e6)
    answered(20.5e6, 'b')
    at(30e6)
    answered(29e6, undefined)
    answered(29e6, undefined, 'c1')
    expect([lines, counts()]).toEqual([[], ['N2 1']])
  })

  it('reports a name that is given although no server has heard a leader within the bound', () => {
    const { at, answered, lines } = judged()
    at(26e6)
    answered(25e6, 'b', 'c1')
    expect(lines).toEqual([
      'N2: the name of web at c1, asked at 25.000000s, is answered with b, although no server has heard a leader for 6.5 s, longer than 3.0 s',
    ])
  })

  it('reports a refusal of a server that has heard its leader within the bound, but not of one that has just begun', () => {
    const { contact, at, answered, lines } = judged()
    at(28e6)
    answered(21.5e6, undefined)
    answered(20e6, undefined)
    expect(lines).toEqual([
      'N2: the name of web at s1, asked at 20.000000s, is refused, although s1 had heard its leader 0.5 s before, within 3.0 s',
    ])
    contact.began('s2', timing)
    contact.received('s2', word)
    answered(20e6, undefined, 's2')
    answered(20e6, undefined, 'c1')
    expect(lines).toHaveLength(1)
  })

  it('reports what was so longer ago than the bound and the time that a server may be behind', () => {
    const { at, answered, lines, asked } = judged()
    at(20.2e6)
    answered(20e6, 'a')
    expect(asked).toEqual([20e6 - 3_180_000 - 2_000_000 - 1_500_000])
    expect(lines).toEqual([
      'N2: the name of web at s1, asked at 20.000000s, is answered with a, and within 3.0 s there were b',
    ])
  })

  it('excuses what is told while a server catches up, or of times of which nothing is known', () => {
    const { contact, at, answered, lines, counts } = judged()
    at(10e6)
    answered(9e6, 'z')
    at(21e6)
    contact.resumed()
    answered(20.9e6, 'z')
    expect(lines).toEqual([])
    expect(counts()).toEqual(['N2 2', 'N2 excused: not known 1', 'N2 excused: catching up 1'])
  })

  it('takes an agent that accepts no stale data for one whose bound is nothing', () => {
    const { at, answered, lines } = judged({ allowStale: false })
    at(21e6)
    answered(20.5e6, 'b')
    expect(lines).toHaveLength(1)
  })
})

describe('contact with a leader', () => {
  it('lasts while a server leads, and begins anew after a gap', () => {
    const { contact, at } = judged()
    at(20e6)
    contact.leads('s1')
    at(40e6)
    expect(contact.of('s1')).toEqual({ atUs: 40e6, sinceUs: 1e6 })
    contact.leadsNoMore('s1')
    at(41e6)
    expect(contact.lastUs()).toBe(40e6)
    contact.received('s2', word)
    expect([contact.of('s2'), contact.changedUs]).toEqual([{ atUs: 41e6, sinceUs: 41e6 }, 41e6])
    contact.gone('s2')
    expect(contact.of('s2')).toBeUndefined()
    expect(contact.lapseUs).toBe(1_500_000)
  })
})
