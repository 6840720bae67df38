import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from './answered-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('operator raft list-peers', () => {
  it('shows <=1 for servers that do not say which Raft protocol they speak', async () => {
    const server = { ID: '10.0.0.1:8300', Node: 'a', Address: '10.0.0.1:8300', Leader: true, Voter: true }
    const said = { ...server, ID: 'id-b', Node: 'b', Leader: false, ProtocolVersion: '2' }
    const { out } = await run(['operator', 'raft', 'list-peers'], {
      'GET /v1/operator/raft/configuration': { Servers: [server, said], Index: 1 },
    })
    const rows = out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    expect(rows.map((row) => [row[0], row[5]])).toEqual([
      ['Node', 'RaftProtocol'],
      ['a', '<=1'],
      ['b', '2'],
    ])
  })
})

describe('svc operator raft remove-peer', () => {
  const path = ['operator', 'raft', 'remove-peer']
  const answers = {
    'DELETE /v1/operator/raft/peer?id=s-1': '',
    'DELETE /v1/operator/raft/peer?address=10.0.0.1%3A8300': '',
    'DELETE /v1/operator/raft/peer?id=foo': new Error('id "foo" was not found in the Raft configuration'),
  }

  it('says which server it removed, by ID or by address', async () => {
    expect(await run([...path, '-id=s-1'], answers)).toMatchObject({ code: 0, out: 'Removed peer with id "s-1"\n' })
    const byAddress = await run([...path, '-address=10.0.0.1:8300'], answers)
    expect(byAddress).toMatchObject({ code: 0, out: 'Removed peer with address "10.0.0.1:8300"\n' })
  })

  it('asks for one of the two, and for no more', async () => {
    const none = await run(path, answers)
    expect(none).toMatchObject({
      code: 1,
      error: 'Error removing peer: an address or id is required for the peer to remove\n',
      asked: [],
    })
    const both = await run([...path, '-id=s-1', '-address=10.0.0.1:8300'], answers)
    expect(both).toMatchObject({
      code: 1,
      error: 'Error removing peer: cannot give both an address and id\n',
      asked: [],
    })
  })

  it('passes on why no server was removed', async () => {
    expect(await run([...path, '-force', '-id=foo'], answers)).toMatchObject({
      code: 1,
      error: 'Error removing peer: Unexpected response code: 500 (id "foo" was not found in the Raft configuration)\n',
    })
  })
})

describe('keys of the pool', () => {
  const key = 'cg8StVXbQJ0gPvMd9o7yrg=='

  it('keygen prints a key of 16 bytes, another one each time', async () => {
    const [one, other] = [await run(['keygen']), await run(['keygen'])]
    expect(Buffer.from(one.out, 'base64').length).toBe(16)
    expect(one.out).toMatch(/^[A-Za-z0-9+/]{22}==\n$/)
    expect(one.out).not.toBe(other.out)
  })

  it('keyring -list prints each pool with its keys', async () => {
    const rings = [{ WAN: false, Datacenter: 'dc1', Segment: '', Keys: { [key]: 2 }, NumNodes: 3 }]
    const listed = await run(['keyring', '-list'], { 'GET /v1/operator/keyring': rings })
    expect([listed.code, listed.out]).toEqual([
      0,
      `==> Gathering installed encryption keys...\n\ndc1 (LAN):\n  ${key} [2/3]\n`,
    ])
  })

  it('keyring installs, uses and removes', async () => {
    for (const [flag, method] of [
      ['install', 'POST'],
      ['use', 'PUT'],
      ['remove', 'DELETE'],
    ] as const) {
      const target = `${method} /v1/operator/keyring?relay-factor=2`
      const done = await run(['keyring', '-force', `-${flag}`, key, '-relay-factor', '2'], { [target]: '' })
      expect([done.code, done.asked]).toEqual([0, [`${target} {"Key":"${key}"}`]])
    }
  })

  it('keyring takes exactly one action, and tells of a refusal', async () => {
    expect((await run(['keyring'])).code).toBe(1)
    expect((await run(['keyring', '-list', '-use', key])).code).toBe(1)
    const refused = await run(['keyring', '-force', '-remove', key], {
      'DELETE /v1/operator/keyring': new Error('Removing the primary key is not allowed'),
    })
    expect([refused.code, refused.error]).toEqual([
      1,
      'error: Unexpected response code: 500 (Removing the primary key is not allowed)\n',
    ])
  })
})
