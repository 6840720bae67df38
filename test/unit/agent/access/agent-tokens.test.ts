import { describe, expect, it } from 'vitest'
import { AgentTokens } from '../../../../src/agent/access/agent-tokens.ts'
import { defaultAccess } from '../../../../src/agent/settings/access-settings.ts'

const none = defaultAccess.tokens

describe('the tokens that an agent goes by', () => {
  it('of its own requests is the one for others where it has none', () => {
    const tokens = new AgentTokens({ ...none, default: 'd' })
    expect([tokens.default, tokens.agent]).toEqual(['d', 'd'])
    tokens.set('agent', 'a')
    expect([tokens.default, tokens.agent]).toEqual(['d', 'a'])
    tokens.set('agent', '')
    tokens.set('default', 'e')
    expect([tokens.default, tokens.agent]).toEqual(['e', 'e'])
  })

  it('that were set hold until the configuration says something new of them', () => {
    const tokens = new AgentTokens({ ...none, default: 'd', replication: 'r' })
    tokens.set('default', 'set')
    tokens.set('replication', 'set')
    tokens.set('agent-master', 'set')
    tokens.reload({ ...none, default: 'd', replication: 'new' })
    expect([tokens.default, tokens.replication, tokens.agentMaster]).toEqual(['set', 'new', 'set'])
    tokens.reload({ ...none, default: '', replication: 'new' })
    expect([tokens.default, tokens.replication, tokens.agentMaster]).toEqual(['', 'new', 'set'])
  })

  it('of what asks the primary datacenter for the mesh is that for the rest where it has none of its own', () => {
    const tokens = new AgentTokens({ ...none, replication: 'r' })
    expect(tokens.meshReplication).toBe('r')
    tokens.set('mesh-replication', 'm')
    expect([tokens.meshReplication, tokens.replication]).toEqual(['m', 'r'])
    tokens.reload({ ...none, replication: 'new' })
    expect([tokens.meshReplication, tokens.replication]).toEqual(['m', 'new'])
    tokens.set('mesh-replication', '')
    expect(tokens.meshReplication).toBe('new')
  })

  it('are announced when one changes, and not when all are as before', () => {
    const tokens = new AgentTokens({ ...none, default: 'd' })
    const told: string[] = []
    const following = tokens.onChange(() => told.push(tokens.agent))
    tokens.set('agent', 'a')
    tokens.set('agent', 'a')
    tokens.reload({ ...none, default: 'd' })
    tokens.reload({ ...none, default: 'd', agent: 'b' })
    following.close()
    tokens.set('agent', 'c')
    expect(told).toEqual(['a', 'b'])
  })
})
