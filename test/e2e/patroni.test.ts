import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { devAgent, eventually, freePorts, leads, makeWorkplace, type RealAgent, type Workplace } from './real-agent.ts'

const postgresPrograms = '/usr/lib/postgresql'
const missing = [
  spawnSync('patroni', ['--version']).error === undefined ? undefined : 'patroni',
  existsSync(postgresPrograms) ? undefined : 'postgresql',
  spawnSync('/usr/bin/python3', ['-c', 'import consul']).status === 0 ? undefined : 'python3-consul',
].filter((name) => name !== undefined)

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
const user = process.getuid?.() === 0 ? { uid: numberOf('-u'), gid: numberOf('-g') } : {}

function numberOf(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'postgres']).stdout?.toString().trim())
}

let workplace: Workplace
let agent: RealAgent
const patronis = new Map<string, ChildProcess>()
beforeEach((context) => {
  if (missing.length > 0) context.skip(`not there: ${missing.join(', ')}`)
  workplace = makeWorkplace()
  if (user.uid !== undefined) chownSync(workplace.path, user.uid, user.gid)
})
afterEach(async () => {
  for (const name of [...patronis.keys()]) await kill(name)
  await agent?.stop('SIGKILL')
  workplace?.remove()
})

/** One PostgreSQL and its keeper, which fights for the leader's key with a session of the shortest time to live. */
async function startPatroni(name: string, consulPort: number): Promise<void> {
  const [major] = readdirSync(postgresPrograms)
  const data = join(workplace.path, name)
  mkdirSync(data)
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid)
  const file = join(data, 'patroni.json')
  const accounts = {
    superuser: { username: 'postgres', password: 'a' },
    replication: { username: 'replicator', password: 'b' },
  }
  const restapi = `127.0.0.1:${await freePort()}`
  const settings = {
    scope: 'main',
    name,
    restapi: { listen: restapi, connect_address: restapi },
    consul: { host: `127.0.0.1:${consulPort}`, register_service: true },
    bootstrap: {
      dcs: { ttl: 20, loop_wait: 1, retry_timeout: 3, postgresql: { parameters: { fsync: 'off' } } },
      initdb: [{ encoding: 'UTF8' }, 'no-sync'],
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
    postgresql: {
      listen: `127.0.0.1:${await freePort()}`,
      data_dir: join(data, 'pg'),
      bin_dir: join(postgresPrograms, major ?? '', 'bin'),
      authentication: accounts,
      parameters: { unix_socket_directories: data },
    },
  }
  const { listen } = settings.postgresql
  const written = { ...settings, postgresql: { ...settings.postgresql, connect_address: listen } }
  writeFileSync(file, JSON.stringify(written))
  // A group of its own, so that PostgreSQL goes with its keeper.
  const child = spawn('patroni', [file], {
    ...user,
    stdio: 'ignore',
    detached: true,
    cwd: data,
    env: { PATH: process.env['PATH'] },
  })
  patronis.set(name, child)
}

/** The whole group, postmaster included, as when a machine vanishes. */
async function kill(name: string): Promise<void> {
  const child = patronis.get(name)
  patronis.delete(name)
  if (child?.pid === undefined) return
  const gone = new Promise((resolve) => child.on('close', resolve))
  const postmasters = spawnSync('pkill', ['-KILL', '-f', join(workplace.path, name)])
  if (child.exitCode === null && postmasters.error === undefined) process.kill(-child.pid, 'SIGKILL')
  await gone
}

interface Key {
  readonly Value: string
  readonly Session?: string
  readonly ModifyIndex: number
}

async function leaderKey(): Promise<Key | undefined> {
  const [key] = (await agent.json<readonly Key[]>('/v1/kv/service/main/leader')) ?? []
  return key?.Session === undefined ? undefined : key
}

function holder({ Value }: Key): string {
  return Buffer.from(Value, 'base64').toString()
}

describe('patroni, whose configuration store we are', () => {
  it('elects a leader of PostgreSQL with our sessions, and another when the holder is killed', async () => {
    const ports = await freePorts()
    agent = devAgent(ports, '-node=n1')
    await leads(agent)
    await startPatroni('pg1', ports.http)
    const first = await eventually('the first leader', leaderKey, 90_000)
    expect(holder(first)).toBe('pg1')
    await startPatroni('pg2', ports.http)
    await eventually(
      'the follower runs',
      async () => {
        const members = await agent.json<readonly Key[]>('/v1/kv/service/main/members/?recurse')
        return (members ?? []).filter((key) => /"state": ?"(running|streaming)"/.test(holder(key))).length === 2
          ? true
          : undefined
      },
      90_000,
    )
    expect((await leaderKey())?.Session).toBe(first.Session)
    await kill('pg1')
    const second = await eventually(
      'another leader',
      async () => {
        const key = await leaderKey()
        return key !== undefined && holder(key) === 'pg2' ? key : undefined
      },
      90_000,
    )
    expect(second.Session).not.toBe(first.Session)
    expect(second.ModifyIndex).toBeGreaterThan(first.ModifyIndex)
    await eventually('the new leader in the catalog', async () => {
      const masters = await agent.json<readonly { ServiceID: string }[]>('/v1/catalog/service/main?tag=master')
      return masters?.some(({ ServiceID }) => ServiceID.endsWith('pg2')) ? true : undefined
    })
  }, 300_000)
})
