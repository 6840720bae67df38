import { describe, expect, it } from 'vitest'
import { listening } from '../unit/agent-local/local-world.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

describe('an agent without a token, under default deny', () => {
  it('says once for each thing it sends which right it lacks, and no more as long as that stays so', async () => {
    const lines: string[] = []
    const agent = await startSimulatedAgent('default', {
      more: { primary_datacenter: 'dc1', acl: { enabled: true, default_policy: 'deny' } },
      wrap: (env) => listening(env, lines),
    })
    await agent.target.pause(1_200_000)
    const failed = lines.filter((line) => line.startsWith('warn Failed to'))
    expect(failed).toEqual([
      'warn Failed to sync node "node-a": the anonymous token, as no other is set, lacks node:write on "node-a" {}',
      'warn Failed to send the network coordinate of node "node-a": the anonymous token, as no other is set, lacks node:write on "node-a" {}',
    ])
    await agent.stop()
  })
})
