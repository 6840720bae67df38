import { describe, expect, it } from 'vitest'
import { WebServers, type WebState } from '../../../sim/cluster/web-servers.ts'
import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const port = 8080
const hosts = ['127.0.0.1', '10.0.0.1']

interface Machine {
  readonly simulation: Simulation
  readonly servers: WebServers
  readonly node: SimNode
  boot(): void
  /** What a check on the machine itself sees: a status, or why there is none. */
  look(host?: string): Promise<number | string>
  say(state: WebState): Promise<void>
}

function withMachine<T>(use: (machine: Machine) => Promise<T>): Promise<T> {
  return inSimulation({}, (simulation) => {
    const servers = new WebServers()
    servers.add('c1', port)
    const node = simulation.addNode({ name: 'c1', host: '10.0.0.1' })
    const boot = (): void => node.boot((env) => servers.booted('c1', env))
    boot()
    return use({
      simulation,
      servers,
      node,
      boot,
      look: async (host = '127.0.0.1') => {
        const seen = await simulation.play(
          node,
          (env) => env.http.request({ host, port }, { method: 'GET', target: '/', timeoutMs: 1_000 }),
          5_000,
        )
        return seen.ok ? seen.value.status : seen.error.kind
      },
      say: async (state) => {
        node.run(() => servers.set('c1', state))
        await simulation.run({ untilMs: simulation.nowUs / 1000 + 10 })
      },
    })
  })
}

describe('a web server on a simulated machine', () => {
  it('answers on loopback and on the address of its machine, and is known to be there', async () => {
    await withMachine(async ({ simulation, servers, look }) => {
      await simulation.run({ untilMs: 10 })
      for (const host of hosts) expect(await look(host)).toBe(200)
      expect(servers.has('c1')).toBe(true)
      expect(servers.has('c2')).toBe(false)
    })
  })

  it.each([
    ['well', 200],
    ['busy', 429],
    ['ill', 500],
    ['stuck', 'timeout'],
    ['gone', 'refused'],
  ] as const)('that is %s shows %s', async (state, seen) => {
    await withMachine(async ({ say, look }) => {
      await say(state)
      expect(await look()).toBe(seen)
    })
  })

  it('comes back when it is said to be well, from whatever it was', async () => {
    await withMachine(async ({ say, look }) => {
      for (const state of ['gone', 'stuck', 'gone', 'ill'] as const) {
        await say(state)
        await say('well')
        expect(await look()).toBe(200)
      }
    })
  })

  it('goes with its machine, and comes up again as it was', async () => {
    await withMachine(async ({ simulation, servers, node, say, look, boot }) => {
      await say('ill')
      servers.died('c1')
      node.crash()
      servers.set('c1', 'busy')
      boot()
      await simulation.run({ untilMs: simulation.nowUs / 1000 + 10 })
      expect(await look()).toBe(429)
    })
  })
})
