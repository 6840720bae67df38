import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { eventually, type RealCluster, runSvc, startThree } from './real-agent.ts'

let cluster: RealCluster | undefined

afterEach(async () => {
  await cluster?.stopAll()
  cluster = undefined
})

interface Peers {
  readonly Servers: readonly { readonly ID: string; readonly Address: string; readonly Voter: boolean }[]
}

it('[RFT-014] a server that lost both others for good leads again by peers.json with all its data, and two fresh ones join it', async () => {
  const three = await startThree(1)
  cluster = three
  const { agents, workplace, serverPort } = three
  await three.leaderAt()
  for (let n = 0; n < 20; n++) expect((await agents[0]?.request('PUT', `/v1/kv/k${n}`, `v${n}`))?.status).toBe(200)
  expect(await agents[0]?.text('/v1/kv/k19?raw')).toBe('v19')
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

  const id = readFileSync(join(dataDir, 'node-id'), 'utf8')
  writeFileSync(peersFile, '["127.0.0.1:8300"]')
  const refused = await three.start(0).exited
  expect(refused.code).toBe(1)
  expect(refused.out + refused.error).toContain(`${peersFile}:1: an address alone is the form of Raft protocol 2`)

  writeFileSync(peersFile, JSON.stringify([{ id, address: `127.0.0.1:${serverPort}`, non_voter: false }]))
  const left = three.start(0)
  await eventually('the server that is left to lead', async () => ((await left.leader()) === '' ? undefined : true))
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
  const removed = await runSvc(['operator', 'raft', 'remove-peer', at, `-id=${gone}`])
  expect(removed).toMatchObject({ code: 0, out: `Removed peer with id "${gone}"\n` })
  expect((await runSvc(['operator', 'raft', 'list-peers', at])).out).not.toContain(gone)
  const unknown = await runSvc(['operator', 'raft', 'remove-peer', at, '-id=foo'])
  expect(unknown.code).toBe(1)
  expect(unknown.error).toContain('id "foo" was not found in the Raft configuration')
})
