import { describe, expect, it } from 'vitest'
import { Progress, runText } from '../../../sim/cli/progress.ts'
import { Screen } from '../../../sim/cli/screen.ts'
import type { ScreenKind, SimTerminal } from '../../../sim/cli/terminal.ts'
import { withoutRun } from '../../../sim/report/seed-record.ts'

/** A terminal whose clock is moved by hand; what it shows, in the order in which it was written. */
function terminalOf(kind: Partial<ScreenKind>) {
  const shown: string[] = []
  let tick = (): void => undefined
  let everyMs = 0
  const terminal: Pick<SimTerminal, 'out' | 'error' | 'screen' | 'every'> = {
    out: (text) => void shown.push(`out ${JSON.stringify(text)}`),
    error: (text) => void shown.push(`err ${JSON.stringify(text)}`),
    screen: { live: false, columns: 80, colour: false, ...kind },
    every: (ms, call) => {
      everyMs = ms
      tick = call
      return { close: () => void shown.push('closed') }
    },
  }
  return { terminal: terminal as SimTerminal, shown, tick: () => tick(), everyMs: () => everyMs }
}

describe('what a person watches', () => {
  it('is on a terminal one live line, which is erased before each line of output and at the end', () => {
    const { terminal, shown, tick } = terminalOf({ live: true, columns: 24 })
    const screen = new Screen(terminal, () => '1 of 9 seeds, 2.0 a second, 0 failed')
    tick()
    screen.line('seed 2, passed')
    tick()
    screen.close()
    const erased = 'err "\\r\\u001b[2K"'
    const live = 'err "1 of 9 seeds, 2.0 a sec"'
    expect(shown).toEqual([live, erased, 'out "seed 2, passed\\n"', live, 'closed', erased])
  })

  it('is cut at a usual width on a terminal that does not know its own', () => {
    const { terminal, shown, tick } = terminalOf({ live: true, columns: 0 })
    new Screen(terminal, () => 'x'.repeat(100))
    tick()
    expect(shown).toEqual([`err "${'x'.repeat(79)}"`])
  })

  it('is in a log a line each ten seconds, and nothing is erased', () => {
    const { terminal, shown, tick, everyMs } = terminalOf({})
    const screen = new Screen(terminal, () => '1 of 9 seeds')
    tick()
    screen.line('seed 2, passed')
    screen.close()
    expect(everyMs()).toBe(10_000)
    expect(shown).toEqual(['err "1 of 9 seeds\\n"', 'out "seed 2, passed\\n"', 'closed'])
  })

  it('has the verdict in colour where colours are shown, and in plain text elsewhere', () => {
    const line = 'seed 2, FAILED, trace ab'
    const plain = new Screen(terminalOf({}).terminal, () => undefined)
    expect(plain.judged('failed', 'FAILED', line)).toBe(line)
    const coloured = new Screen(terminalOf({ colour: true }).terminal, () => undefined)
    expect(coloured.judged('failed', 'FAILED', line)).toBe('seed 2, \u001b[31mFAILED\u001b[0m, trace ab')
    expect(coloured.judged('passed', 'passed', 'passed: A')).toBe('\u001b[32mpassed\u001b[0m: A')
  })
})

describe('how far a campaign is', () => {
  it('is seeds, their rate, failures, and the time that is left', () => {
    let nowMs = 5_000
    const progress = new Progress(1_000, () => nowMs)
    const of = { scenario: 'A', file: 'a.yaml', page: 'ab'.repeat(32), seed: 1 }
    const cost = { wallMs: 0, cpuMs: 0 }
    nowMs += 4_000
    expect(progress.text()).toBe('0 of 1000 seeds, 0 failed')
    for (let seed = 0; seed < 10; seed++) progress.judged(withoutRun(of, seed < 2 ? 'stuck' : 'passed', [], cost))
    expect(progress.text()).toBe('10 of 1000 seeds, 2.5 a second, 2 failed, 6 min 36 s left')
    progress.judged(withoutRun(of, 'undecided', [], cost))
    nowMs += 396_000
    expect(progress.text()).toBe('11 of 1000 seeds, 1.6 a minute, 2 failed, 1 undecided, 9 h 59 min left')
  })

  it('leaves out the time that is left where nothing tells it', () => {
    let nowMs = 0
    const progress = new Progress(Number.POSITIVE_INFINITY, () => nowMs)
    const of = { scenario: 'A', file: 'a.yaml', page: 'ab'.repeat(32), seed: 1 }
    progress.judged(withoutRun(of, 'passed', [], { wallMs: 0, cpuMs: 0 }))
    nowMs = 2_000
    expect(progress.text()).toBe('1 seeds, 30.0 a minute, 0 failed')
  })

  it('is, of one run, its virtual time and speed', () => {
    expect(runText(120_500_000, 8_000)).toBe('120.5 virtual s in 8.0 s, 15 virtual s a second')
  })
})
