import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './ask.ts'
import type { ExactObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

describe.each(worlds.map((world) => [world.name, world] as const))(
  'services and checks of an agent %s',
  (_name, { start }) => {
    let target: GoldenTarget
    let stop: (() => Promise<void>) | undefined

    beforeAll(async () => {
      const agent = await start('default')
      target = agent.target
      stop = agent.stop
    })
    afterAll(() => stop?.())

    async function put(path: string, body?: object): Promise<void> {
      const reply = await ask(target, `PUT ${path}`, body === undefined ? undefined : JSON.stringify(body))
      expect([path, reply.status, reply.text]).toEqual([path, 200, ''])
    }

    async function read(path: string): Promise<ExactObject> {
      const reply = await ask(target, `GET ${path}`)
      expect(reply.status).toBe(200)
      return reply.json() as ExactObject
    }

    async function check(id: string): Promise<ExactObject | undefined> {
      return (await read('/v1/agent/checks'))[id] as ExactObject | undefined
    }

    it('[REG-021] [REG-023] a service is added and changed by its ID, and listed', async () => {
      await put('/v1/agent/service/register', { ID: 'db-1', Name: 'db', Port: 5432, Tags: ['primary'] })
      expect((await read('/v1/agent/services'))['db-1']).toMatchObject({ ID: 'db-1', Service: 'db', Tags: ['primary'] })
      await put('/v1/agent/service/register', { ID: 'db-1', Name: 'db', Port: 5433 })
      const services = await read('/v1/agent/services')
      expect(Object.keys(services)).toEqual(['db-1'])
      expect(String((services['db-1'] as ExactObject)['Port'])).toBe('5433')
      expect((services['db-1'] as ExactObject)['Tags']).toEqual([])
      const listed = (await ask(target, 'GET /v1/catalog/service/db')).json() as readonly ExactObject[]
      expect(listed.map((entry) => String(entry['ServicePort']))).toEqual(['5433'])
    })

    it.each([
      ['/v1/agent/service/register', { name: 'typo', prot: 80 }, 'unknown member prot was ignored: did you mean Port?'],
      [
        '/v1/agent/service/register',
        { Name: 'typo', Check: { TTL: '1m', Intervall: '1s' }, Zürich: 1, Connect: { SidecarService: { prt: 1 } } },
        'unknown member "Z\\u00fcrich" was ignored; unknown member Check.Intervall was ignored: did you mean Interval?; ' +
          'unknown member Connect.SidecarService.prt was ignored: did you mean Port?',
      ],
      [
        '/v1/agent/check/register',
        { Name: 'typo', TTL: '1m', sttaus: 'passing' },
        'unknown member sttaus was ignored: did you mean Status?',
      ],
      [
        '/v1/agent/service/register',
        { Name: 'typo', ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`x${at}`, true])) },
        `${[0, 1, 2, 3, 4].map((at) => `unknown member x${at} was ignored`).join('; ')}; 7 more unknown members were ignored`,
      ],
      ['/v1/agent/service/register', { Name: 'typo', TaggedAddresses: null, service_port: 0 }, undefined],
    ])('PUT %s of %j is taken, and a header warns of members that are unknown', async (path, body, warning) => {
      const reply = await ask(target, `PUT ${path}`, JSON.stringify(body))
      expect([reply.status, reply.text]).toEqual([200, ''])
      expect(reply.headers.get('x-svc-warning')).toBe(warning)
      const kind = path.includes('/check/') ? 'check' : 'service'
      await put(`/v1/agent/${kind}/deregister/typo`)
    })

    it('[REG-016] a definition carries metadata, weights and checks', async () => {
      await put('/v1/agent/service/register', {
        Name: 'rich',
        Meta: { version: '4' },
        Weights: { Passing: 10, Warning: 2 },
        Check: { TTL: '1m', Status: 'passing' },
        Checks: [{ CheckID: 'second', TTL: '1m' }],
      })
      const service = (await read('/v1/agent/services'))['rich'] as ExactObject
      expect(service['Meta']).toEqual({ version: '4' })
      expect(JSON.stringify(service['Weights'])).toContain('10')
      const checks = Object.values(await read('/v1/agent/checks')) as readonly ExactObject[]
      const own = checks.filter(({ ServiceID }) => ServiceID === 'rich')
      expect(own.map(({ Status }) => Status).sort()).toEqual(['critical', 'passing'])
    })

    it('[REG-022] a service is removed with its checks, here and in the catalog', async () => {
      await put('/v1/agent/service/register', { Name: 'gone', Check: { TTL: '1m' } })
      await put('/v1/agent/service/deregister/gone')
      expect((await read('/v1/agent/services'))['gone']).toBeUndefined()
      expect(await check('service:gone')).toBeUndefined()
      expect((await ask(target, 'GET /v1/catalog/service/gone')).text).toBe('[]')
    })

    it('[HLT-018] [HLT-022] a check is added, listed and removed', async () => {
      await put('/v1/agent/check/register', { ID: 'pulse', Name: 'Pulse', TTL: '1m', Notes: 'of the node' })
      expect(await check('pulse')).toMatchObject({
        CheckID: 'pulse',
        Name: 'Pulse',
        Status: 'critical',
        Notes: 'of the node',
      })
      expect(await check('Pulse')).toBeUndefined()
      const self = (await read('/v1/agent/self'))['Config'] as ExactObject
      const ofNode = async (): Promise<unknown[]> => {
        const reply = await ask(target, `GET /v1/health/node/${String(self['NodeName'])}`)
        return (reply.json() as readonly ExactObject[]).map(({ CheckID }) => CheckID)
      }
      expect(await ofNode()).toContain('pulse')
      await put('/v1/agent/check/deregister/pulse')
      expect(await check('pulse')).toBeUndefined()
      expect(await ofNode()).not.toContain('pulse')
    })

    it.each([
      ['script', { Args: ['true'], Interval: '1h' }],
      ['HTTP', { HTTP: 'http://127.0.0.1:1/', Interval: '1h' }],
      ['TCP', { TCP: '127.0.0.1:1', Interval: '1h' }],
      ['TTL', { TTL: '1h' }],
      ['alias', { AliasService: 'nobody' }],
      ['container', { DockerContainerID: 'c', Args: ['true'], Interval: '1h' }],
      ['gRPC', { GRPC: '127.0.0.1:1', Interval: '1h' }],
    ])('[HLT-017] a check is added and changed: %s', async (kind, members) => {
      await put('/v1/agent/check/register', { Name: kind, Notes: 'before', ...members })
      expect(await check(kind)).toMatchObject({ CheckID: kind, Notes: 'before' })
      await put('/v1/agent/check/register', { Name: kind, Notes: 'after', ...members })
      expect(await check(kind)).toMatchObject({ CheckID: kind, Notes: 'after' })
      await put(`/v1/agent/check/deregister/${kind}`)
    })

    /** Until a check of the node is in this state, as its watchers see it. */
    async function inState(node: string, id: string, status: string): Promise<ExactObject> {
      for (let index = '0'; ; ) {
        const reply = await ask(target, `GET /v1/health/node/${node}?wait=20s&index=${index}`)
        const found = (reply.json() as readonly ExactObject[]).find(({ CheckID }) => CheckID === id)
        if (found?.['Status'] === status) return found
        index = String(reply.index())
      }
    }

    it('an alias is as well as the service that it stands for, here and by the catalog', async () => {
      const node = String(((await read('/v1/agent/self'))['Config'] as ExactObject)['NodeName'])
      await put('/v1/agent/service/register', {
        Name: 'real',
        Check: { CheckID: 'real', TTL: '1h', Status: 'passing' },
      })
      const here = { CheckID: 'here', AliasService: 'real' }
      const there = { CheckID: 'there', AliasService: 'real', AliasNode: node }
      await put('/v1/agent/service/register', { Name: 'shadow', Checks: [here, there] })
      for (const id of ['here', 'there']) {
        expect(await inState(node, id, 'passing')).toMatchObject({ Output: 'All checks passing.' })
      }
      await put('/v1/agent/check/fail/real?note=broken')
      for (const id of ['here', 'there']) {
        const { Output } = await inState(node, id, 'critical')
        expect(Output).toBe(`Aliased check "Service 'real' check" failing: broken`)
      }
      await put('/v1/agent/service/deregister/shadow')
      await put('/v1/agent/service/deregister/real')
    })

    it.each([
      ['[HLT-019]', 'pass', 'passing'],
      ['[HLT-020]', 'warn', 'warning'],
      ['[HLT-021]', 'fail', 'critical'],
    ])('%s a TTL check is set by %s, with a note', async (_row, verb, status) => {
      await put('/v1/agent/check/register', { Name: 'beat', TTL: '1m' })
      await put(`/v1/agent/check/${verb}/beat?note=because`)
      expect(await check('beat')).toMatchObject({ Status: status, Output: 'because' })
    })
  },
)
