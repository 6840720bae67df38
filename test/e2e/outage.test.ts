import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { blocksUnder, runBlock } from './operations-page.ts'
import {
  commonLeader,
  eventually,
  leads,
  type RealAgent,
  type RealCluster,
  runSvc,
  startThree,
  trafficPauseMs,
} from './real-agent.ts'

let cluster: RealCluster | undefined

afterEach(async () => {
  await cluster?.stopAll()
  cluster = undefined
})

interface Peers {
  readonly Servers: readonly { readonly ID: string; readonly Address: string; readonly Voter: boolean }[]
}

/** What is done, as docs/operations.md has it. */
function follow(block: string | undefined, three: RealCluster, at: number): ReturnType<typeof runBlock> {
  return runBlock(block ?? 'false', {
    directory: three.workplace.path,
    http: three.agents[at]?.address ?? '',
    dataDir: join(three.workplace.path, `s${at + 1}`),
    server: `127.0.0.${at + 1}:${three.serverPort}`,
  })
}

/** A client that goes to the next server when one does not take its write; how many attempts the worst write needed. */
function writing(agents: readonly RealAgent[]): {
  end(): Promise<{ readonly writes: number; readonly worst: number }>
} {
  let [writes, worst, goesOn] = [0, 0, true]
  const attempt = async (n: number): Promise<boolean> => {
    const agent = agents[n % agents.length]
    const answer = await agent?.request('PUT', `/v1/kv/rolling`, String(n)).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status === 200
  }
  const writer = (async () => {
    for (let n = 0; goesOn; n++) {
      let attempts = 1
      while (!(await attempt(n + attempts))) attempts++
      worst = Math.max(worst, attempts)
      writes++
      await pause(trafficPauseMs)
    }
  })()
  return {
    end: async () => {
      goesOn = false
      await writer
      return { writes, worst }
    },
  }
}

it('[RFT-014] three servers are restarted one by one, lost and restored from a backup, and left one of three, by the page', async () => {
  const three = await startThree(1)
  cluster = three
  const { agents, workplace } = three
  const leader = await three.leaderAt()
  for (let n = 0; n < 20; n++) expect((await agents[0]?.request('PUT', `/v1/kv/k${n}`, `v${n}`))?.status).toBe(200)

  // Each attempt is held while there is no leader: twice round the servers is an election and what it takes to notice.
  const client = writing(agents)
  for (const at of [0, 1, 2].sort((a, b) => Number(a === leader) - Number(b === leader))) {
    await agents[at]?.stop('SIGTERM')
    three.start(at)
    const waited = await follow(blocksUnder('A rolling restart')[0], three, at)
    expect([waited.code, waited.out.match(/^s\d .* true /gm)?.length], waited.error).toEqual([0, 3])
  }
  const { writes, worst } = await client.end()
  expect(writes).toBeGreaterThan(3)
  expect(worst).toBeLessThanOrEqual(6)

  const [save, restore] = blocksUnder('Backup')
  const saved = await follow(save, three, 1)
  expect([saved.code, saved.out], saved.error).toEqual([
    0,
    expect.stringContaining('Saved and verified snapshot to index'),
  ])
  await Promise.all(agents.map((agent) => agent.stop('SIGKILL')))
  for (const name of ['s1', 's2', 's3']) rmSync(join(workplace.path, name), { recursive: true })
  for (const at of [0, 1, 2]) three.start(at)
  await commonLeader(agents)
  expect((await agents[0]?.request('GET', '/v1/kv/k19?raw'))?.status).toBe(404)
  const restored = await follow(restore, three, 0)
  expect([restored.code, restored.out], restored.error).toEqual([0, expect.stringMatching(/Restored snapshot\n$/)])
  expect(await agents[2]?.text('/v1/kv/k19?raw&consistent')).toBe('v19')

  // Its own copy: what is left when the others are gone.
  await eventually('the last write at the first server', async () => {
    return (await agents[0]?.text('/v1/kv/k19?raw&stale')) === 'v19' ? true : undefined
  })
  const dataDir = join(workplace.path, 's1')
  const peersFile = join(dataDir, 'raft', 'peers.json')
  expect(existsSync(peersFile)).toBe(false)
  expect(existsSync(join(dataDir, 'raft', 'peers.info'))).toBe(true)
  await Promise.all(agents.map((agent) => agent.stop('SIGKILL')))
  for (const lost of ['s2', 's3']) rmSync(join(workplace.path, lost), { recursive: true })

  writeFileSync(peersFile, '["127.0.0.1:8300"]')
  const refused = await three.start(0).exited
  expect(refused.code).toBe(1)
  expect(refused.out + refused.error).toContain(`${peersFile}:1: a list of addresses is the form of Raft protocol 2`)

  const [write] = blocksUnder('When a majority is lost for good')
  expect(await follow(write, three, 0)).toMatchObject({ code: 0, error: '' })
  const left = three.start(0)
  await leads(left)
  expect(existsSync(peersFile)).toBe(false)
  expect(left.output).toContain('found peers.json file, recovering Raft configuration...')
  expect(left.output).toContain('deleted peers.json file after successful recovery')
  for (let n = 0; n < 20; n++) expect(await left.text(`/v1/kv/k${n}?raw&consistent`)).toBe(`v${n}`)
  expect((await left.request('PUT', '/v1/kv/after', 'it')).status).toBe(200)

  const fresh = [three.start(1), three.start(2)]
  const voters = await eventually(
    'three servers with a vote',
    async () => {
      const peers = await left.json<Peers>('/v1/operator/raft/configuration')
      return peers?.Servers.filter((server) => server.Voter).length === 3 ? peers.Servers : undefined
    },
    60_000,
  )
  for (const agent of fresh) {
    await eventually('the data at a fresh server', async () => {
      return (await agent.text('/v1/kv/after?raw&stale')) === 'it' ? true : undefined
    })
    for (let n = 0; n < 20; n++) expect(await agent.text(`/v1/kv/k${n}?raw&stale`)).toBe(`v${n}`)
  }

  await fresh[1]?.stop('SIGKILL')
  const gone = voters.find((server) => server.Address.startsWith('127.0.0.3:'))?.ID
  const at = `-http-addr=${left.address}`
  // On a busy machine a leader of two may be another one for a moment, and then it is asked again.
  const removed = await eventually('a leader that removes the peer', async () => {
    const said = await runSvc(['operator', 'raft', 'remove-peer', at, `-id=${gone}`])
    return said.code === 0 || said.error.includes('was not found') ? said : undefined
  })
  expect(removed).toMatchObject({ code: 0, out: `Removed peer with id "${gone}"\n` })
  expect((await runSvc(['operator', 'raft', 'list-peers', at])).out).not.toContain(gone)
  const unknown = await runSvc(['operator', 'raft', 'remove-peer', at, '-id=foo'])
  expect(unknown.code).toBe(1)
  expect(unknown.error).toContain('id "foo" was not found in the Raft configuration')
}, 240_000)
