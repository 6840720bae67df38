import { describe, expect, it } from 'vitest'
import { translateRules } from '../../../src/access/translate.ts'

function translate(text: string): string {
  const translated = translateRules(text)
  return translated.ok ? translated.value : translated.error
}

describe('the translation of legacy rules', () => {
  it('makes prefixes of labels and puts each block in lines of its own', () => {
    const text = 'key "foo/" { policy = "write" } service "web" { policy = "read" }'
    expect(translate(text)).toBe(
      'key_prefix "foo/" {\n  policy = "write"\n}\n\nservice_prefix "web" {\n  policy = "read"\n}',
    )
  })

  it('keeps comments where they are', () => {
    const text = `# Rules of the web.
# Two lines.

  # of nodes
node "" { # all of them
  policy = "read" // and no more
}
operator = "read" # why not
key /* strange */ "a" {
  # nothing here
}
/* the
   end */`
    expect(translate(text)).toBe(`# Rules of the web.
# Two lines.

# of nodes
node_prefix "" {
  # all of them
  policy = "read" // and no more
}

operator = "read" # why not

/* strange */
key_prefix "a" {
  # nothing here
}

/* the
   end */`)
  })

  it('puts short members of adjacent lines under each other', () => {
    const text = 'service "a" {\n policy="read"\n   intentions = "deny"\n\n other = [ 1,"x" ]\n}\nevent "" {}'
    expect(translate(text)).toBe(
      'service_prefix "a" {\n  policy     = "read"\n  intentions = "deny"\n\n  other = [1, "x"]\n}\n\nevent_prefix "" {}',
    )
  })

  it('leaves code of sentinel as it is', () => {
    const text = 'key "a" {\n  policy = "write"\n  sentinel {\n    code = <<EOF\nmain = rule {\n  true\n}\nEOF\n  }\n}'
    expect(translate(text)).toBe(
      'key_prefix "a" {\n  policy = "write"\n\n  sentinel {\n    code = <<EOF\nmain = rule {\n  true\n}\nEOF\n  }\n}',
    )
  })

  it('is HCL of JSON too', () => {
    const text =
      '{"key":{"foo/":{"policy":"write"},"${a}":{"policy":"deny"}},"operator":"read","Service":[{"":{"policy":"read"}}]}'
    expect(translate(text)).toBe(`key_prefix "foo/" {
  policy = "write"
}

key_prefix "\\u0024{a}" {
  policy = "deny"
}

operator = "read"

service_prefix "" {
  policy = "read"
}`)
  })

  it('grants nothing that the former grammar passed over', () => {
    const text =
      '# root\nacl = "write" # all\nkey_prefix "" {\n  policy = "write"\n}\nkey "a" { policy = "read" }\nACL = "read"'
    expect(translate(text)).toBe(`# It had no meaning in the former grammar:
# # root
# acl = "write" # all

# It had no meaning in the former grammar:
# key_prefix "" {
#   policy = "write"
# }

key_prefix "a" {
  policy = "read"
}

# It had no meaning in the former grammar:
# ACL = "read"`)
  })

  it('keeps what it does not know, whatever it is', () => {
    expect(translate('{"a b":[1,true,null,"x"],"c":{"d":{"e":[[2]]}}}')).toBe(
      '"a b" = [1, true, "", "x"]\n\nc "d" {\n  e = [[2]]\n}',
    )
  })

  it('of nothing is nothing, and of what is no text of rules says why', () => {
    expect(translate('')).toBe('')
    expect(translate('key {')).toBe('Failed to parse rules: At 1:7: object expected closing RBRACE got: EOF')
    expect(translate('{"key":')).toBe('Failed to parse rules: At 1:8: expected a value got: EOF')
    expect(translate('{"\\ud800":{}}')).toBe('Failed to parse rules: At 1:2: a string with half of a character')
  })
})
