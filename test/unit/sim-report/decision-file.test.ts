import { describe, expect, it } from 'vitest'
import { DecisionReading, decisionHeaderText } from '../../../sim/report/decision-file.ts'

const run = { scenario: 'Crash', page: '0'.repeat(64), seed: 17, program: '1.4.0', build: 'x' }

function read(line: object): readonly string[] {
  const reading = new DecisionReading('list')
  reading.line(decisionHeaderText(run).trimEnd())
  reading.line(JSON.stringify({ id: '0123456789abcdef', n: 0, ...line }))
  const read = reading.end()
  return read.ok ? [] : read.error
}

describe('a file of decisions', () => {
  it.each([
    { kind: 'event', value: 1 },
    { kind: 'chance', value: 0 },
    { kind: 'choice', value: 2, among: 3 },
    { kind: 'choice', value: 0xffff_ffff },
    { kind: 'range', value: 0 },
    { kind: 'range', value: 0.999 },
    { kind: 'raw', value: 0xffff_ffff },
  ])('takes %j', (line) => {
    expect(read(line)).toEqual([])
  })

  it.each([
    [{ kind: 'range', value: 1 }, 'a place in a range is from 0 to 1, without 1'],
    [{ kind: 'range', value: 17 }, 'a place in a range is from 0 to 1, without 1'],
    [{ kind: 'range', value: -0.5 }, 'Too small: expected number to be >=0'],
    [{ kind: 'event', value: 2 }, 'a whole number: 0 or 1 of an event'],
    [{ kind: 'chance', value: 0.5 }, 'a whole number: 0 or 1 of a chance'],
    [{ kind: 'choice', value: 0.5 }, 'a whole number'],
    [{ kind: 'choice', value: 3, among: 3 }, 'a choice among 3 is a whole number below 3'],
    [{ kind: 'raw', value: 0.5 }, 'a whole number'],
  ])('refuses %j', (line, message) => {
    expect(read(line)).toEqual([`list:2: value: ${message}`])
  })
})
