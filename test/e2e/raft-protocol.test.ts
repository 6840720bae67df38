import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type AgentPortsInUse,
  eventually,
  freePorts,
  leads,
  makeWorkplace,
  portFlags,
  RealAgent,
  runSvc,
  type Workplace,
  writeConfig,
} from './real-agent.ts'

let workplace: Workplace
let ports: AgentPortsInUse
let running: RealAgent | undefined

beforeEach(async () => {
  workplace = makeWorkplace()
  ports = await freePorts()
})
afterEach(async () => {
  await running?.stop('SIGKILL')
  running = undefined
  workplace.remove()
})

/** The only server of its cluster, on the data directory of the one before. */
async function start(...more: readonly string[]): Promise<RealAgent> {
  await running?.stop('SIGKILL')
  const performance = { raft_multiplier: 1, rpc_hold_timeout: '500ms' }
  const file = writeConfig(workplace.path, 'agent.json', {
    server: true,
    bootstrap_expect: 1,
    bind_addr: '127.0.0.1',
    performance,
  })
  const at = [`-config-file=${file}`, `-data-dir=${join(workplace.path, 'data')}`, ...portFlags(ports)]
  running = new RealAgent(`127.0.0.1:${ports.http}`, [...at, ...more])
  return running
}

async function peersOf(agent: RealAgent): Promise<readonly string[]> {
  const { out } = await runSvc(['operator', 'raft', 'list-peers', `-http-addr=${agent.address}`])
  const rows = out.trim().split('\n').slice(1)
  return rows.map((row) => row.split(/ {2,}/).slice(1).join(' '))
}

const nodeId = (): string => readFileSync(join(workplace.path, 'data', 'node-id'), 'utf8')

describe('a server alone', () => {
  it('[RFT-016] [RFT-017] that comes from Raft protocol 2 to 3 in place cannot lead, until it is put back or told its new name', async () => {
    const address = `127.0.0.1:${ports.server}`
    const old = await start('-raft-protocol=2')
    await leads(old)
    expect(await peersOf(old)).toEqual([`${address} ${address} leader true 2`])
    expect((await old.request('PUT', '/v1/kv/color', 'blue')).status).toBe(200)

    const stuck = await start('-raft-protocol=3')
    const read = await eventually('an answer', async () => {
      const response = await stuck.request('GET', '/v1/kv/color').catch(() => undefined)
      return response === undefined || response.status === 503 ? undefined : response
    })
    expect([read.status, await read.text()]).toEqual([500, 'No cluster leader'])
    expect(await stuck.text('/v1/status/leader')).toBe('""')

    const back = await start('-raft-protocol=2')
    await leads(back)
    expect(await back.text('/v1/kv/color?raw')).toBe('blue')
    await back.stop('SIGKILL')

    const peersFile = join(workplace.path, 'data', 'raft', 'peers.json')
    writeFileSync(peersFile, JSON.stringify([{ id: nodeId(), address }]))
    const told = await start('-raft-protocol=3')
    await leads(told)
    expect(existsSync(peersFile)).toBe(false)
    expect(await told.text('/v1/kv/color?raw')).toBe('blue')
    expect(await peersOf(told)).toEqual([`${nodeId()} ${address} leader true 3`])
  })

  it('is told by svc operator upgrade check what is in the way of its upgrade, and when that is done', async () => {
    const check = (agent: RealAgent, ...flags: readonly string[]) =>
      runSvc(['operator', 'upgrade', 'check', `-http-addr=${agent.address}`, ...flags])
    const old = await start('-release=0.9.3')
    await leads(old)
    const before = await check(old)
    expect([before.code, before.error]).toEqual([2, ''])
    expect(before.out).toContain('Upgrade of dc1 to 1.4.0: 1 server (0.9.3), 0 clients.')
    expect(before.out).toContain('put a raft/peers.json with its node ID beside its data')
    expect((await check(old, '-to=0.9.3')).out).toContain('Nothing is in the way.')
    await old.stop('SIGKILL')

    const address = `127.0.0.1:${ports.server}`
    writeFileSync(join(workplace.path, 'data', 'raft', 'peers.json'), JSON.stringify([{ id: nodeId(), address }]))
    const upgraded = await start()
    await leads(upgraded)
    const after = await check(upgraded, '-format=json')
    expect(JSON.parse(after.out)).toMatchObject({
      From: '1.4.0',
      Ready: true,
      InTheWay: [],
      Servers: [{ RaftProtocol: 3, Leader: true, Voter: true }],
    })
    expect(after.code).toBe(0)
  })

  it('[RFT-013] takes peers.json as a list of addresses on protocol 2, and with IDs on protocol 3', async () => {
    const address = `127.0.0.1:${ports.server}`
    const forms = [
      ['2', JSON.stringify([address]), JSON.stringify([{ id: address, address }])],
      ['3', JSON.stringify([{ id: 'ID', address }]), JSON.stringify([address])],
    ] as const
    for (const [protocol, right, wrong] of forms) {
      const first = await start(`-raft-protocol=${protocol}`)
      if (protocol === '2') await leads(first)
      else
        await eventually('its node ID', async () =>
          existsSync(join(workplace.path, 'data', 'node-id')) ? true : undefined,
        )
      await first.stop('SIGKILL')
      const peersFile = join(workplace.path, 'data', 'raft', 'peers.json')
      writeFileSync(peersFile, wrong)
      const refused = await (await start(`-raft-protocol=${protocol}`)).exited
      expect(refused.code).toBe(1)
      expect(refused.out + refused.error).toContain(`${peersFile}:1:`)
      writeFileSync(peersFile, right.replace('ID', nodeId()))
      const taken = await start(`-raft-protocol=${protocol}`)
      await leads(taken)
      expect(existsSync(peersFile)).toBe(false)
    }
  })

  it('[RFT-010] keeps its place under its node ID when its address changes, on protocol 3', async () => {
    await leads(await start('-raft-protocol=3'))
    const before = ports.server
    ports = { ...ports, server: (await freePorts()).server }
    const moved = await start('-raft-protocol=3')
    await leads(moved)
    const now = `${nodeId()} 127.0.0.1:${ports.server} leader true 3`
    expect(now).not.toContain(`:${before} `)
    await eventually('its new address', async () => ((await peersOf(moved)).join() === now ? true : undefined))
  })

  it('[RFT-003] shows its Raft protocol apart from the protocol of the pool', async () => {
    const agent = await start('-raft-protocol=1')
    await leads(agent)
    const members = await runSvc(['members', `-http-addr=${agent.address}`])
    const [header, row] = members.out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    expect(row?.[header?.indexOf('Protocol') ?? -1]).toBe('2')
    expect((await peersOf(agent))[0]).toMatch(/leader true 1$/)
    expect((await runSvc(['version'])).out).toMatch(/^Protocol 2 [\s\S]*Raft protocol 3$/m)
  })

  it('refuses a Raft protocol that there is not', async () => {
    const refused = await (await start('-raft-protocol=9')).exited
    expect(refused.code).toBe(1)
    expect(refused.out + refused.error).toContain('Protocol version 9 must be >= 1 and <= 3')
    expect(existsSync(join(workplace.path, 'data'))).toBe(false)
  })
})
