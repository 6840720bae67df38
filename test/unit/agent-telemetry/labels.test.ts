import { describe, expect, it } from 'vitest'
import { LabelBounds, labelsKeptMs, labelsOfOneMetricMax } from '../../../src/agent/telemetry/label-bounds.ts'
import { labelsMax, labelsOf, labelValueMax } from '../../../src/model/metric-labels.ts'

function bounds() {
  let nowMs = 0
  const made = new LabelBounds({ monoMs: () => nowMs })
  const pass = (ms: number): void => {
    nowMs += ms
  }
  /** Whether each of these services of one metric has labels. */
  const admitted = (from: number, to: number): readonly boolean[] =>
    Array.from(
      { length: to - from },
      (_, at) => made.admitted('m', labelsOf(['service', `s${from + at}`])) !== undefined,
    )
  return { made, pass, admitted }
}

const all = (count: number): readonly boolean[] => Array<boolean>(count).fill(true)

describe('labels of one series', () => {
  it('are told apart by what they say, in order', () => {
    expect(labelsOf(['service', 'web'], ['tag', 'a'], ['tag', 'b'])).toEqual({
      pairs: [
        ['service', 'web'],
        ['tag', 'a'],
        ['tag', 'b'],
      ],
      key: ';service=web;tag=a;tag=b',
    })
  })

  it('are told apart also where a value looks like another label', () => {
    const keys = [
      labelsOf(['service', 'a;tag=b']),
      labelsOf(['service', 'a'], ['tag', 'b']),
      labelsOf(['service', 'a;'], ['tag', 'b']),
      labelsOf(['service', 'a;;tag=b']),
    ].map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('are bounded in number and in characters, whatever a caller asks for', () => {
    const tags = Array.from({ length: 100 }, (_, at) => ['tag', String(at)] as const)
    expect(labelsOf(...tags).pairs).toHaveLength(labelsMax)
    const [[, value] = ['', '']] = labelsOf(['service', 'x'.repeat(100_000)]).pairs
    expect(value).toHaveLength(labelValueMax)
    const long = Array.from(
      { length: labelsMax },
      (_, at) => ['tag', 'stuvwxyz'.charAt(at).repeat(labelValueMax)] as const,
    )
    const { key, pairs } = labelsOf(...long)
    expect(key.length).toBeLessThanOrEqual(512)
    expect(pairs).toHaveLength(3)
  })

  it('hide what has the form of a token, also at the place where a long value is cut', () => {
    const token = '0b2c1f3a-9d4e-4f5a-8b6c-7d8e9f0a1b2c'
    expect(labelsOf(['service', token]).pairs).toEqual([['service', '<hidden>']])
    const [[, value] = ['', '']] = labelsOf(['service', `${'x'.repeat(labelValueMax - 10)}${token}`]).pairs
    expect(value).not.toMatch(/0b2c/)
  })
})

describe('labels of one metric', () => {
  it('are the same object each time, and others beyond the bound are left out', () => {
    const { made, admitted } = bounds()
    const first = made.admitted('m', labelsOf(['service', 's0']))
    expect(made.admitted('m', labelsOf(['service', 's0']))).toBe(first)
    expect(admitted(0, labelsOfOneMetricMax + 3)).toEqual([...all(labelsOfOneMetricMax), false, false, false])
    expect(admitted(0, labelsOfOneMetricMax)).toEqual(all(labelsOfOneMetricMax))
    expect(made.admitted('other', labelsOf(['service', 'new']))).toBeDefined()
  })

  it('make room once they have not occurred for a while; those that go on keep theirs', () => {
    const { pass, admitted } = bounds()
    admitted(0, labelsOfOneMetricMax)
    pass(labelsKeptMs)
    // Labels of the time before keep their room for one more, even if others come first.
    expect(admitted(900, 901)).toEqual([false])
    expect(admitted(0, 10)).toEqual(all(10))
    pass(labelsKeptMs)
    expect(admitted(900, 1_200)).toEqual([...all(labelsOfOneMetricMax - 10), ...Array(300 - 246).fill(false)])
    expect(admitted(0, 10)).toEqual(all(10))
  })
})
