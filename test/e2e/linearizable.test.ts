import { afterEach, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/env/net.ts'
import { createHostEnv, type HostEnv } from '../../src/host/env.ts'
import { expectLinearizable, KeyRecorder } from './key-recorder.ts'
import { eventually, type RealAgent, type RealCluster, startThree } from './real-agent.ts'

const long = process.env['SVC_TEST_LONG'] === '1'

let cluster: RealCluster | undefined
let env: HostEnv | undefined
let recorder: KeyRecorder | undefined
afterEach(async () => {
  await recorder?.stop()
  env?.close()
  await cluster?.stopAll()
  cluster = undefined
})

interface Course {
  readonly clients: number
  readonly kills: number
  /** Writes acknowledged before each kill, and again after it. */
  readonly writesBetween: number
}

/** Which server is killed: the leader, and in every third round a follower. */
function victimOf(round: number, leader: number): number {
  return round % 3 === 2 ? (leader + 1 + (round % 2)) % 3 : leader
}

async function killUnderClients({ clients, kills, writesBetween }: Course): Promise<KeyRecorder> {
  const three = await startThree(1)
  cluster = three
  await three.leaderAt()
  env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  const clientsOf = new KeyRecorder(env, clients, () => three.agents.map(endpointOf))
  recorder = clientsOf
  const moreWrites = async (when: string): Promise<void> => {
    const before = clientsOf.acknowledged
    await eventually(`${writesBetween} writes ${when}`, async () =>
      clientsOf.acknowledged >= before + writesBetween ? true : undefined,
    )
  }
  for (let round = 0; round < kills; round++) {
    clientsOf.nextRound()
    await moreWrites('before the kill')
    const victim = victimOf(round, await three.leaderAt())
    await three.agents[victim]?.stop('SIGKILL')
    await moreWrites('after it')
    three.start(victim)
    await three.leaderAt()
  }
  await clientsOf.stop()
  for (const [at, agent] of three.agents.entries()) await clientsOf.readAll(endpointOf(agent), `reader ${at + 1}`)
  return clientsOf
}

function endpointOf({ address }: RealAgent): Endpoint {
  const [host = '', port = ''] = address.split(':')
  return { host, port: Number(port) }
}

describe('what concurrent clients of three real servers see', () => {
  it('[RFT-028] is linearizable over kill -9 of the leader, to the last acknowledged write', async () => {
    const { operations, acknowledged } = await killUnderClients({ clients: 8, kills: 1, writesBetween: 100 })
    expect(acknowledged).toBeGreaterThanOrEqual(200)
    expectLinearizable('8 clients of three real servers, kill -9 of the leader', operations)
  })

  it.runIf(long)('is linearizable over 50 kills under 64 clients', async () => {
    const { operations } = await killUnderClients({ clients: 64, kills: 50, writesBetween: 300 })
    expectLinearizable('64 clients of three real servers, 50 times kill -9', operations)
  })
})
