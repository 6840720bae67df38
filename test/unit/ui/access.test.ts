import { describe, expect, it } from 'vitest'
import { hasAccessControl } from '../../../src/http/ui/page/live/use-own-agent.ts'
import { ownerOf } from '../../../src/http/ui/page/live/use-own-token.ts'
import { rulesFor, rulesRenamed } from '../../../src/http/ui/page/pages/access/example-rules.ts'

describe('the rules that an operator begins with', () => {
  it('let an agent find services: instances are read with the right on their nodes as well', () => {
    expect(rulesFor('agent', 'n1')).toMatch(/^node "n1" \{[^}]*write[^}]*\}\s*node_prefix "" \{[^}]*read[^}]*\}/)
    expect(rulesFor('no-example', 'n1')).toBeUndefined()
  })

  it('follow the name that is typed later, and stay once they are edited', () => {
    const begun = rulesFor('agent', '') ?? ''
    expect(begun).toContain('node "NAME"')
    const named = rulesRenamed('agent', begun, '', 'n7')
    expect(named).toBe(rulesFor('agent', 'n7'))
    const edited = `${named}key "a" { policy = "read" }`
    expect(rulesRenamed('agent', edited, 'n7', 'n8')).toBe(edited)
    expect(rulesRenamed('', 'mine', 'n7', 'n8')).toBe('mine')
  })
})

describe('the token of a tab', () => {
  it('is the one that was given, else the one that the agent says it uses, else none', () => {
    expect(ownerOf('secret', undefined)).toBe('operator')
    expect(ownerOf('', 'a77e5732-0990-43ae-8d57-7691b7bab26d')).toBe('agent')
    expect(ownerOf('', '00000000-0000-0000-0000-000000000002')).toBe('none')
    expect(ownerOf('', undefined)).toBeUndefined()
  })

  it('is asked for only where the agent requires one: others would refuse, and a browser reports that', () => {
    const self = (ACLsEnabled: boolean) => ({
      Config: { Datacenter: 'dc1', NodeName: 'n1', Server: true, Version: '1.4.0' },
      DebugConfig: { ACLsEnabled },
    })
    expect(hasAccessControl(self(true), undefined)).toBe(true)
    expect(hasAccessControl(self(false), undefined)).toBe(false)
    expect(hasAccessControl(undefined, { kind: 'refused', text: 'Permission denied', withToken: false })).toBe(true)
    expect(hasAccessControl(undefined, { kind: 'unknown-token', text: 'ACL not found' })).toBe(true)
    expect(hasAccessControl(undefined, { kind: 'unreachable' })).toBe(false)
    expect(hasAccessControl(undefined, undefined)).toBeUndefined()
  })
})
