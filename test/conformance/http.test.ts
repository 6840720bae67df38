import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin } from './ask.ts'
import { isObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

/** Endpoints that answer GET alone. The rest of the list comes with their features. */
const readOnly = [
  ['HTP-021', '/v1/agent/self'],
  ['HTP-040', '/v1/status/leader'],
  ['HTP-041', '/v1/status/peers'],
] as const

describe.each(worlds.map((world) => [world.name, world] as const))('HTTP %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
  })
  afterAll(() => stop?.())

  it('[HTP-001] every path carries the prefix /v1, and is nothing without it', async () => {
    for (const path of [
      '/status/leader',
      '/status/peers',
      '/agent/self',
      '/operator/raft/configuration',
      '/kv/?keys',
    ]) {
      expect((await ask(target, `GET /v1${path}`)).status, path).toBe(200)
      for (const elsewhere of ['', '/v2', '/V1', '/v1/v1']) {
        const reply = await ask(target, `GET ${elsewhere}${path}`)
        const route = `${elsewhere}${path}`.replace(/\?.*/, '')
        expect([reply.status, reply.text]).toEqual([404, `There is no route "${route}" in release 1.4.0`])
      }
    }
  })

  it('[HTP-002] bodies are JSON', async () => {
    await ask(target, 'PUT /v1/kv/json', 'x')
    for (const line of [
      'GET /v1/status/leader',
      'GET /v1/status/peers',
      'GET /v1/agent/self',
      'GET /v1/operator/raft/configuration',
      'GET /v1/kv/json',
      'GET /v1/kv/?recurse',
      'GET /v1/kv/?keys',
      'PUT /v1/kv/json?cas=0',
      'DELETE /v1/kv/json',
    ]) {
      const reply = await ask(target, line)
      expect([reply.status, reply.headers.get('content-type')], line).toEqual([200, 'application/json'])
      expect(() => reply.json(), line).not.toThrow()
    }
  })

  it('[HTP-003] every read carries an index, a positive integer', async () => {
    await ask(target, 'PUT /v1/kv/index/a', 'x')
    for (const path of [
      'index/a',
      'index/none',
      'index/?recurse',
      'index/?keys',
      'none?recurse',
      '?keys',
      'index/a?raw',
    ]) {
      for (const mode of ['', 'stale', 'consistent']) {
        const reply = await ask(target, `GET /v1/kv/${path}${path.includes('?') ? '&' : '?'}${mode}`)
        expect(reply.headers.get('x-svc-index'), `${path} ${mode}`).toMatch(/^[1-9][0-9]*$/)
      }
    }
  })

  it('[HTP-004] a watcher that sends the index waits until another client moves it', async () => {
    await ask(target, 'PUT /v1/kv/watched', 'before')
    const seen = (await ask(target, 'GET /v1/kv/watched')).index()
    let answered = false
    const watcher = begin(target, `GET /v1/kv/watched?raw&index=${seen}`).finally(() => {
      answered = true
    })
    await ask(target, 'PUT /v1/kv/elsewhere', 'x')
    await target.pause(300)
    expect(answered).toBe(false)
    await ask(target, 'PUT /v1/kv/watched', 'after')
    const reply = await target.until(watcher)
    expect([reply.status, reply.text]).toEqual([200, 'after'])
    expect(reply.index()).toBeGreaterThan(seen)
  })

  it('[HTP-004] or until its time runs out, and then is told what it knew', async () => {
    await ask(target, 'PUT /v1/kv/quiet', 'x')
    const seen = (await ask(target, 'GET /v1/kv/quiet')).index()
    for (const index of [seen, seen + 1_000_000]) {
      const startedMs = target.nowMs()
      const reply = await ask(target, `GET /v1/kv/quiet?raw&index=${index}&wait=200ms`)
      expect([reply.status, reply.text, reply.index()]).toEqual([200, 'x', seen])
      expect(target.nowMs() - startedMs).toBeGreaterThanOrEqual(199)
    }
  })

  it.each(readOnly)('[%s] %s answers GET and no other verb', async (_id, path) => {
    const reply = await ask(target, `GET ${path}`)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json'])
    for (const verb of ['PUT', 'POST', 'DELETE', 'PATCH', 'HEAD']) {
      const refused = await ask(target, `${verb} ${path}`)
      expect([refused.status, refused.headers.get('allow')], verb).toEqual([405, 'OPTIONS,GET'])
      expect(refused.text).toBe(verb === 'HEAD' ? '' : `method ${verb} not allowed`)
    }
  })

  it('[HTP-056] the leader is an address, the peers are a list of them', async () => {
    const address = `127.0.0.1:${target.ports['server']}`
    expect((await ask(target, 'GET /v1/status/leader')).json()).toBe(address)
    expect((await ask(target, 'GET /v1/status/peers')).json()).toEqual([address])
    expect((await ask(target, 'GET /v1/status/leader')).headers.has('x-svc-index')).toBe(false)
  })

  it('[HTP-059] an agent describes itself by a small maintained set of elements', async () => {
    const self = (await ask(target, 'GET /v1/agent/self')).json()
    expect(isObject(self) ? self['Config'] : undefined).toEqual({
      Datacenter: 'dc1',
      NodeName: 'node-a',
      NodeID: 'aaaaaaaa-0000-4000-8000-000000000001',
      Revision: expect.any(String),
      Server: true,
      Version: '1.4.0',
    })
  })

  it('[LIM-013] a value is refused beyond 512 KiB, however far beyond, and a key may be thousands of bytes long', async () => {
    const most = 512 * 1024
    expect((await ask(target, 'PUT /v1/kv/large', 'x'.repeat(most))).status).toBe(200)
    for (const size of [most + 1, 4 * most]) {
      const reply = await ask(target, 'PUT /v1/kv/large', 'y'.repeat(size))
      expect([reply.status, reply.text]).toEqual([413, 'Value exceeds 524288 byte limit'])
    }
    expect((await ask(target, 'GET /v1/kv/large?raw')).text).toBe('x'.repeat(most))
    const key = 'k'.repeat(8_000)
    expect((await ask(target, `PUT /v1/kv/${key}`, 'v')).status).toBe(200)
    expect((await ask(target, `GET /v1/kv/${key}?raw`)).text).toBe('v')
  })

  it('a mistake of the caller is one line that names the field', async () => {
    for (const [line, text] of [
      ['GET /v1/kv/a?index=x', 'Invalid index'],
      ['GET /v1/kv/a?wait=10', 'Invalid wait time'],
      ['GET /v1/kv/a?max_stale=x', 'Invalid max_stale value "x"'],
      ['GET /v1/kv/a?stale&consistent', 'Cannot specify ?stale with ?consistent, conflicting semantics.'],
      ['GET /v1/kv/a?x=%zz', 'Malformed percent-encoding in query string'],
      ['PUT /v1/kv/a?flags=-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
    ] as const) {
      const reply = await ask(target, line)
      expect([reply.status, reply.text, reply.headers.get('content-type')], line).toEqual([
        400,
        text,
        'text/plain; charset=utf-8',
      ])
    }
  })
})
