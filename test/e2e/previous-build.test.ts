import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { Frame } from '../../src/rpc/frame.ts'
import { FrameReader } from '../../src/rpc/frame-reader.ts'
import {
  answers,
  archive,
  bytesOf,
  clientsConnection,
  dataDirectory,
  framesIn,
  kindsIn,
  kindsOf,
} from '../unit/previous-build/fixture.ts'
import { freePorts, RealAgent, writeConfig } from './real-agent.ts'
import { Stage } from './stage.ts'

const stage = new Stage()
const token = '11111111-2222-3333-4444-555555555555'

/** Sends what the client sent, and collects until each request that was answered then is answered now. */
function answeredTo({ asked, answered }: typeof clientsConnection, port: number): Promise<unknown> {
  const expected = Object.keys(kindsOf(answered)).length
  const found: Frame[] = []
  return new Promise((resolve, reject) => {
    const reader = new FrameReader({ awaitsAnswers: () => true })
    const socket = connect(port, '127.0.0.1', () => socket.write(bytesOf(asked)))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`the server closed the connection after ${found.length} frames`)))
    socket.on('data', (bytes) => {
      found.push(...framesIn(reader, new Uint8Array(bytes)))
      if (Object.keys(kindsIn(found)).length < expected) return
      socket.removeAllListeners('close').destroy()
      resolve(kindsIn(found))
    })
  })
}

it('reads a data directory and a snapshot of the previous build, and answers its client as it did', async () => {
  const ports = await freePorts()
  const dataDir = join(stage.path, 'data')
  for (const [path, bytes] of dataDirectory('server')) {
    // Members that are gone would be called failed, and lose their sessions.
    if (path.startsWith('serf/')) continue
    mkdirSync(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(dataDir, path), bytes, { mode: 0o600 })
  }
  const file = writeConfig(stage.path, 's1.json', {
    ...{ server: true, node_name: 's1', data_dir: dataDir, bind_addr: '127.0.0.1', ports },
    ...{ primary_datacenter: 'dc1', connect: { enabled: true }, performance: { raft_multiplier: 1 } },
    acl: { enabled: true, default_policy: 'allow', tokens: { master: token } },
  })
  const agent = await stage.led(new RealAgent(`127.0.0.1:${ports.http}`, [`-config-file=${file}`]))
  const ask = (path: string, body?: Uint8Array) => {
    const method = body === undefined ? 'GET' : 'PUT'
    const headers = { 'X-Svc-Token': token }
    return fetch(`http://${agent.address}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  }
  const compared = async (): Promise<void> => {
    for (const [path, answer] of Object.entries(answers)) expect(await (await ask(path)).json(), path).toEqual(answer)
  }
  await compared()
  expect(await answeredTo(clientsConnection, ports.server)).toEqual(kindsOf(clientsConnection.answered))
  expect((await ask('/v1/kv/app/0', Buffer.from('other'))).status).toBe(200)
  expect((await ask('/v1/snapshot', archive)).status).toBe(200)
  await compared()
})
