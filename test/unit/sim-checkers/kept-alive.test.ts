import { describe, expect, it } from 'vitest'
import { KeptAlive } from '../../../sim/checkers/registrations/kept-alive.ts'
import type { CheckHeard, RegistrationChange } from '../../../sim/checkers/registrations/registration-facts.ts'
import { recorder } from './reports.ts'

const checkId = 'service:web-1'

/** One agent, c1, with a check that has ten seconds to live. */
function watched() {
  const { judge, lines, counts } = recorder()
  let nowUs = 1_000_000
  const law = new KeptAlive({ ...judge, nowUs: () => nowUs })
  const began = (status: CheckHeard['status']): RegistrationChange => {
    const change = {
      node: 'c1',
      heard: [{ checkId, ttlMs: 10_000, status }],
      calledUs: nowUs,
      endedUs: nowUs,
    } as unknown as RegistrationChange
    law.began(change)
    return change
  }
  const ended = (change: RegistrationChange, outcome: RegistrationChange['outcome'] = 'done'): void => {
    Object.assign(change, { outcome, endedUs: nowUs })
    law.ended(change)
  }
  const logs = (line: string): void => law.logged({ node: 'c1', where: 'log', text: () => line })
  return {
    law,
    lines,
    counts,
    began,
    ended,
    reports: (status: CheckHeard['status'] = 'passing') => ended(began(status)),
    later: (seconds: number) => {
      nowUs += seconds * 1e6
    },
    logs,
    expires: () => logs(`[WARN] agent: Check is now critical check=${checkId}`),
  }
}

describe('E13, a check that is kept alive', () => {
  it('expires when nothing was reported for its time to live, by the fastest clock', () => {
    const { reports, later, expires, lines, counts } = watched()
    reports()
    later(5)
    reports()
    later(9.5)
    expires()
    expect([lines, counts()]).toEqual([[], ['E13 2']])
  })

  it('is reported if it expires sooner after a report, though only for a moment', () => {
    const { reports, later, expires, lines } = watched()
    reports()
    later(5)
    reports('warning')
    later(9)
    expires()
    reports()
    expect(lines).toEqual([
      'E13: check service:web-1 of c1 expires 9.000 s after it was reported as warning, its time to live being 10 s',
    ])
  })

  it('says nothing of other checks, other lines, and checks that are critical or gone', () => {
    const { reports, expires, logs, lines, counts } = watched()
    reports()
    logs('[WARN] agent: Check is now critical check=service:web-2')
    logs(`[INFO] agent: Check is now passing check=${checkId}`)
    reports('critical')
    expires()
    reports('gone')
    expires()
    expect([lines, counts()]).toEqual([[], ['E13 1']])
  })

  it('is excused after a restart, by a pause, and while it may be changed, until the next report', () => {
    const { law, reports, began, ended, expires, later, lines, counts } = watched()
    reports()
    law.booted('c1')
    expires()
    reports()
    law.slept('c1')
    expires()
    later(1)
    reports()
    const change = began('as it was')
    expires()
    ended(change, 'unknown')
    reports()
    expires()
    later(3)
    reports()
    expect(lines).toEqual([])
    expires()
    expect(lines).toHaveLength(1)
    expect(counts()).toEqual(
      expect.arrayContaining(['E13 excused: restarted 1', 'E13 excused: slept 1', 'E13 excused: change under way 2']),
    )
  })
})
