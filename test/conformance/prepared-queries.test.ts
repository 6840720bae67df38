import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin } from './ask.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

describe.each(worlds.map((world) => [world.name, world] as const))('prepared queries %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
    for (const [node, tag] of [
      ['n1', 'blue'],
      ['n2', 'green'],
    ]) {
      const service = { Service: 'web', Port: 80, Tags: [tag] }
      const check = { CheckID: 'c', Name: 'c', Status: 'passing', ServiceID: 'web' }
      await told('PUT /v1/catalog/register', { Node: node, Address: '10.0.0.9', Service: service, Check: check })
    }
  })
  afterAll(() => stop?.())

  async function told(line: string, body: object): Promise<string> {
    const reply = await ask(target, line, JSON.stringify(body))
    return `${reply.status} ${reply.text}`
  }

  async function json(line: string, body?: string): Promise<unknown> {
    const reply = await ask(target, line, body)
    expect(reply.status).toBe(200)
    return JSON.parse(reply.text)
  }

  async function nodesOf(idOrName: string): Promise<readonly string[]> {
    const { Nodes } = (await json(`GET /v1/query/${idOrName}/execute`)) as { Nodes: { Node: { Node: string } }[] }
    return Nodes.map(({ Node }) => Node.Node).sort()
  }

  it('[CAT-036] [CAT-040] one is created, read, listed, executed, explained, changed and deleted', async () => {
    const body = { Name: 'find', Service: { Service: 'web', Tags: ['blue'] }, DNS: { TTL: '10s' } }
    const { ID } = (await json('POST /v1/query', JSON.stringify(body))) as { ID: string }
    const [shown] = (await json(`GET /v1/query/${ID}`)) as [object]
    expect(shown).toMatchObject({ ID, Name: 'find', Service: { Service: 'web', Tags: ['blue'] }, DNS: { TTL: '10s' } })
    expect(await json('GET /v1/query')).toEqual([shown])
    expect(await nodesOf('find')).toEqual(['n1'])
    expect(await nodesOf(ID)).toEqual(['n1'])
    const explained = { Query: shown, Index: 0, LastContact: 0, KnownLeader: true, ConsistencyLevel: 'leader' }
    expect(await json('GET /v1/query/find/explain')).toEqual(explained)
    expect(await told(`PUT /v1/query/${ID}`, { Name: 'found', Service: { Service: 'web' } })).toBe('200 ')
    expect(await nodesOf('found')).toEqual(['n1', 'n2'])
    expect(await told('GET /v1/query/find/execute', {})).toBe('404 Query not found')
    expect(await told(`DELETE /v1/query/${ID}`, {})).toBe('200 ')
    expect(await json('GET /v1/query')).toEqual([])
  })

  it('a read of them waits for the next change', async () => {
    const before = await ask(target, 'GET /v1/query')
    const waiting = begin(target, `GET /v1/query?index=${before.index()}&wait=60s`)
    const { ID } = (await json('POST /v1/query', JSON.stringify({ Name: 'x', Service: { Service: 'web' } }))) as {
      ID: string
    }
    const answer = await target.until(waiting)
    expect(answer.text).toContain(ID)
    await told(`DELETE /v1/query/${ID}`, {})
  })

  it('what ?cached keeps of one follows the catalog and the query', async () => {
    const { ID } = (await json('POST /v1/query', JSON.stringify({ Name: 'k', Service: { Service: 'web' } }))) as {
      ID: string
    }
    const cached = async (): Promise<readonly [string | undefined, number]> => {
      const reply = await ask(target, 'GET /v1/query/k/execute?cached')
      return [reply.headers.get('x-cache'), (JSON.parse(reply.text) as { Nodes: unknown[] }).Nodes.length]
    }
    expect(await cached()).toEqual(['MISS', 2])
    expect(await cached()).toEqual(['HIT', 2])
    await told('PUT /v1/catalog/register', { Node: 'n3', Address: '10.0.0.9', Service: { Service: 'web' } })
    while ((await cached())[1] !== 3) await target.pause(20)
    await told(`PUT /v1/query/${ID}`, { Name: 'k', Service: { Service: 'web', Tags: ['blue'] } })
    while ((await cached())[1] !== 1) await target.pause(20)
    expect(await cached()).toEqual(['HIT', 1])
  })
})
