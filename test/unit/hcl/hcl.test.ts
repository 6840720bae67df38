import { describe, expect, it } from 'vitest'
import { parseHcl } from '../../../src/hcl/hcl.ts'
import { plainValue } from '../../../src/hcl/tree.ts'

function read(text: string): unknown {
  const parsed = parseHcl(text)
  return parsed.ok ? plainValue(parsed.value) : `${parsed.error.offset}: ${parsed.error.message}`
}

describe('HCL', () => {
  it('is what people write for an agent', () => {
    const text = `
# An agent.
data_dir = "/opt/data" // kept
ports { http = 8500, dns = 8600 }
dns_config { service_ttl { "*" = "5s", "web" = "1s" } }
service {
  name = "web"
  tags = ["a", "b",]
  check { args = ["/bin/check", "-x"] interval = "10s" }
}
service { name = "db" }
/* the last */ node_meta = { zone = "z1" }
`
    expect(read(text)).toEqual({
      data_dir: '/opt/data',
      ports: [{ http: 8500, dns: 8600 }],
      dns_config: [{ service_ttl: [{ '*': '5s', web: '1s' }] }],
      service: [
        { name: 'web', tags: ['a', 'b'], check: [{ args: ['/bin/check', '-x'], interval: '10s' }] },
        { name: 'db' },
      ],
      node_meta: [{ zone: 'z1' }],
    })
  })

  it('is what people write for rules', () => {
    const text = 'key "" { policy = "read" }\nkey "foo/" { policy = "write" }\nkeyring = "deny"'
    expect(read(text)).toEqual({
      key: [{ '': [{ policy: 'read' }] }, { 'foo/': [{ policy: 'write' }] }],
      keyring: 'deny',
    })
  })

  it.each([
    ['a = b', '4: Unknown token: IDENT b'],
    ['a = 1\nkey =', "10: no value stands after 'key ='"],
    ['b { key = }', '10: Unknown token: RBRACE }'],
    ['a {', '3: object expected closing RBRACE got: EOF'],
    ['a = [1 2]', '7: error parsing list, expected comma or list end, got: NUMBER'],
    ['a = "x', '6: literal not terminated'],
    ['a = "x\ny"', '6: literal not terminated'],
    ['a "b" = 1', '6: nested object expected: LBRACE got: ASSIGN'],
    ['1a = 2', '0: expected: IDENT | STRING | ASSIGN | LBRACE got: NUMBER'],
    ['a : 1', '2: illegal char'],
    ['a = "\\q"', '5: illegal char escape'],
    ['a = 08', '4: illegal octal number 08'],
    ['a = 9007199254740993', '4: 9007199254740993 is out of range'],
    ['a = 1e999', '4: 1e999 is out of range'],
    [`a = ${'1'.repeat(99)}`, `4: ${'1'.repeat(40)}… (99 characters) is out of range`],
    ['/* a', '0: comment not terminated'],
    ['a = <<EOF\nx', '11: heredoc not terminated'],
    ['a = 1\na {}', "6: 'a' is of one kind in one place and of another in another"],
    ['a = "\\ud800"', '5: illegal char escape'],
  ])('%j is refused: %s', (text, problem) => {
    expect(read(text)).toBe(problem)
  })

  it('is refused where it goes too deep, whatever its size', () => {
    expect(read('a {'.repeat(100_000))).toContain('more than 100 blocks or lists in each other')
    expect(read(`a = ${'['.repeat(100_000)}`)).toContain('more than 100')
  })
})
