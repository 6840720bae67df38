import { describe, expect, it } from 'vitest'
import type { Ground, Part } from '../../../src/agent/assembly/ground.ts'
import { reloadsInTurn } from '../../../src/agent/assembly/leave-and-reload.ts'
import { loadTls } from '../../../src/agent/boot/tls-material.ts'
import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { done, ok, type Result } from '../../../src/base/result.ts'
import { createHostEnv } from '../../../src/host/env.ts'

const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const config = defaultAgentConfig('n1', '127.0.0.1')

describe('reloads of an agent', () => {
  it('run one after the other: the settings that were read last stay, however slow an earlier reading was', async () => {
    const material = await loadTls(env, config.tls)
    if (!material.ok) throw new Error(material.error.message)
    const ground = {
      env,
      config,
      rpc: { renewTls: () => undefined },
      tls: { material: material.value },
      tokens: { reload: () => undefined },
    } as unknown as Ground
    const readings: ((read: Result<AgentConfig, string>) => void)[] = []
    const reread = () => new Promise<Result<AgentConfig, string>>((resolve) => readings.push(resolve))
    const taken: string[] = []
    const part = { reload: () => undefined } as unknown as Part
    const take = async ({ nodeMeta }: AgentConfig) => {
      taken.push(nodeMeta['read'] ?? '')
      return done
    }
    const reload = reloadsInTurn(ground, { reread }, part, take)
    const [first, second] = [reload(), reload()]
    await new Promise((resolve) => setImmediate(resolve))
    expect(readings).toHaveLength(1)
    readings[0]?.(ok({ ...config, nodeMeta: { read: 'first' } }))
    await first
    await new Promise((resolve) => setImmediate(resolve))
    readings[1]?.(ok({ ...config, nodeMeta: { read: 'second' } }))
    expect([await first, await second, taken]).toEqual([done, done, ['first', 'second']])
  })
})
