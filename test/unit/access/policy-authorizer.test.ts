import { describe, expect, it } from 'vitest'
import type { Ask, Authorizer } from '../../../src/access/authorizer.ts'
import { authorizerOf, type PolicyAuthorizerOptions } from '../../../src/access/policy-authorizer.ts'
import { parseRules } from '../../../src/access/reading.ts'
import type { Grammar, RuleSet } from '../../../src/access/rules.ts'

function rulesOf(text: string, grammar: Grammar = 'new'): RuleSet {
  const parsed = parseRules(text, grammar)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

function authorizer(texts: readonly string[], options: Partial<PolicyAuthorizerOptions> = {}): Authorizer {
  const rulesets = texts.map((text, at) => ({ policy: `p${at}`, rules: rulesOf(text) }))
  return authorizerOf({ accessor: 'one', rulesets, defaultPolicy: 'deny', keyListPolicy: true, ...options })
}

const everything = `
acl = "write" keyring = "write" operator = "write"
agent_prefix "" { policy = "write" } event_prefix "" { policy = "write" } key_prefix "" { policy = "write" }
node_prefix "" { policy = "write" } query_prefix "" { policy = "write" } session_prefix "" { policy = "write" }
service_prefix "" { policy = "write" intentions = "write" }
`

describe('what policies let a token do', () => {
  it('is said by the exact rule, else by the longest prefix, and what is found decides', () => {
    const text = 'key "ex" { policy = "write" } key_prefix "pre" { policy = "read" } key "prex" { policy = "deny" }'
    const token = authorizer([text])
    const may = (name: string): readonly string[] =>
      (['read', 'list', 'write'] as const).filter((right) => token.allows('key', name, right))
    expect(may('ex')).toEqual(['read', 'list', 'write'])
    expect(may('ex2')).toEqual([])
    expect(may('pre1')).toEqual(['read'])
    expect(may('prex')).toEqual([])
    expect(may('prexy')).toEqual(['read'])
  })

  it('is for one label the strictest of denying, then the most of the rest', () => {
    const read = 'key_prefix "a" { policy = "read" }'
    const list = 'key_prefix "a" { policy = "list" }'
    const write = 'key_prefix "a" { policy = "write" }'
    const deny = 'key_prefix "a" { policy = "deny" }'
    expect(authorizer([read, write]).allows('key', 'a', 'write')).toBe(true)
    expect(authorizer([list, read]).allows('key', 'a', 'list')).toBe(true)
    expect(authorizer([write, deny, write]).allows('key', 'a', 'read')).toBe(false)
  })

  it('follows a longer prefix of one policy over a shorter one of another', () => {
    const token = authorizer(['node_prefix "a" { policy = "deny" }', 'node_prefix "ab" { policy = "read" }'])
    expect(token.allows('node', 'abc', 'read')).toBe(true)
    expect(token.allows('node', 'ac', 'read')).toBe(false)
  })

  it('is the default where no rule speaks, which never grants access control', () => {
    const open = authorizer([], { defaultPolicy: 'allow' })
    const shut = authorizer([])
    const asks: readonly Ask[] = [
      { resource: 'key', name: 'a', right: 'write' },
      { resource: 'operator', name: '', right: 'write' },
      { resource: 'intention', name: 'a', right: 'write' },
    ]
    for (const { resource, name, right } of asks) {
      expect([open.allows(resource, name, right), shut.allows(resource, name, right)]).toEqual([true, false])
    }
    expect(open.allows('acl', '', 'read')).toBe(false)
    expect(open.writesTree('a')).toBe(true)
    expect(shut.writesTree('a')).toBe(false)
  })

  it('for intentions is what the rule of the service says of them, else reading with any right', () => {
    const token = authorizer([
      'service "a" { policy = "write" } service "b" { policy = "deny" } service "c" { policy = "read" intentions = "write" }',
      'service "c" { policy = "write" intentions = "deny" }',
      'service "d" { policy = "deny" intentions = "write" }',
    ])
    const may = (name: string): readonly boolean[] =>
      (['read', 'write'] as const).map((right) => token.allows('intention', name, right))
    expect(may('a')).toEqual([true, false])
    expect(may('b')).toEqual([false, false])
    expect(may('c')).toEqual([false, false])
    expect(may('d')).toEqual([true, true])
    expect(token.allows('service', 'd', 'read')).toBe(false)
  })

  it('for a tree of keys is writing it only if nothing at or below says less', () => {
    const token = authorizer(['key_prefix "a/" { policy = "write" } key "a/b/c" { policy = "read" }'])
    expect(token.writesTree('a/x')).toBe(true)
    expect(token.writesTree('a/b')).toBe(false)
    expect(token.writesTree('a/b/cd')).toBe(true)
    expect(token.writesTree('a')).toBe(false)
    expect(token.writesTree('')).toBe(false)
  })

  it('lists keys without a rule where there is no policy of listing', () => {
    const text = 'key_prefix "a" { policy = "read" }'
    expect(authorizer([text]).allows('key', 'a', 'list')).toBe(false)
    const without = authorizer([text], { keyListPolicy: false })
    expect(without.allows('key', 'a', 'list')).toBe(true)
    expect(without.explain('key', 'a', 'list')).toEqual({ allowed: true, by: { kind: 'not-enforced' } })
  })

  it('reads all of a resource if no rule denies any of it', () => {
    expect(authorizer(['service_prefix "" { policy = "read" }']).readsAll('service')).toBe(true)
    expect(
      authorizer(['service_prefix "" { policy = "read" } service "a" { policy = "deny" }']).readsAll('service'),
    ).toBe(false)
    expect(authorizer(['service_prefix "a" { policy = "read" }']).readsAll('service')).toBe(false)
    expect(authorizer([], { defaultPolicy: 'allow' }).readsAll('node')).toBe(true)
  })

  it('is everything only with every right, access control too', () => {
    expect(authorizer([everything]).unrestricted).toBe(true)
    expect(authorizer([everything, 'key "a" { policy = "read" }']).unrestricted).toBe(false)
    expect(authorizer([everything, 'acl = "deny"']).unrestricted).toBe(false)
    expect(authorizer([everything.replace('intentions = "write"', '')]).unrestricted).toBe(false)
    expect(authorizer([], { defaultPolicy: 'allow' }).unrestricted).toBe(false)
  })

  it('is explained by the rule as it is written and the policy that holds it', () => {
    const token = authorizer([
      'service_prefix "w" { policy = "read" }',
      'service_prefix "w" { policy = "write" } acl = "read"',
    ])
    expect(token.explain('service', 'web', 'write')).toEqual({
      allowed: true,
      by: { kind: 'rule', rule: 'service_prefix "w"', level: 'write', policy: 'p1' },
    })
    expect(token.explain('acl', '', 'write')).toEqual({
      allowed: false,
      by: { kind: 'rule', rule: 'acl', level: 'read', policy: 'p1' },
    })
    expect(token.explain('node', 'web', 'read')).toEqual({ allowed: false, by: { kind: 'default', policy: 'deny' } })
  })

  it('is explained in the words of a legacy token', () => {
    const rules = rulesOf('service "w" { policy = "read" }', 'legacy')
    const rulesets = [{ policy: 'old', rules }]
    const token = authorizerOf({ accessor: '', rulesets, defaultPolicy: 'deny', keyListPolicy: false })
    expect(token.explain('service', 'web', 'read')).toMatchObject({ allowed: true, by: { rule: 'service "w"' } })
  })
})
