import { describe, expect, it } from 'vitest'
import { ApiServer } from '../../../sim/cluster/api-server.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const [server, agent] = ['10.0.0.9', '10.0.0.1']
const pods = '/api/v1/namespaces/fleet/pods?labelSelector=app%3Dsvc'

interface Asked {
  readonly wrong: number
  readonly target?: string
  readonly token?: string
  readonly times?: number
}

/** What an API server with two pods, of which the first runs, answers to an agent, and what its program prints. */
function answers({ wrong, target = pods, token = 'pod-token', times = 1 }: Asked) {
  return inSimulation({}, async (simulation) => {
    const api = new ApiServer({
      simulation,
      host: server,
      wrong,
      untilMs: 60_000,
      pods: () => ({ running: [agent], all: [agent, '10.0.0.2'] }),
    })
    const said: string[] = []
    const ask = async (env: Env): Promise<void> => {
      for (let nth = 0; nth < times; nth++) {
        const headers = [['Authorization', `Bearer ${token}`]] as const
        const request = { method: 'GET', target, headers, timeoutMs: 500 }
        const answer = await env.http.request({ host: server, port: 80 }, request)
        said.push(answer.ok ? `${answer.value.status} ${textOf(answer.value.body)}` : answer.error.kind)
      }
    }
    simulation.addNode({ name: 'c1', host: agent }).boot((env) => {
      env.timers.after(10, () => env.detach(ask(env)))
    })
    await simulation.run({ untilMs: 50_000 })
    const call = { argv: ['pods'], environment: new Map(), input: new Uint8Array() }
    return { said, printed: Array.from({ length: times }, () => api.program(agent)(call)) }
  })
}

const readyOf = (said: string): readonly unknown[] =>
  (JSON.parse(said.slice(4)) as { readonly items: readonly { readonly status: object }[] }).items

describe('an API server', () => {
  it('lists every pod, of which those are ready whose agents run', async () => {
    const { said, printed } = await answers({ wrong: 0 })
    const ready = (status: string) => [{ type: 'Ready', status }]
    expect(readyOf(said[0] ?? '')).toEqual([
      { status: { phase: 'Running', podIP: agent, hostIP: '10.0.99.9', conditions: ready('True') } },
      { status: { phase: 'Running', podIP: '10.0.0.2', hostIP: '10.0.99.9', conditions: ready('False') } },
    ])
    expect(printed).toEqual([{ afterMs: 50, exit: 0, output: `${agent}\n` }])
  })

  it.each([
    [{ token: 'another' }, /^401 /],
    [{ target: '/api/v1/namespaces/fleet/pods' }, /^404 /],
  ])('refuses %j', async (asked, refusal) => {
    const { said } = await answers({ wrong: 0, ...asked })
    expect(said[0]).toMatch(refusal)
  })

  it('answers in every wrong way', async () => {
    const { said, printed } = await answers({ wrong: 1, times: 60 })
    const kinds = said.map((text) => text.replace('{"kind":"PodList","items":', '').replace(/^(200 .{60}).*$/, '$1'))
    for (const kind of [
      /^500/,
      /^403/,
      /^timeout/,
      /^200 \[\]\}$/,
      /^200 \{"kind":"Status"/,
      /^200 \[.*10\.0\.99\.1/,
      /"Pending"/,
    ])
      expect(
        kinds.filter((text) => kind.test(text)),
        String(kind),
      ).not.toEqual([])
    expect(new Set(printed.map(({ exit }) => exit))).toEqual(new Set([0, 1]))
    expect(printed.map(({ output }) => output)).toContain('10.0.99.1\n')
  })
})
