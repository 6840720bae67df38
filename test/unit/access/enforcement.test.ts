import { describe, expect, it } from 'vitest'
import type { Resource, Right } from '../../../src/access/authorizer.ts'
import { enforcedBy, enforcementOf } from '../../../src/access/enforcement.ts'
import { authorizerOf } from '../../../src/access/policy-authorizer.ts'
import { newestRelease, parseRelease, type Release } from '../../../src/model/release.ts'

function release(text: string): Release {
  const parsed = parseRelease(text)
  if (parsed === undefined) throw new Error(text)
  return parsed
}

const nothing = authorizerOf({ accessor: 'a', rulesets: [], defaultPolicy: 'deny', keyListPolicy: false })

const kinds: readonly (readonly [Resource, Right])[] = [
  ['key', 'read'],
  ['acl', 'write'],
  ['service', 'write'],
  ['service', 'read'],
  ['event', 'write'],
  ['keyring', 'read'],
  ['query', 'read'],
  ['agent', 'read'],
  ['node', 'read'],
  ['operator', 'write'],
  ['session', 'write'],
]

function asked(text: string, enforceVersion8?: boolean): readonly string[] {
  const authorizer = enforcedBy(enforcementOf(release(text), enforceVersion8), nothing)
  return kinds
    .filter(([resource, right]) => !authorizer.allows(resource, 'a', right))
    .map(([resource, right]) => `${resource} ${right}`)
}

const always = ['key read', 'acl write']
const since05 = [...always, 'service write']
const since06 = [...since05, 'service read', 'event write', 'keyring read']
const since064 = [...since06, 'query read']
const all = [...since064, 'agent read', 'node read', 'operator write', 'session write']

describe('what a release asks for', () => {
  it('grows with the releases', () => {
    expect(asked('0.4.0')).toEqual(always)
    expect(asked('0.5.0')).toEqual(since05)
    expect(asked('0.6.0')).toEqual(since06)
    expect(asked('0.6.4')).toEqual(since064)
    expect(asked('0.8.0')).toEqual(all)
    expect(asked('1.4.0')).toEqual(all)
  })

  it('is by the setting where the release knows it', () => {
    expect(asked('0.7.1', true)).toEqual(since064)
    expect(asked('0.7.2')).toEqual(since064)
    expect(asked('0.7.2', true)).toEqual(all)
    expect(asked('0.8.0', false)).toEqual(since064)
  })

  it('needs no filter where no authorizer is asked, and says so', () => {
    const old = enforcedBy(enforcementOf(release('0.5.0')), nothing)
    expect(old.readsAll('service')).toBe(true)
    expect(old.explain('service', 'a', 'read')).toEqual({ allowed: true, by: { kind: 'not-enforced' } })
    const newest = enforcedBy(enforcementOf(newestRelease), nothing)
    expect(newest.readsAll('service')).toBe(false)
    expect(newest.explain('service', 'a', 'read')).toEqual(nothing.explain('service', 'a', 'read'))
    expect(newest.accessor).toBe('a')
    expect(newest.unrestricted).toBe(false)
    expect(newest.writesTree('a')).toBe(false)
  })
})
