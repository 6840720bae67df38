import { describe, expect, it } from 'vitest'
import { failureKind, generalised } from '../../../sim/campaign/fingerprint.ts'
import { recordOf } from './campaign-text.ts'

describe('the kind of a failure', () => {
  it.each([
    ['s4 still runs after 30 s', 's2 still runs after 12.5 s'],
    ['s1, s2 and s3 lead', 's4 and s5 lead'],
    ['3m49s after the last fault c2 sees c3 as failed', '1m2s after the last fault c12 sees c1 as failed'],
    ['token 00000000-0000-4000-8000-000000000002 is unknown', 'token 4f2ac1d0-93ab-4c00-8abc-00000000000f is unknown'],
    ['trace 5f0c6789ab differs', 'trace 00ff11ee22 differs'],
    ['index 1,204 is behind', 'index 7 is behind'],
  ])('is the same for %j and %j', (one, other) => {
    expect(generalised(one)).toBe(generalised(other))
  })

  it.each([
    ['s4 still runs', 's4 does not run'],
    ['nobody leads', 's1 leads'],
    ["key 'a' is lost", "key 'b' is lost"],
  ])('is not the same for %j and %j', (one, other) => {
    expect(generalised(one)).not.toBe(generalised(other))
  })

  it('is that of an invariant in every scenario, and that of an expectation at one place of one page', () => {
    const failed = recordOf('A', 1, 'failed')
    const at = (of: 'A' | 'B', line: number, code?: 'R1') => {
      const failure = { atUs: 3, place: `dir/${of}.yaml:${line}:5`, message: 'nobody leads', ...(code && { code }) }
      return failureKind({ ...recordOf(of, 2, 'failed'), failures: [failure] })
    }
    expect(at('A', 8, 'R1')).toBe(at('B', 9, 'R1'))
    expect(at('A', 8)).not.toBe(at('B', 8))
    expect(at('A', 8)).not.toBe(at('A', 9))
    expect(failureKind(failed)).toBe(failureKind({ ...failed, seed: 5, file: 'elsewhere/a.yaml' }))
  })

  it('is, of a seed without a run, its verdict and scenario alone; nothing of one that has not failed', () => {
    expect(failureKind(recordOf('A', 1, 'died'))).toBe(failureKind(recordOf('A', 2, 'died')))
    expect(failureKind(recordOf('A', 1, 'died'))).not.toBe(failureKind(recordOf('A', 1, 'stuck')))
    expect(failureKind(recordOf('A', 1))).toBeUndefined()
    expect(failureKind(recordOf('A', 1, 'undecided'))).toBeUndefined()
  })
})
