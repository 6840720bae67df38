import { describe, expect, it } from 'vitest'
import { parseRelease } from '../../src/model/release.ts'
import { ask } from './ask.ts'
import type { Exact, ExactObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

async function as<T>(
  text: string,
  use: (target: GoldenTarget) => Promise<T>,
  more: Record<string, Exact> = {},
): Promise<T> {
  const release = parseRelease(text)
  if (release === undefined) throw new Error(`${text} is no release`)
  const { target, stop } = await startSimulatedAgent('default', { release, more })
  try {
    return await use(target)
  } finally {
    await stop()
  }
}

/** What each line is answered with by an agent of that release: its status. */
function statuses(release: string, lines: readonly string[], more?: Record<string, Exact>): Promise<readonly string[]> {
  return as(
    release,
    async (target) => {
      const told: string[] = []
      for (const line of lines) {
        // Before verbs are enforced some of these would do what they ask for.
        const { status } = await ask(target, line, line.startsWith('PUT') ? '[]' : undefined)
        told.push(`${line} ${status}`)
      }
      return told
    },
    more,
  )
}

/** Paths by the release that brought them, and the one before. */
const paths: readonly (readonly [before: string, since: string, lines: readonly string[]])[] = [
  ['0.4.1', '0.5.0', ['PUT /v1/agent/maintenance']],
  ['0.5.2', '0.6.0', ['GET /v1/query', 'GET /v1/coordinate/nodes']],
  ['0.6.4', '0.7.0', ['PUT /v1/txn']],
  ['0.7.0', '0.7.1', ['GET /v1/snapshot']],
  ['0.7.1', '0.7.2', ['GET /v1/operator/keyring', 'PUT /v1/agent/reload']],
  ['0.7.5', '0.8.0', ['GET /v1/operator/autopilot/configuration', 'GET /v1/operator/autopilot/health']],
  ['0.9.0', '0.9.1', ['GET /v1/agent/metrics']],
  [
    '1.1.0',
    '1.2.0',
    [
      'GET /v1/health/connect/web',
      'GET /v1/catalog/connect/web',
      'GET /v1/connect/ca/roots',
      'GET /v1/connect/ca/configuration',
      'GET /v1/agent/connect/ca/roots',
      'GET /v1/agent/connect/ca/leaf/web',
      'GET /v1/connect/intentions',
      'GET /v1/connect/intentions/match?by=source&name=a',
      'GET /v1/connect/intentions/check?source=a&destination=b',
      'PUT /v1/connect/intentions/11111111-0000-0000-0000-000000000000',
    ],
  ],
]

describe('paths', () => {
  const named = paths.map(([before, ...rest]) => [before === '1.1.0' ? '[UPG-060] ' : '', before, ...rest] as const)
  it.each(named)('%s%s has none of what %s brought: %j', async (_, before, since, lines) => {
    expect(await statuses(before, lines)).toEqual(lines.map((line) => `${line} 404`))
    for (const told of await statuses(since, lines)) expect(told).not.toMatch(/ 40[45]$/)
  })
})

describe('an agent of before 1.0', () => {
  it('[UPG-021] [UPG-019] tells its settings under Config, executes whatever the verb, and doubles names of metrics', async () => {
    const exposing = { telemetry: { prometheus_retention_time: '1m' } } as unknown as Record<string, Exact>
    const told = (release: string) =>
      as(
        release,
        async (target) => {
          const self = (await ask(target, 'GET /v1/agent/self')).json() as ExactObject
          const verb = await ask(target, 'DELETE /v1/catalog/nodes')
          const metrics = (await ask(target, 'GET /v1/agent/metrics?format=prometheus')).text
          return {
            sections: Object.keys(self).slice(0, 2),
            all: Object.keys(self['Config'] as ExactObject).length > 6,
            verb: verb.status,
            doubled: /^svc_svc_http_/m.test(metrics),
            single: /^svc_http_/m.test(metrics),
          }
        },
        exposing,
      )
    const [before, since] = [await told('0.9.3'), await told('1.0.0')]
    expect(before).toMatchObject({ sections: ['Config', 'Coord'], all: true, verb: 200, doubled: true, single: false })
    expect(since).toMatchObject({
      sections: ['Config', 'DebugConfig'],
      all: false,
      verb: 405,
      doubled: false,
      single: true,
    })
  })
})

describe('a request', () => {
  it('?passing has a value since 0.8.5', async () => {
    const lines = ['GET /v1/health/service/svc?passing=nonsense', 'GET /v1/health/service/svc?passing=false']
    expect(await statuses('0.8.4', lines)).toEqual(lines.map((line) => `${line} 200`))
    expect(await statuses('0.8.5', lines)).toEqual([`${lines[0]} 400`, `${lines[1]} 200`])
  })

  it('may have what cannot be printed in its path before 1.0.3', async () => {
    expect(await statuses('1.0.2', ['GET /v1/kv/a%01'])).toEqual(['GET /v1/kv/a%01 404'])
    expect(await statuses('1.0.3', ['GET /v1/kv/a%01'])).toEqual(['GET /v1/kv/a%01 400'])
  })

  it('OPTIONS is answered since 1.0.7, and how a read was done is told', async () => {
    const told = (release: string) =>
      as(release, async (target) => {
        const options = await ask(target, 'OPTIONS /v1/catalog/nodes')
        const wrong = await ask(target, 'POST /v1/catalog/nodes')
        const nodes = await ask(target, 'GET /v1/catalog/nodes')
        return [options.status, wrong.headers.get('allow'), nodes.headers.has('x-svc-effective-consistency')]
      })
    expect(await told('1.0.6')).toEqual([405, 'GET', false])
    expect(await told('1.0.7')).toEqual([200, 'OPTIONS,GET', true])
  })

  it('for one service of the agent is answered since 1.3', async () => {
    const more = { services: [{ name: 'web' }] } as unknown as Record<string, Exact>
    expect(await statuses('1.2.3', ['GET /v1/agent/service/web'], more)).toEqual(['GET /v1/agent/service/web 404'])
    expect(await statuses('1.3.0', ['GET /v1/agent/service/web'], more)).toEqual(['GET /v1/agent/service/web 200'])
  })
})
