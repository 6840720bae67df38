import type { TraceDigest } from '../../../sim/report/hashed-lines.ts'
import type { SimulationOptions } from '../../../sim/simulation/simulation.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation, rest, value } from './in-simulation.ts'

const nodes = 4
const hostOf = (number: number): string => `10.0.0.${number}`

/** Everything an Env can do, on machines that crash, stand still and are cut off: for comparing traces. */
export async function busyWorld(
  seed: string,
  options: Omit<Partial<SimulationOptions>, 'platform' | 'seed'> = {},
): Promise<TraceDigest> {
  const link = { latencyMs: [0.5, 4], jitterMs: 1, loss: 0.05, duplicate: 0.05, reorder: 0.1, corrupt: 0.01 } as const
  return await inSimulation({ seed, link, shuffleTies: true, ...options }, async (simulation) => {
    const all = Array.from({ length: nodes }, (_, at) => {
      const clock = { rate: 1 + at / 10_000, wallOffsetMs: at * 7 }
      return simulation.addNode({ name: `s${at + 1}`, host: hostOf(at + 1), clock, directories: ['/data'] })
    })
    for (const node of all) node.programs.set('check', () => ({ afterMs: 3, exit: 0, output: node.name }))
    const start = (number: number) => (env: Env) => live(env, number)
    for (const [at, node] of all.entries()) node.boot(start(at + 1))
    const draw = simulation.decisions.draws('faults')
    const disturb = (): void => {
      const node = all[draw.below(nodes)] as (typeof all)[number]
      const other = all[draw.below(nodes)] as (typeof all)[number]
      const number = all.indexOf(node) + 1
      const kind = draw.below(8)
      if (kind === 0) node.crash(draw.below(2) === 0 ? {} : { network: 'silent', disk: 'kept' })
      else if (kind === 1) node.pause()
      else if (kind === 2 && node !== other)
        simulation.network.cut(node.name, other.name, { oneWay: draw.below(2) === 0 })
      else if (kind === 3) simulation.network.heal()
      else if (kind === 4) node.clock.setRate(0.99 + draw.fraction() / 50)
      else if (kind === 5) node.disk.setOptions({ slowFactor: 1 + draw.below(5) })
      else if (kind === 6) node.clock.stepWall(draw.below(1000) - 500)
      else node.resume()
      if (!node.running && draw.below(2) === 0) node.boot(start(number))
      simulation.after(40 + draw.below(40), disturb)
    }
    simulation.after(100, disturb)
    const end = await simulation.run({ untilMs: 3000 })
    if (end.kind !== 'time') throw new Error(end.message)
    return simulation.finish()
  })
}

async function live(env: Env, number: number): Promise<void> {
  const host = hostOf(number)
  const socket = await value(
    env.udp.bind({ host, port: 7 }, (from, bytes) => {
      if (bytes.length < 40) socket.send(from, new Uint8Array(bytes.length + 1))
    }),
  )
  await value(
    env.tcp.listen({ host, port: 8 }, (stream) => {
      stream.onData((bytes) => void stream.write(bytes))
      stream.onEnd(() => stream.end())
    }),
  )
  await value(env.http.serve({ host, port: 9 }, async ({ target }) => ({ status: 200, headers: [], body: target })))
  env.detach(appendForEver(env))
  env.detach(askForEver(env))
  for (;;) {
    const draw = env.random.draws('gossip')
    await rest(env, 5 + draw.fraction() * 20)
    socket.send({ host: hostOf(1 + draw.below(nodes)), port: 7 }, env.crypto.randomBytes(draw.below(30)))
    env.log.write('debug', 'busy', 'sent', { at: env.clock.wallMs() })
  }
}

async function appendForEver(env: Env): Promise<void> {
  const file = await value(env.disk.open('/data/log', 'create'))
  for (let at = await value(file.size()); ; at += 10) {
    await value(file.write(at, env.crypto.randomBytes(10)))
    await value(file.sync())
    await rest(env, 3)
  }
}

async function askForEver(env: Env): Promise<void> {
  for (;;) {
    const draw = env.random.draws('ask')
    await rest(env, 10)
    const host = hostOf(1 + draw.below(nodes))
    await env.http.request({ host, port: 9 }, { method: 'GET', target: `/${draw.below(100)}`, timeoutMs: 100 })
    const dialled = await env.tcp.dial({ host, port: 8 }, { timeoutMs: 100 })
    if (dialled.ok) {
      dialled.value.onData(() => undefined)
      dialled.value.write(utf8('echo'))
      dialled.value.end()
    }
    await env.processes.run(['check'], { timeoutMs: 10, outputBytesMax: 10 })
  }
}
