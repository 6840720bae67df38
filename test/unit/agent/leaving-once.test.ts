import { expect, it } from 'vitest'
import type { Ground, Part } from '../../../src/agent/assembly/ground.ts'
import { leavesOnce } from '../../../src/agent/assembly/leave-and-reload.ts'
import { type Closing, closeAll, OnceSignal } from '../../../src/agent/boot/lifecycle.ts'
import type { RunningLocalServices } from '../../../src/agent/local/parts.ts'
import { leaveConsensus } from '../../../src/agent/servers/server-leave.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { done } from '../../../src/base/result.ts'
import type { Raft } from '../../../src/raft/raft.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const config = defaultAgentConfig('s1', '10.0.0.1')
const voters = ['s1', 's2'].map((id) => ({ id, address: `${id}:8300`, suffrage: 'voter' }))
/** A follower that no leader ever removes. */
const raft = {
  memberName: () => 's1',
  status: () => ({ role: 'follower', configuration: { servers: voters } }),
} as unknown as Raft

it('an agent that is told to leave again while it leaves does so once, and all callers get the same answer', async () => {
  const steps: string[] = []
  const part = {
    beforeLeave: async () => void steps.push('hands over'),
    afterLeave: async () => {
      steps.push('waits')
      return done
    },
  } as unknown as Part
  const ground = {
    env: new HandClock().env,
    pool: { leave: async () => void steps.push('leaves the pool') },
  } as unknown as Ground
  const local = { silence: () => steps.push('is silent') } as unknown as RunningLocalServices
  const leave = leavesOnce(ground, part, local, new OnceSignal())
  expect(await Promise.all([leave(), leave()])).toEqual([done, done])
  expect(await leave()).toEqual(done)
  expect(steps).toEqual(['is silent', 'hands over', 'leaves the pool', 'waits'])
})

it('a server that is stopped while it waits for its removal waits no more', async () => {
  const clock = new HandClock()
  const closing: Closing = []
  const { afterLeave } = leaveConsensus({ env: clock.env, config, nodeId: 's1' }, raft, closing)
  let left: unknown
  void afterLeave().then((result) => {
    left = result
  })
  await clock.advance(250)
  expect(left).toBeUndefined()
  await closeAll(closing)
  await settled()
  expect(left).toEqual({ ok: false, error: { kind: 'shutting-down' } })
})
