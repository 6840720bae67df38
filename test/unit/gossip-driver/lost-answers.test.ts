import { expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { Simulation } from '../../../sim/simulation/simulation.ts'
import { done, err } from '../../../src/base/result.ts'
import { encrypted, open, statuses, until } from '../../contract/gossip/pools.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const [old, fresh] = ['cg8StVXbQJ0gPvMd9o7yrg==', 'pUqJrVyVRj5jsiYEkM/tFQYfWyJIv4s3XkvDwy7Cu5s=']

/**
 * A key is installed among three members, and no packet of the second reaches the first: what that heard, and what the
 * second has.
 */
async function installed(relayFactor: number) {
  const platform = createPlatform()
  try {
    const simulation = new Simulation({ seed: '1', platform, startWallMs: 1_800_000_000_000, link: { latencyMs: 1 } })
    const node = (name: string, n: number) => simulation.addNode({ name, host: `10.0.0.${n}` })
    const nodes = [node('a', 1), node('b', 2), node('c', 3)] as const
    for (const other of nodes.slice(1)) other.boot(() => undefined)
    const heard = await simulation.play(nodes[0], () => install(simulation, nodes, relayFactor), 60_000)
    if (simulation.failure !== undefined) throw new Error(simulation.failure.message)
    return heard
  } finally {
    platform.close()
  }
}

async function install(
  { network }: Simulation,
  [first, second, third]: readonly [a: Node, b: Node, c: Node],
  relayFactor: number,
) {
  const at = (n: number) => ({ host: `10.0.0.${n}`, port: 8301 })
  const a = await open(first.env, 'a', at(1), {}, encrypted(old))
  const ofB = encrypted(old)
  const b = await open(second.env, 'b', at(2), {}, ofB)
  const c = await open(third.env, 'c', at(3), {}, encrypted(old))
  for (const other of [b, c]) expect(await other.join(a.self().endpoint)).toMatchObject({ ok: true })
  for (const [{ env }, pool] of [
    [first, a],
    [second, b],
    [third, c],
  ] as const) {
    await until(env, pool, (members) => statuses(members) === 'a alive, b alive, c alive')
  }
  network.setLink('b', 'a', { loss: 1 }, { oneWay: true })
  const answers = await a.keys({ action: 'install', key: fresh, relayFactor })
  for (const pool of [a, b, c]) await pool.stop()
  return { answers, keysOfB: ofB.encryption.keyring.list() }
}

type Node = ReturnType<Simulation['addNode']>

it('a member whose answer is lost has not reported success, though it has the key', async () => {
  const { answers, keysOfB } = await installed(0)
  expect(answers).toMatchObject({ ok: true, value: { nodes: 3, answered: 2, errors: [] } })
  expect(keysOfB).toEqual([old, fresh])
})

it('an answer that is lost on its own way comes by way of others, where it is asked to', async () => {
  const { answers } = await installed(2)
  expect(answers).toMatchObject({ ok: true, value: { nodes: 3, answered: 3, errors: [] } })
})

it('a member that cannot store the key says so, and says that it has it when it was asked again and could', async () => {
  await inSimulation({ link: { latencyMs: 1 } }, async (simulation) => {
    const [first, second] = [1, 2].map((n) => simulation.addNode({ name: `n${n}`, host: `10.0.0.${n}` }))
    if (first === undefined || second === undefined) throw new Error('there are two')
    second.boot(() => undefined)
    const ofB = encrypted(old)
    let stores = 0
    ofB.encryption.keyring.storeBy(async () => (++stores === 1 ? err('no room') : done))
    const answers = await simulation.play(
      first,
      async () => {
        const a = await open(first.env, 'a', { host: '10.0.0.1', port: 8301 }, {}, encrypted(old))
        const b = await open(second.env, 'b', { host: '10.0.0.2', port: 8301 }, {}, ofB)
        expect(await b.join(a.self().endpoint)).toMatchObject({ ok: true })
        await until(first.env, a, (members) => statuses(members) === 'a alive, b alive')
        const ask = () => a.keys({ action: 'install', key: fresh, relayFactor: 0 })
        const heard = [await ask(), await ask()]
        for (const pool of [a, b]) await pool.stop()
        return heard
      },
      60_000,
    )
    expect(answers).toMatchObject([
      { ok: true, value: { answered: 2, errors: [['b', 'no room']] } },
      { ok: true, value: { answered: 2, errors: [] } },
    ])
  })
})
