import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin } from './ask.ts'
import type { Exact, ExactObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

describe.each(worlds.map((world) => [world.name, world] as const))('health %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
    await register('h1', 'passing', ['a', 'b'])
    await register('h2', 'critical', ['b'])
  })
  afterAll(() => stop?.())

  /** An instance of `web` with a check of its own and one of its node, which passes. */
  async function register(node: string, status: string, tags: readonly string[]): Promise<void> {
    const body = {
      Node: node,
      Address: `10.0.0.${node}`,
      Service: { ID: `web-${node}`, Service: 'web', Tags: tags, Port: 80 },
      Checks: [
        { CheckID: 'n', Name: 'node', Status: 'passing' },
        { CheckID: 's', Name: 'web', ServiceID: `web-${node}`, Status: status, Notes: 'why', Output: 'what' },
      ],
    }
    expect((await ask(target, 'PUT /v1/catalog/register', JSON.stringify(body))).text).toBe('true')
  }

  async function list(path: string): Promise<ExactObject[]> {
    const reply = await ask(target, `GET ${path}`)
    expect(reply.status).toBe(200)
    return reply.json() as ExactObject[]
  }

  async function nodes(path: string): Promise<Exact[]> {
    return (await list(path)).map(({ Node }) => (Node as ExactObject)['Node'] ?? null)
  }

  async function checks(path: string): Promise<string[]> {
    return (await list(path)).map(({ Node, CheckID }) => `${Node}/${CheckID}`)
  }

  it('[HLT-001] [HLT-002] [HLT-003] [HLT-004] [HLT-005] lists instances with their node, their address and their checks', async () => {
    const [first, ...others] = await list('/v1/health/service/web')
    expect(others).toHaveLength(1)
    expect(first).toMatchObject({
      Node: { Node: 'h1', Address: '10.0.0.h1', Datacenter: 'dc1' },
      Address: '10.0.0.h1',
      Service: { ID: 'web-h1', Service: 'web', Tags: ['a', 'b'], Port: 80 },
      Checks: [{ CheckID: 'n' }, { CheckID: 's' }],
    })
    const own = { ID: 'own', Service: 'elsewhere', Address: '10.7.7.7' }
    const body = JSON.stringify({ Node: 'h1', SkipNodeUpdate: true, Service: own })
    expect((await ask(target, 'PUT /v1/catalog/register', body)).text).toBe('true')
    expect(await list('/v1/health/service/elsewhere')).toMatchObject([
      { Node: { Node: 'h1', Address: '10.0.0.h1' }, Address: '10.7.7.7', Service: { ID: 'own', Address: '10.7.7.7' } },
    ])
    expect(await list('/v1/health/service/none')).toEqual([])
  })

  it('[HLT-006] a check says what it is of, how it is and since when', async () => {
    const [check] = await list('/v1/health/checks/web')
    expect(check).toEqual({
      Node: 'h1',
      CheckID: 's',
      Name: 'web',
      Status: 'passing',
      Notes: 'why',
      Output: 'what',
      ServiceID: 'web-h1',
      ServiceName: 'web',
      ServiceTags: ['a', 'b'],
      Definition: {},
      CreateIndex: expect.any(Number),
      ModifyIndex: expect.any(Number),
    })
  })

  it('[HLT-007] leaves out instances that lack a tag asked for, and takes several', async () => {
    expect(await nodes('/v1/health/service/web?tag=b')).toEqual(['h1', 'h2'])
    expect(await nodes('/v1/health/service/web?tag=b&tag=a')).toEqual(['h1'])
    expect(await nodes('/v1/health/service/web?tag=c')).toEqual([])
  })

  it('[HLT-008] with passing leaves out instances of which any check does not pass', async () => {
    expect(await nodes('/v1/health/service/web')).toEqual(['h1', 'h2'])
    expect(await nodes('/v1/health/service/web?passing')).toEqual(['h1'])
    await register('h1', 'warning', ['a', 'b'])
    expect(await nodes('/v1/health/service/web?passing')).toEqual([])
    await register('h1', 'passing', ['a', 'b'])
    expect(await nodes('/v1/health/service/web?passing')).toEqual(['h1'])
  })

  it.each([
    { CheckID: 's', ServiceID: 'web-h1', Status: 'critical' },
    { CheckID: 'n', Status: 'critical' },
  ])(
    '[HLT-009] its index moves, and its watchers are woken, with a check of the instance or of its node: %j',
    async (check) => {
      const before = await ask(target, 'GET /v1/health/service/web')
      const watcher = begin(target, `GET /v1/health/service/web?passing&index=${before.index()}&wait=5m`)
      await target.pause(100)
      await ask(target, 'PUT /v1/catalog/register', JSON.stringify({ Node: 'h1', SkipNodeUpdate: true, Check: check }))
      const after = await target.until(watcher)
      expect(after.text).toBe('[]')
      expect(after.index()).toBeGreaterThan(before.index())
      await register('h1', 'passing', ['a', 'b'])
    },
  )

  it('[HLT-010] lists the checks of a service, and not those of its nodes', async () => {
    expect(await checks('/v1/health/checks/web')).toEqual(['h1/s', 'h2/s'])
    expect(await checks('/v1/health/checks/none')).toEqual([])
  })

  it('[HLT-011] lists every check on a node', async () => {
    expect(await checks('/v1/health/node/h2')).toEqual(['h2/n', 'h2/s'])
    expect(await checks('/v1/health/node/node-a')).toEqual(['node-a/serfHealth'])
    expect(await checks('/v1/health/node/none')).toEqual([])
  })

  it('[HLT-012] lists the checks of a state, or of any', async () => {
    expect(await checks('/v1/health/state/critical')).toEqual(['h2/s'])
    expect(await checks('/v1/health/state/passing')).toEqual(['h1/n', 'h1/s', 'h2/n', 'node-a/serfHealth'])
    expect(await checks('/v1/health/state/warning')).toEqual([])
    expect(await checks('/v1/health/state/any')).toEqual(['h1/n', 'h1/s', 'h2/n', 'h2/s', 'node-a/serfHealth'])
    expect(await checks('/v1/health/state/none')).toEqual([])
  })
})
