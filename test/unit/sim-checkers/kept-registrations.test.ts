import { describe, expect, it } from 'vitest'
import { KeptRegistrations } from '../../../sim/checkers/pool/kept-registrations.ts'
import { recorder } from './reports.ts'

function watched(): { checker: KeptRegistrations; codes: readonly string[]; pass(hours: number): void } {
  let nowUs = 0
  const { judge, codes } = recorder()
  const checker = new KeptRegistrations(judge, () => nowUs)
  checker.booted('c1')
  return {
    checker,
    codes,
    pass: (hours) => {
      nowUs += hours * 3_600_000_000
    },
  }
}

describe('E3 while the run goes on', () => {
  it('reports a node that is taken out while its agent runs, or because it died', () => {
    const { checker, codes, pass } = watched()
    checker.takenOut('c1')
    expect(codes).toEqual(['E3'])
    checker.died('c1')
    pass(1)
    checker.takenOut('c1')
    expect(codes).toEqual(['E3', 'E3'])
  })

  it('lets go a node that was asked to leave, however late its message arrives', () => {
    const { checker, codes } = watched()
    checker.mayGo('c1')
    checker.takenOut('c1')
    checker.died('c1')
    checker.booted('c1')
    checker.takenOut('c1')
    expect(codes).toEqual([])
  })

  it('lets go a node that has been dead for as long as a pool remembers, counted from the last life', () => {
    const { checker, codes, pass } = watched()
    checker.died('c1')
    pass(7)
    checker.booted('c1')
    checker.died('c1')
    pass(7)
    checker.takenOut('c1')
    expect(codes).toEqual(['E3'])
    pass(1)
    checker.takenOut('c1')
    expect(codes).toEqual(['E3'])
  })

  it('counts a death once, even if the agent is killed again before it runs', () => {
    const { checker, codes, pass } = watched()
    checker.died('c1')
    pass(7)
    checker.died('c1')
    pass(1)
    checker.takenOut('c1')
    expect(codes).toEqual([])
  })

  it('does not care for nodes that no agent stands for', () => {
    const { checker, codes } = watched()
    checker.takenOut('printer')
    expect(codes).toEqual([])
  })
})
