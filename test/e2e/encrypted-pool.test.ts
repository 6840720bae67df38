import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  type AgentPortsInUse,
  eventually,
  freePorts,
  leads,
  portFlags,
  quickGossip,
  RealAgent,
  runSvc,
  writeConfig,
} from './real-agent.ts'
import { Stage } from './stage.ts'

const stage = new Stage()

function start(name: string, ports: AgentPortsInUse, ...flags: readonly string[]): RealAgent {
  const config = writeConfig(stage.path, `${name}.json`, {
    gossip_lan: quickGossip,
    performance: { raft_multiplier: 1 },
  })
  const agent = new RealAgent(`127.0.0.1:${ports.http}`, [
    `-node=${name}`,
    '-bind=127.0.0.1',
    `-data-dir=${join(stage.path, name)}`,
    `-config-file=${config}`,
    ...portFlags(ports),
    ...flags,
  ])
  return stage.add(agent)
}

function svc(agent: RealAgent, ...args: readonly string[]): ReturnType<typeof runSvc> {
  const [command = '', ...rest] = args
  return runSvc([command, `-http-addr=${agent.address}`, ...rest])
}

function listsAsAlive(agent: RealAgent, name: string): Promise<true> {
  return eventually(`${name} alive`, async () => {
    const { out } = await svc(agent, 'members', '-status=alive')
    return out.includes(`${name} `) ? true : undefined
  })
}

/** Everything under a directory, and itself, that others than its owner may read, write or enter. */
function openToOthers(directory: string): readonly string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name))
  return [directory, ...paths].filter((path) => (statSync(path).mode & 0o077) !== 0)
}

it('agents with a key form a pool, change the key, and find each other again by what they kept', async () => {
  const key = (await runSvc(['keygen'])).out.trim()
  const fresh = (await runSvc(['keygen'])).out.trim()
  const [serverPorts, clientPorts] = [await freePorts(), await freePorts()]
  const server = start('s1', serverPorts, '-server', '-bootstrap-expect=1', `-encrypt=${key}`)
  await leads(server)
  const client = start('c1', clientPorts, `-encrypt=${key}`, `-retry-join=127.0.0.1:${serverPorts.serf_lan}`)
  await listsAsAlive(server, 'c1')
  await listsAsAlive(client, 's1')
  expect(client.output).toContain('Encrypt: Gossip: true,')

  const done = { code: 0, error: '' }
  expect(await svc(client, 'keyring', `-install=${fresh}`), client.output).toMatchObject(done)
  expect(await svc(server, 'keyring', `-use=${fresh}`)).toMatchObject(done)
  expect(await svc(client, 'keyring', `-remove=${key}`)).toMatchObject(done)
  await eventually('both hold the new key alone', async () => {
    const { out } = await svc(server, 'keyring', '-list')
    return out.includes(`dc1 (LAN):\n  ${fresh} [2/2]\n`) ? true : undefined
  })
  const refused = await svc(server, 'keyring', `-remove=${fresh}`)
  expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('Removing the primary key is not allowed')])

  const fired = await svc(client, 'event', '-name=deploy', '-node=s', 'payload')
  expect(fired.out).toMatch(/^Event ID: [0-9a-f-]{36}\n$/)
  await eventually('the event', async () => {
    const events = await server.json<{ Name: string; Payload: string }[]>('/v1/event/list?name=deploy')
    return events?.[0]?.Payload === Buffer.from('payload').toString('base64') ? true : undefined
  })

  // Keys, tokens and what was stored: all of it is for the agent alone, whatever is written when.
  expect((await server.request('PUT', '/v1/kv/secret', 'word')).status).toBe(200)
  expect((await client.request('PUT', '/v1/agent/service/register', '{"Name":"web"}')).status).toBe(200)
  const backup = join(stage.path, 'backup.snap')
  expect(await runSvc(['snapshot', 'save', `-http-addr=${server.address}`, backup])).toMatchObject(done)
  for (const name of ['s1', 'c1']) {
    const directory = join(stage.path, name)
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['node-id', 'serf']))
    expect(openToOthers(directory)).toEqual([])
  }
  expect(statSync(backup).mode & 0o077).toBe(0)

  // After a kill it is given neither the key nor an address to join: both are in its data directory.
  await client.stop('SIGKILL')
  const again = start('c1', clientPorts)
  await eventually('rejoining', async () =>
    again.output.includes('Re-joined to previously known node') ? true : undefined,
  )
  await listsAsAlive(again, 's1')
  await listsAsAlive(server, 'c1')
})
