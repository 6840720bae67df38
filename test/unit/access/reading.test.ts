import { describe, expect, it } from 'vitest'
import { parseRules } from '../../../src/access/reading.ts'
import type { Grammar } from '../../../src/access/rules.ts'
import { accessLabelMax, accessRulesItemsMax, accessRulesMax, accessRulesTextMax } from '../../../src/model/limits.ts'

function read(text: string, grammar: Grammar = 'new'): unknown {
  const parsed = parseRules(text, grammar)
  return parsed.ok ? parsed.value : parsed.error
}

describe('a text of rules', () => {
  it('has exact labels and prefixes in the new grammar', () => {
    const text = `
acl = "read"
operator = "write"
keyring = ""
key "exact/name" { policy = "write" }
key_prefix "app/" { policy = "list" }
service_prefix "" { policy = "read" intentions = "deny" }
`
    expect(read(text)).toEqual({
      grammar: 'new',
      rules: {
        key: [
          { resource: 'key', match: 'exact', label: 'exact/name', level: 'write' },
          { resource: 'key', match: 'prefix', label: 'app/', level: 'list' },
        ],
        service: [{ resource: 'service', match: 'prefix', label: '', level: 'read', intentions: 'deny' }],
      },
      scalars: { acl: 'read', operator: 'write' },
    })
  })

  it('has prefixes alone in the legacy grammar, which knows no acl', () => {
    const text = 'key "" { policy = "read" } key_prefix "x" { policy = "write" } acl = "write" operator = "read"'
    expect(read(text, 'legacy')).toEqual({
      grammar: 'legacy',
      rules: { key: [{ resource: 'key', match: 'prefix', label: '', level: 'read' }] },
      scalars: { operator: 'read' },
    })
  })

  it('may be JSON', () => {
    const hcl = 'key_prefix "foo/" { policy = "write" } key_prefix "bar/" { policy = "deny" } operator = "read"'
    const json = '{"key_prefix":{"foo/":{"policy":"write"},"bar/":{"policy":"deny"}},"operator":"read"}'
    const lists = '{"key_prefix":[{"foo/":[{"policy":"write"}]},{"bar/":{"policy":"deny"}}],"operator":"read"}'
    const repeated =
      '{"key_prefix":{"foo/":{"policy":"write"}},"key_prefix":{"bar/":{"policy":"deny"}},"operator":"read"}'
    for (const text of [json, lists, repeated]) expect(read(text)).toEqual(read(hcl))
  })

  it('keeps both of two rules of one label, for the stricter one decides', () => {
    expect(read('node "a" { policy = "write" } node "a" { policy = "deny" }')).toMatchObject({
      rules: { node: [{ level: 'write' }, { level: 'deny' }] },
    })
  })

  it('may be empty, and may hold unknown blocks, code of sentinel and names in any case', () => {
    const nothing = { grammar: 'new', rules: {}, scalars: {} }
    expect(read('')).toEqual(nothing)
    expect(read('# nothing\n')).toEqual(nothing)
    expect(read('mesh = "write" identity "x" { policy = "fly" } limits { a { b = 1 } }')).toEqual(nothing)
    expect(read('Key "a" { Policy = "deny" sentinel { code = "main = rule { true }" } }')).toMatchObject({
      rules: { key: [{ label: 'a', level: 'deny' }] },
    })
  })

  it.each([
    ['key {', 'Failed to parse ACL rules: At 1:7: object expected closing RBRACE got: EOF'],
    ['key "a" {', 'Failed to parse ACL rules: At 1:11: object expected closing RBRACE got: EOF'],
    ['key "a" { # and', 'Failed to parse ACL rules: At 1:18: object expected closing RBRACE got: EOF'],
    ['key "a" { #', 'Failed to parse ACL rules: At 1:14: object expected closing RBRACE got: EOF'],
    ['key // a', "Failed to parse ACL rules: At 1:10: key 'key' expected start of object ('{') or assignment ('=')"],
    ['key = /a', "Failed to parse ACL rules: At 1:7: expected '/' for comment"],
    ['\nacl = read', 'Failed to parse ACL rules: At 2:7: Unknown token: 2:7 IDENT read'],
    ['{"acl":', 'Failed to parse ACL rules: At 1:8: expected a value got: EOF'],
    ['{"acl":"read"} x', "Failed to parse ACL rules: At 1:16: expected the end got: 'x'"],
    ['acl = ["read"]', 'Failed to parse ACL rules: At 1:7: root.acl: unknown type for string *ast.ListType'],
    ['key = "read"', 'Failed to parse ACL rules: At 1:7: root.key: not a block with a label'],
    ['key { policy = "read" }', 'Failed to parse ACL rules: At 1:16: root.key: not a block with a label'],
    [
      'key "a" { policy { } }',
      'Failed to parse ACL rules: At 1:18: root.key.policy: unknown type for string *ast.ListType',
    ],
    ['operator = "list"', 'Invalid operator policy: "list"'],
    ['acl = "list"', 'Invalid acl policy: "list"'],
    ['keyring = "x"', 'Invalid keyring policy: "x"'],
    ['agent "a" { policy = "fly" }', 'Invalid agent policy: acl.AgentPolicy{Node:"a", Policy:"fly"}'],
    ['event_prefix "" { }', 'Invalid event_prefix policy: acl.EventPolicy{Event:"", Policy:""}'],
    ['query "q" { policy = "list" }', 'Invalid query policy: acl.PreparedQueryPolicy{Prefix:"q", Policy:"list"}'],
    ['session "s" { policy = 1 }', 'Invalid session policy: acl.SessionPolicy{Node:"s", Policy:"1"}'],
    [
      'key "a" { policy = "fly" }',
      'Invalid key policy: acl.KeyPolicy{Prefix:"a", Policy:"fly", Sentinel:acl.Sentinel{Code:"", EnforcementLevel:""}}',
    ],
    [
      'node_prefix "a" { policy = "list" }',
      'Invalid node_prefix policy: acl.NodePolicy{Name:"a", Policy:"list", Sentinel:acl.Sentinel{Code:"", EnforcementLevel:""}}',
    ],
    [
      'service "a" { policy = "read" intentions = "list" }',
      'Invalid service intentions policy: acl.ServicePolicy{Name:"a", Policy:"read", Sentinel:acl.Sentinel{Code:"", EnforcementLevel:""}, Intentions:"list"}',
    ],
  ])('%j is refused: %s', (text, problem) => {
    expect(read(text)).toBe(problem)
  })

  it('is refused beyond its bounds', () => {
    expect(read(`#${'x'.repeat(accessRulesTextMax)}`)).toContain('the text is longer than')
    expect(read('key "a" { policy = "read" }\n'.repeat(accessRulesMax + 1))).toContain(
      `more than ${accessRulesMax} rules`,
    )
    for (const text of [
      'a {}\n'.repeat(100_000),
      `a = [${'1,'.repeat(100_000)}]`,
      `{"a":[${'1,'.repeat(100_000)}1]}`,
    ]) {
      expect(read(text)).toContain(`more than ${accessRulesItemsMax} values and labels`)
    }
    const rule = 'service "a" { policy = "read" intentions = "deny" }\n'
    expect(read(rule.repeat(accessRulesMax))).not.toContain('more than')
    expect(read(`key "${'a'.repeat(accessLabelMax + 1)}" { policy = "read" }`)).toContain('a label is longer than')
    expect(read('{"a":'.repeat(1_000))).toContain('more than 100 objects or lists')
  })

  it('is refused with a number of JSON that cannot be held, and says which', () => {
    expect(read('{"a": 1e999}')).toContain('At 1:7: 1e999 is out of range')
    expect(read(`{"a": ${'1'.repeat(400_000)}}`)).toContain(`${'1'.repeat(40)}… (400000 characters) is out of range`)
  })
})
