import { describe, expect, it } from 'vitest'
import { junitProblems } from '../../tools/junit-shape.ts'
import { manifestOf, merged, recordOf, textOfCampaign } from './campaign-text.ts'

const seeds = (of: 'A' | 'B', ...numbers: readonly number[]) => numbers.map((seed) => recordOf(of, seed))
const span = { seeds: { first: 1, last: 4 } }

describe('svc-sim merge --junit', () => {
  const first = textOfCampaign(manifestOf(span), [...seeds('B', 2, 1), recordOf('A', 1, 'failed'), ...seeds('A', 2)])
  const second = textOfCampaign(manifestOf(span), [
    ...seeds('A', 2, 3, 4),
    recordOf('B', 3, 'died'),
    { ...recordOf('B', 4), forks: [{ atMs: 4200, seed: 3 }] },
  ])

  it('writes a suite for each scenario and a case for each seed, and an error where seeds are missing', async () => {
    const { exit, junit = '' } = await merged({ '1.jsonl': first, '2.jsonl': second }, '--quiet', '--junit', 'all.xml')
    expect(exit).toBe(5)
    expect(junitProblems(junit)).toEqual([])
    const shape = junit.match(
      /<(testsuite|testcase|failure|error) (?:[^>]*? )?(name|type)="[^"]*"( tests="\d+" failures="\d+" errors="\d+")?/g,
    )
    expect(shape?.map((line) => line.replace(/classname="[^"]*" /, ''))).toEqual([
      '<testsuite name="A" tests="4" failures="1" errors="0"',
      '<testcase name="seed 1"',
      '<failure type="expectation"',
      ...[2, 3, 4].map((seed) => `<testcase name="seed ${seed}"`),
      '<testsuite name="B" tests="5" failures="0" errors="2"',
      '<testcase name="seed 1"',
      '<testcase name="seed 2"',
      '<testcase name="seed 3"',
      '<error type="died"',
      '<testcase name="seed 4 --fork 4200ms:3"',
      '<testcase name="MISSING: 4 (1 seed)"',
      '<error type="missing"',
    ])
  })

  it('says the same whatever the order of the files, and however often one is named', async () => {
    const one = await merged({ '1.jsonl': first, '2.jsonl': second }, '--junit', 'all.xml')
    const other = await merged({ '2.jsonl': second, '1.jsonl': first, '3.jsonl': second }, '--junit', 'all.xml')
    expect(other.junit).toBe(one.junit)
  })

  it('has an error for a seed with two runs, and takes the run of one that had no verdict', async () => {
    const others = textOfCampaign(manifestOf(span), [recordOf('A', 2, 'passed', 'another'), recordOf('B', 3)])
    const { exit, junit = '' } = await merged(
      { '1.jsonl': first, '2.jsonl': second, '3.jsonl': others },
      '--junit',
      'x.xml',
    )
    expect(exit).toBe(3)
    expect(junit).toMatch(/name="seed 2" time="0.000">\n +<error type="not deterministic"/)
    expect(junit).toMatch(/classname="b.yaml" name="seed 3" time="[\d.]+"\/>/)
  })
})
