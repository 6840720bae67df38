import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPlatform } from '../../../sim/platform/platform.ts'
import type { SimNode } from '../../../sim/simulation/node.ts'
import { Simulation } from '../../../sim/simulation/simulation.ts'
import { textOf } from '../../../src/base/bytes.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { parseDocument } from '../../../src/config/sources/document.ts'
import { validateDocument } from '../../../src/config/validate.ts'
import type { Disk } from '../../../src/env/disk.ts'
import type { Env } from '../../../src/env/env.ts'
import { startProgram } from '../../../src/program/start.ts'
import { FrameReader } from '../../../src/rpc/frame-reader.ts'
import { answers, bytesOf, clientsConnection, dataDirectory, framesIn, kindsIn, kindsOf } from './fixture.ts'

const ports = { dns: -1, http: 8500, server: 8300, serf_lan: 8301, serf_wan: -1 }
const token = '11111111-2222-3333-4444-555555555555'
const common = {
  ...{ data_dir: '/data', ports, primary_datacenter: 'dc1', connect: { enabled: true }, retry_interval: '1s' },
  ...{ performance: { raft_multiplier: 1 }, autopilot: { server_stabilization_time: '1s' } },
  acl: { enabled: true, default_policy: 'allow', tokens: { master: token } },
}

/** Unpacked before the first turn, in which nothing of Node may be touched. */
const kept = { server: dataDirectory('server'), client: dataDirectory('client') }

let platform: ReturnType<typeof createPlatform>
let simulation: Simulation
beforeEach(() => {
  platform = createPlatform()
  simulation = new Simulation({ seed: 'previous-build', platform })
})
afterEach(() => platform.close())

/** Addresses that the members had are left out: nothing answers there. */
async function put(disk: Disk, of: keyof typeof kept): Promise<void> {
  for (const [path, bytes] of kept[of]) {
    if (path.startsWith('serf/')) continue
    const folders = path.split('/').slice(0, -1)
    for (const at of folders.keys()) await disk.makeDirectory(`/data/${folders.slice(0, at + 1).join('/')}`)
    const file = await disk.open(`/data/${path}`, 'create')
    if (!file.ok) throw new Error(file.error.message)
    await file.value.write(0, bytes)
    await file.value.sync()
    await file.value.close()
  }
}

/** `of`: the data directory of the previous build with which the agent starts; absent: it starts from what it has. */
function started(host: string, more: object, of?: keyof typeof kept): (env: Env) => Promise<void> {
  const text = JSON.stringify({ bind_addr: host, client_addr: host, ...common, ...more })
  const document = parseDocument('agent.json', text)
  const checked = document.ok ? validateDocument(document.value) : document
  if (!checked.ok) throw new Error(JSON.stringify(checked.error))
  return async (env) => {
    if (of !== undefined) await put(env.disk, of)
    const normalized = normalize(checked.value.config, false, env.machine)
    if (!normalized.ok) throw new Error(normalized.error.map(({ message }) => message).join('\n'))
    const program = await startProgram(env, normalized.value.config)
    if (!program.ok) throw new Error(program.error.message)
  }
}

/** Status and body of the agent's answer. */
async function ask(node: SimNode, host: string, target: string, body?: string): Promise<readonly [number, string]> {
  const method = body === undefined ? 'GET' : 'PUT'
  const headers = [['X-Svc-Token', token]] as const
  const bytes = body === undefined ? {} : { body: new TextEncoder().encode(body) }
  return simulation.play(
    node,
    async () => {
      const request = { method, target, headers, timeoutMs: 30_000, ...bytes }
      const answer = await node.env.http.request({ host, port: ports.http }, request)
      return answer.ok ? [answer.value.status, textOf(answer.value.body)] : [0, JSON.stringify(answer.error)]
    },
    60_000,
  )
}

async function read(node: SimNode, host: string, target: string): Promise<unknown> {
  const [status, text] = await ask(node, host, target)
  return status === 200 ? JSON.parse(text) : `${status} ${text}`
}

/** Sends what the client of the previous build sent, until each request that was answered then is answered. */
function replayed(from: SimNode, host: string): Promise<unknown> {
  const [asked, expected] = [bytesOf(clientsConnection.asked), Object.keys(kindsOf(clientsConnection.answered)).length]
  const play = async (): Promise<unknown> => {
    const stream = await from.env.tcp.dial({ host, port: ports.server }, { timeoutMs: 5_000 })
    if (!stream.ok) throw new Error(stream.error.kind)
    const reader = new FrameReader({ awaitsAnswers: () => true })
    const answered = from.env.deferred<unknown>()
    let kinds = {}
    stream.value.onData((bytes) => {
      kinds = { ...kinds, ...kindsIn(framesIn(reader, bytes)) }
      if (Object.keys(kinds).length === expected) answered.resolve(kinds)
    })
    stream.value.write(asked)
    return answered.promise
  }
  return simulation.play(from, play, 60_000)
}

async function pass(seconds: number): Promise<void> {
  await simulation.run({ untilMs: simulation.nowMs + seconds * 1000 })
}

it('servers of this build take over the state of the previous one, and serve its agents', async () => {
  const [s1, s2, s3, c1] = ['s1', 's2', 's3', 'c1'].map((name, at) =>
    simulation.addNode({ name, host: `10.0.1.${at + 1}`, directories: ['/data'] }),
  ) as [SimNode, SimNode, SimNode, SimNode]
  const join = { retry_join: ['10.0.1.1', '10.0.1.2', '10.0.1.3'] }
  const server = (name: string) => ({ ...join, server: true, node_name: name })
  s1.boot(started('10.0.1.1', server('s1'), 'server'))
  await pass(5)
  for (const [path, answer] of Object.entries(answers)) expect(await read(s1, '10.0.1.1', path), path).toEqual(answer)

  // The client has what was registered at it, and new servers get snapshot and log.
  c1.boot(started('10.0.1.4', { ...join, node_name: 'c1' }, 'client'))
  s2.boot(started('10.0.1.2', server('s2')))
  s3.boot(started('10.0.1.3', server('s3')))
  await pass(30)
  const voters = (await read(s1, '10.0.1.1', '/v1/operator/raft/configuration')) as { Servers: { Voter: boolean }[] }
  expect(voters.Servers.filter(({ Voter }) => Voter)).toHaveLength(3)
  const own = (await read(c1, '10.0.1.4', '/v1/agent/services')) as Record<string, unknown>
  expect(Object.keys(own).sort()).toEqual(['web', 'web-sidecar-proxy'])

  // The only one that has run on the old data dies: the others have all of it, and go on.
  s1.crash()
  await pass(10)
  const unchanged = ['/v1/kv/?recurse', '/v1/acl/policies', '/v1/acl/tokens', '/v1/connect/intentions', '/v1/query']
  for (const path of unchanged) expect(await read(s2, '10.0.1.2', path), path).toEqual(answers[path])
  expect(await ask(c1, '10.0.1.4', '/v1/kv/app/0', 'new')).toEqual([200, 'true'])
  s1.boot(started('10.0.1.1', server('s1')))
  await pass(10)
  expect(await ask(s1, '10.0.1.1', '/v1/kv/app/0?raw&stale')).toEqual([200, 'new'])

  // An agent that still runs the previous build asks a server of this one.
  expect(await replayed(c1, '10.0.1.3')).toEqual(kindsOf(clientsConnection.answered))
})
