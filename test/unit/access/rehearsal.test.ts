import { describe, expect, it } from 'vitest'
import { type Authorizer, decisionText, managementOf } from '../../../src/access/authorizer.ts'
import { authorizerOf } from '../../../src/access/policy-authorizer.ts'
import { parseRules } from '../../../src/access/reading.ts'
import { type Difference, dual, type Refusal, reportOnly } from '../../../src/access/rehearsal.ts'
import { Tally, talliedMax } from '../../../src/access/tally.ts'

function authorizer(text: string): Authorizer {
  const parsed = parseRules(text, 'new')
  if (!parsed.ok) throw new Error(parsed.error)
  const rulesets = [{ policy: 'app', rules: parsed.value }]
  return authorizerOf({ accessor: 'one', rulesets, defaultPolicy: 'deny', keyListPolicy: false })
}

const readsA = authorizer('key_prefix "a" { policy = "read" }')
const writesA = authorizer('key_prefix "a" { policy = "write" } service_prefix "" { policy = "read" }')

describe('report only', () => {
  it('refuses nothing, and tells each refusal with what decided', () => {
    const told: Refusal[] = []
    const lenient = reportOnly(readsA, (refusal) => told.push(refusal))
    expect(lenient.allows('key', 'ab', 'read')).toBe(true)
    expect(told).toEqual([])
    expect(lenient.allows('key', 'ab', 'write')).toBe(true)
    expect(lenient.writesTree('a')).toBe(true)
    expect(told).toEqual([
      {
        accessor: 'one',
        ask: { resource: 'key', name: 'ab', right: 'write' },
        decision: { allowed: false, by: { kind: 'rule', rule: 'key_prefix "a"', level: 'read', policy: 'app' } },
      },
      {
        accessor: 'one',
        ask: { resource: 'key', name: 'a', right: 'write' },
        decision: { allowed: false, by: { kind: 'rule', rule: 'key_prefix "a"', level: 'read', policy: 'app' } },
      },
    ])
  })

  it('has filters look at every name that could be left out', () => {
    const lenient = reportOnly(readsA, () => {})
    expect([lenient.unrestricted, lenient.readsAll('service'), lenient.readsAll('key')]).toEqual([false, false, false])
    expect(reportOnly(writesA, () => {}).readsAll('service')).toBe(true)
    expect(reportOnly(managementOf('m'), () => {}).unrestricted).toBe(true)
    expect(lenient.explain('node', 'n', 'read')).toEqual({ allowed: true, by: { kind: 'default', policy: 'deny' } })
  })
})

describe('two authorizers', () => {
  it('are followed by the first, and each difference is told', () => {
    const told: Difference[] = []
    let isOn = true
    const both = dual(readsA, writesA, { differs: (difference) => told.push(difference), isOn: () => isOn })
    expect(both.allows('key', 'a', 'read')).toBe(true)
    expect(both.allows('node', 'a', 'read')).toBe(false)
    expect(told).toEqual([])
    expect(both.allows('key', 'a', 'write')).toBe(false)
    expect(both.writesTree('ab')).toBe(false)
    expect(both.allows('service', 'web', 'read')).toBe(false)
    expect(told.map(({ first, second }) => [first.allowed, second.allowed])).toEqual([
      [false, true],
      [false, true],
      [false, true],
    ])
    expect(told[2]).toMatchObject({ ask: { resource: 'service', name: 'web' }, first: { by: { kind: 'default' } } })
    isOn = false
    expect([both.allows('key', 'a', 'write'), both.writesTree('ab'), both.readsAll('service')]).toEqual([
      false,
      false,
      false,
    ])
    expect(told).toHaveLength(3)
  })

  it('are both asked where either would not read all', () => {
    const both = dual(writesA, readsA, { differs: () => {}, isOn: () => true })
    expect([both.readsAll('service'), both.unrestricted]).toEqual([false, false])
    expect(both.explain('service', 'web', 'read')).toEqual(writesA.explain('service', 'web', 'read'))
  })
})

describe('a tally', () => {
  it('puts the same for the same reason together, and begins anew when it was taken', () => {
    const tally = new Tally()
    const lenient = reportOnly(readsA, (refusal) => tally.refused(refusal))
    for (const name of ['ab', 'ac', 'b']) lenient.allows('key', name, 'write')
    expect(tally.take()).toEqual({
      counts: [
        {
          accessor: 'one',
          resource: 'key',
          right: 'write',
          name: 'ab',
          why: 'refused by key_prefix "a" read, app',
          times: 2,
        },
        {
          accessor: 'one',
          resource: 'key',
          right: 'write',
          name: 'b',
          why: 'refused by default policy deny',
          times: 1,
        },
      ],
      others: 0,
    })
    expect(tally.take()).toEqual({ counts: [], others: 0 })
  })

  it('counts differences, and together what has no room', () => {
    const tally = new Tally()
    const refused = { allowed: false, by: { kind: 'default', policy: 'deny' } } as const
    const allowed = { allowed: true, by: { kind: 'unrestricted' } } as const
    for (let token = 0; token < talliedMax + 3; token++) {
      const ask = { resource: 'key', name: 'x'.repeat(1_000), right: 'read' } as const
      tally.differed({ accessor: `t${token}`, ask, first: refused, second: allowed })
    }
    const { counts, others } = tally.take()
    expect([counts.length, others, counts[0]?.name.length]).toEqual([talliedMax, 3, 128])
    expect(counts[0]?.why).toBe('refused by default policy deny, would be allowed by no restriction')
    expect(decisionText({ allowed: true, by: { kind: 'not-enforced' } })).toBe(
      'allowed by nothing, for no rule is asked for it',
    )
  })
})
