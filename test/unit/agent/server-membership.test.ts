import { expect, it } from 'vitest'
import type { Introductions } from '../../../src/agent/introductions.ts'
import { ServerDirectory, type ServerRecord } from '../../../src/agent/server-directory.ts'
import { serverMembership } from '../../../src/agent/server-membership.ts'
import type { ServerContext } from '../../../src/features/manifest.ts'

const newcomer: ServerRecord = {
  id: 'new',
  name: 's3',
  address: '10.0.0.3:8300',
  datacenter: 'dc1',
  raftProtocol: 3,
  expect: 3,
  bootstrapped: false,
  known: ['new'],
  lastIndex: 0,
  lastTerm: 0,
  lastContactMs: -1,
}

it('says once why a server that took the address of another is not added', async () => {
  const directory = new ServerDirectory('s1', 'dc1', () => new Set([newcomer.id]))
  directory.learn(newcomer)
  const lines: string[] = []
  const timers: (() => void)[] = []
  const message = 'servers old and new have the same address 10.0.0.3:8300'
  let asked = 0
  const server = {
    env: {
      clock: { monoMs: () => 0 },
      detach: () => {},
      timers: { after: (_: number, use: () => void) => ({ close: () => {}, at: timers.push(use) }) },
      log: {
        write: (level: string, _: string, __: string, fields: { why?: string }) => lines.push(`${level} ${fields.why}`),
      },
    },
    raft: {
      status: () => ({ configuration: { servers: [{ id: 'old', address: newcomer.address, suffrage: 'voter' }] } }),
      changeConfiguration: async () => {
        asked++
        return { ok: false, error: { kind: 'invalid-change', message } }
      },
    },
  } as unknown as ServerContext
  const introductions = { introduceTo: async () => newcomer } as unknown as Introductions
  const autopilot = { lastContactThresholdMs: 200, maxTrailingLogs: 250, serverStabilizationMs: 10_000 }
  const duty = serverMembership(directory, introductions, autopilot as never).start(server)
  for (const poll of [1, 2, 3]) {
    await expect.poll(() => timers.length).toBe(poll)
    timers[poll - 1]?.()
  }
  await expect.poll(() => asked).toBe(4)
  expect(lines).toEqual([`warn ${message}`])
  duty.close()
})
