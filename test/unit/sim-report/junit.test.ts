import { describe, expect, it } from 'vitest'
import { annotation } from '../../../sim/report/annotations.ts'
import { junitHead, junitTail, missedCase, seedCase, suiteText } from '../../../sim/report/junit.ts'
import { type SeedRecord, withoutRun } from '../../../sim/report/seed-record.ts'
import { junitProblems, parseXml } from '../../tools/junit-shape.ts'

const of = { scenario: 'Links & "clocks" <break>', file: 'scenarios/a,b.yaml', page: 'ab'.repeat(32), seed: 7 }
const passed: SeedRecord = { ...withoutRun(of, 'passed', [], { wallMs: 1_234, cpuMs: 0 }), trace: 'cd'.repeat(32) }
const failed: SeedRecord = {
  ...passed,
  verdict: 'failed',
  passed: false,
  invariant: 'R1',
  failures: [{ atUs: 1_500_000, place: 'R1 (one leader)', code: 'R1', message: 's1 & s2\u0000\ud800 <lead>\n"both"' }],
}
const unmet: SeedRecord = {
  ...failed,
  seed: 8,
  invariant: null,
  failures: [{ atUs: 0, place: 'scenarios/a,b.yaml:7:5', message: 'expected 100%: found\n50%' }],
}
const stuck = withoutRun({ ...of, seed: 9 }, 'stuck', ['virtual time stands still'], { wallMs: 0, cpuMs: 0 })

function report(records: readonly SeedRecord[]): string {
  const cases = [
    ...records.map(seedCase),
    missedCase(of.file, { place: 'scenarios/a,b.yaml:9:5', message: 'no seed has reached: x' }),
  ]
  return `${[junitHead, suiteText({ ...of, cases }), junitTail].join('\n')}\n`
}

describe('the report in the form of JUnit', () => {
  it('has a suite for a scenario, a case for a seed, and the repeat command in the text of a failure', () => {
    const text = report([passed, failed, unmet, stuck])
    expect(junitProblems(text)).toEqual([])
    const [suite] = parseXml(text).children
    expect(suite?.attributes).toMatchObject({
      name: of.scenario,
      tests: '5',
      failures: '3',
      errors: '1',
      time: '3.702',
    })
    const cases = suite?.children ?? []
    expect(cases.map(({ attributes }) => attributes['name'])).toEqual([
      'seed 7',
      'seed 7',
      'seed 8',
      'seed 9',
      'all seeds: scenarios/a,b.yaml:9:5',
    ])
    expect(cases.map(({ children }) => children[0]?.name)).toEqual([
      undefined,
      'failure',
      'failure',
      'error',
      'failure',
    ])
    const failure = cases[1]?.children[0]
    expect(failure?.attributes).toEqual({ type: 'R1', message: 'R1 (one leader): s1 & s2\ufffd\ufffd <lead>\n"both"' })
    expect(failure?.text).toContain('repeat with: svc-sim run scenarios/a,b.yaml --seed 7')
    expect(cases[3]?.children[0]?.attributes['type']).toBe('stuck')
  })

  it.each([
    ['is not well formed', (text: string) => text.replace('&amp;', '&')],
    ['has an element that is never closed', (text: string) => text.replace('  </testsuite>\n', '')],
    ['counts otherwise than it has cases', (text: string) => text.replace('tests="3"', 'tests="4"')],
    ['has a case without a name', (text: string) => text.replace(' name="seed 7"', '')],
    ['has an attribute that readers do not know', (text: string) => text.replace(' time=', ' colour=')],
    ['has a character that XML does not have', (text: string) => text.replace('seed 7', 'seed \u0001')],
  ])('is refused by the check of its shape where it %s', (_, broken) => {
    const text = report([passed, failed])
    expect(junitProblems(text)).toEqual([])
    expect(junitProblems(broken(text))).not.toEqual([])
  })
})

describe('an annotation of GitHub', () => {
  const nowhere = { root: undefined, folder: undefined }

  it('stands at the line that was not met, an invariant at the first line', () => {
    expect(annotation(unmet, nowhere)).toBe(
      '::error file=scenarios/a%2Cb.yaml,line=7,col=5,title=seed 8%3A failed::' +
        '    0.000s scenarios/a,b.yaml:7:5: expected 100%25: found%0A50%25%0A' +
        'seed 8; repeat with: svc-sim run scenarios/a,b.yaml --seed 8%0A' +
        'make it smaller with: svc-sim shrink scenarios/a,b.yaml --seed 8%0A' +
        'explain it with: svc-sim explain scenarios/a,b.yaml --seed 8',
    )
    expect(annotation(failed, nowhere)).toMatch(/^::error file=scenarios\/a%2Cb\.yaml,line=1,title=seed 7%3A failed::/)
    expect(annotation({ ...passed, verdict: 'undecided' }, nowhere)).toMatch(/^::warning file=/)
  })

  it('names the page from the root of the repository on', () => {
    const inside = { root: '/srv/repo', folder: '/srv/repo/tests' }
    expect(annotation(failed, inside)).toContain('file=tests/scenarios/a%2Cb.yaml,')
    expect(annotation({ ...failed, file: '/srv/repo/x.yaml' }, inside)).toContain('file=x.yaml,')
    expect(annotation({ ...failed, file: '/etc/x.yaml' }, inside)).toContain('file=/etc/x.yaml,')
  })
})
