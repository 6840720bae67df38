import { describe, expect, it } from 'vitest'
import { loggerProgram } from '../../../sim/workload/receivers/logger-program.ts'
import { Receiver, receiverPorts } from '../../../sim/workload/receivers/receiver.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const [agent, receiver] = ['10.0.0.1', '10.0.0.9']

async function sends(env: Env): Promise<void> {
  await env.http.serve({ host: agent, port: 8500 }, async ({ target }) => ({ status: 200, headers: [], body: target }))
  const socket = await env.udp.bind({ host: agent, port: 0 }, () => undefined)
  const stream = await env.tcp.dial({ host: receiver, port: receiverPorts.statsite }, { timeoutMs: 1_000 })
  if (!socket.ok || !stream.ok) throw new Error('nothing can be sent')
  socket.value.send({ host: receiver, port: receiverPorts.syslog }, utf8('a line…'))
  socket.value.send({ host: receiver, port: receiverPorts.statsd }, utf8('one'))
  socket.value.send({ host: receiver, port: receiverPorts.dogstatsd }, utf8('two'))
  stream.value.write(utf8('three'))
  stream.value.end()
}

/** What a receiver told in ten seconds in which an agent sent something by every protocol. */
function told(): Promise<readonly (readonly [string, unknown])[]> {
  return inSimulation({}, async (simulation) => {
    const facts: (readonly [string, unknown])[] = []
    simulation.addNode({ name: 'receivers-1', host: receiver }).boot((env) => {
      const world = {
        nowUs: () => simulation.nowMs * 1_000,
        decisions: simulation.decisions,
        nodes: ['c1'],
        nodeAt: (address: string) => (address === agent ? 'c1' : undefined),
        endpointOf: () => ({ host: agent, port: 8500 }),
        tell: (name: string, fact: unknown) => void facts.push([name, fact]),
      }
      const plan = { name: 'monitors', host: receiver, everyMs: { min: 3_000, max: 4_000 } }
      const crew = new Receiver(env, plan, world as unknown as ConstructorParameters<typeof Receiver>[2])
      env.timers.after(100, () => crew.live())
    })
    for (const [name, host] of [
      ['c1', agent],
      ['stranger', '10.0.0.3'],
    ] as const) {
      simulation.addNode({ name, host }).boot((env) => {
        env.timers.after(50, () => env.detach(name === 'c1' ? sends(env) : strays(env)))
      })
    }
    await simulation.run({ untilMs: 8_000 })
    return facts
  })
}

async function strays(env: Env): Promise<void> {
  const socket = await env.udp.bind({ host: '10.0.0.3', port: 0 }, () => undefined)
  if (socket.ok) socket.value.send({ host: receiver, port: receiverPorts.syslog }, utf8('of no agent'))
}

describe('a receiver', () => {
  it('tells what agents send by each protocol, and what they show when they are asked', async () => {
    const facts = await told()
    expect(facts.filter(([name]) => name !== 'metrics shown')).toEqual(
      expect.arrayContaining([
        ['log arrived', { node: 'c1', text: 'a line…', bytes: 9 }],
        ['metrics arrived', { node: 'c1', protocol: 'statsd', text: 'one' }],
        ['metrics arrived', { node: 'c1', protocol: 'dogstatsd', text: 'two' }],
        ['metrics arrived', { node: 'c1', protocol: 'statsite', text: 'three' }],
        ['metrics stream ended', { node: 'c1' }],
      ]),
    )
    const shown = facts.filter(([name]) => name === 'metrics shown')
    expect(shown).toHaveLength(2)
    expect(shown[0]?.[1]).toMatchObject({ node: 'c1', text: '/v1/agent/metrics?format=prometheus' })
    expect(facts).toHaveLength(7)
  })
})

describe('logger', () => {
  it('hands over its lines, or fails after some of them', () =>
    inSimulation({}, async (simulation) => {
      const facts: { readonly lines: readonly string[]; readonly isFailure: boolean }[] = []
      const tell = (_: string, fact: unknown) => void facts.push(fact as (typeof facts)[number])
      const { decisions } = simulation
      const program = loggerProgram({ node: 'c1', failing: 0.5, decisions, tell } as Parameters<
        typeof loggerProgram
      >[0])
      const call = { argv: ['logger'], environment: new Map(), input: utf8('<133>one\n<133>two\n') }
      const exits = Array.from({ length: 40 }, () => program(call).exit)
      expect(facts.map(({ isFailure }) => (isFailure ? 1 : 0))).toEqual(exits)
      const lengths = (failed: boolean) =>
        new Set(facts.filter(({ isFailure }) => isFailure === failed).map(({ lines }) => lines.length))
      expect([lengths(false), lengths(true)]).toEqual([new Set([2]), new Set([0, 1, 2])])
      await Promise.resolve()
    }))
})
