import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machineSlowness } from '../tools/turn-cpu.ts'
import { outermostBomb, packetBomb, streamBomb } from '../unit/gossip-wire/bombs.ts'
import { floodPackets, floodStreams, type GossipPlace } from './gossip-flood.ts'
import { commonLeader, makeWorkplace, type RealCluster, startThree, type Workplace } from './real-agent.ts'
import { type LoopReport, loopReport, loopWatched } from './watched-loop.ts'

const long = process.env['SVC_TEST_LONG'] === '1'

/**
 * The goal is 50 ms. A machine that runs other tests beside this one has slower cores, and collects garbage on them.
 */
const stallMsMax = (long ? 50 : 150) * machineSlowness()

/**
 * With the timing of production. A busy machine keeps a server from its core for longer than the shortest timing bears.
 */
const raftMultiplier = long ? 1 : 5

const timeoutMs = long ? 400_000 : 90_000

let cluster: RealCluster
let watched: Workplace
let target: GossipPlace
let leader: number

beforeAll(async () => {
  watched = makeWorkplace()
  cluster = await startThree(raftMultiplier, { environment: loopWatched(watched.path) })
  leader = await cluster.leaderAt()
  target = { host: `127.0.0.${leader + 1}`, port: cluster.gossipPort }
}, 60_000)

afterAll(async () => {
  await cluster.stopAll()
  watched.remove()
})

async function term(): Promise<string | undefined> {
  const self = await cluster.agents[leader]?.json<{ Stats: { raft: { term: string } } }>('/v1/agent/self')
  return self?.Stats.raft.term
}

/** What the leader's event loop did under the flood; it must still be the leader of the same term, and take writes. */
async function under(flood: () => Promise<void>): Promise<LoopReport> {
  const agent = cluster.agents[leader]
  if (agent === undefined) throw new Error('there is no leader')
  const [before, termBefore, startedMs] = [await commonLeader(cluster.agents), await term(), Date.now()]
  await flood()
  const report = await loopReport(watched.path, agent, startedMs, Date.now())
  expect([await commonLeader(cluster.agents), await term()]).toEqual([before, termBefore])
  expect(await (await agent.request('PUT', '/v1/kv/still', 'here')).text()).toBe('true')
  return report
}

describe('a server whose gossip has no key, under compressed bytes that claim far more than they are', () => {
  it(
    'on 120 streams of 13.5 KB that claim 16 MiB each: no stall, no change of leader',
    async () => {
      const bomb = streamBomb()
      expect(bomb.length).toBeLessThan(14_000)
      const stallsMs: number[] = []
      for (let round = 0; round < (long ? 20 : 2); round++)
        stallsMs.push((await under(() => floodStreams(target, bomb, 120))).stallMs)
      expect(long ? Math.max(...stallsMs) : Math.min(...stallsMs)).toBeLessThan(stallMsMax)
    },
    timeoutMs,
  )

  it.each([
    ['a compound of 100 compressed parts', packetBomb],
    ['one that is compressed as a whole', outermostBomb],
  ])(
    'in packets of 42 KB at 333 in a second, %s: no stall, no change of leader',
    async (_, make) => {
      const bomb = make()
      expect(bomb.length).toBeGreaterThan(39_000)
      const seconds = long ? 60 : 3
      const report = await under(() => floodPackets(target, bomb, { perSecond: 333, seconds }))
      expect(report.stallMs).toBeLessThan(stallMsMax)
      expect(report.cpuMs).toBeLessThan(seconds * 1000)
    },
    timeoutMs,
  )
})
