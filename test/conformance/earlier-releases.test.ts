import { describe, expect, it } from 'vitest'
import type { Release } from '../../src/model/release.ts'
import { ask } from './ask.ts'
import type { Exact, ExactObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

async function withAgent(
  release: Release,
  more: Record<string, Exact>,
  use: (target: GoldenTarget) => Promise<void>,
): Promise<void> {
  const { target, stop } = await startSimulatedAgent('default', { release, more })
  try {
    await use(target)
  } finally {
    await stop()
  }
}

/** Until the agent is in its own catalog with its addresses. */
async function ownNode(target: GoldenTarget): Promise<ExactObject> {
  for (let index = '0'; ; ) {
    const reply = await ask(target, `GET /v1/catalog/nodes?wait=30s&index=${index}`)
    const [node] = reply.json() as readonly ExactObject[]
    if (node !== undefined && node['TaggedAddresses'] !== null) return node
    index = String(reply.index())
  }
}

describe('an agent of an earlier release', () => {
  it('[CAT-011] of before 0.7 has no lan address among those of its node, a later one has', async () => {
    const tags = new Map<string, readonly string[]>()
    for (const [minor, patch] of [
      [6, 4],
      [7, 0],
    ] as const) {
      await withAgent({ major: 0, minor, patch }, {}, async (target) => {
        const node = await ownNode(target)
        tags.set(`0.${minor}.${patch}`, Object.keys(node['TaggedAddresses'] as ExactObject))
      })
    }
    expect([...tags]).toEqual([
      ['0.6.4', ['wan']],
      ['0.7.0', ['lan', 'wan']],
    ])
  })

  it('of before 0.7 knows no transactions, and goes on', async () => {
    await withAgent({ major: 0, minor: 6, patch: 4 }, {}, async (target) => {
      await ownNode(target)
      const transaction = '[{"KV":{"Verb":"set","Key":"k","Value":"eA=="}}]'
      expect((await ask(target, 'PUT /v1/txn', transaction)).status).toBe(404)
      expect((await ask(target, 'PUT /v1/kv/k', 'y')).text).toBe('true')
      expect((await ask(target, 'GET /v1/kv/k?raw')).text).toBe('y')
    })
  })

  it('[AGT-032] of before 1.0 starts without a check of its files that is wrong, a later one does not start', async () => {
    const more = {
      checks: [
        { name: 'good', ttl: '1h' },
        { name: 'bad', ttl: '1h', interval: '1s' },
      ],
      services: [
        {
          name: 'web',
          checks: [
            { id: 'web-good', ttl: '1h' },
            { id: 'web-bad', http: 'http://x' },
          ],
        },
      ],
    } as unknown as Record<string, Exact>
    await withAgent({ major: 0, minor: 9, patch: 3 }, more, async (target) => {
      const checks = (await ask(target, 'GET /v1/agent/checks')).json() as ExactObject
      expect(Object.keys(checks)).toEqual(['good', 'web-good'])
      const services = (await ask(target, 'GET /v1/agent/services')).json() as ExactObject
      expect(Object.keys(services)).toEqual(['web'])
    })
    await expect(withAgent({ major: 1, minor: 0, patch: 0 }, more, async () => {})).rejects.toThrow(/check "bad"/)
  })
})
