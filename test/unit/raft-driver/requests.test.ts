import { describe, expect, it } from 'vitest'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import { Requests } from '../../../src/raft/driver/requests.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'
import { fakeEnv } from '../raft-log/fake-env.ts'

function entryOf(index: number, term: number): Entry {
  return { index: logIndexOf(index), term: termOf(term), kind: 'command', payload: new Uint8Array() }
}

function made(): Requests {
  return new Requests(fakeEnv(new CrashDisk()))
}

const lost = { ok: false, error: { kind: 'leadership-lost' } }

describe('the fate of a call', () => {
  it('is what was applied at its index, if that is its entry', async () => {
    const requests = made()
    const mine = requests.begin(10)
    const replaced = requests.begin(20)
    requests.accepted(mine.id, logIndexOf(5), termOf(2))
    requests.accepted(replaced.id, logIndexOf(6), termOf(2))
    expect(requests.waitingBytes).toBe(30)
    requests.applied(entryOf(5, 2), 'value')
    requests.applied(entryOf(6, 3), 'of another')
    expect(await mine.outcome).toEqual({ ok: true, value: { index: 5, value: 'value' } })
    expect(await replaced.outcome).toEqual(lost)
    expect(requests.waitingBytes).toBe(0)
    expect(requests.acceptedCount).toBe(0)
  })

  it('is open when leadership is lost, unless its entry is committed already', async () => {
    const requests = made()
    const committed = requests.begin()
    const open = requests.begin()
    requests.accepted(committed.id, logIndexOf(5), termOf(2))
    requests.accepted(open.id, logIndexOf(6), termOf(2))
    requests.leadershipLost(logIndexOf(5))
    expect(await open.outcome).toEqual(lost)
    requests.applied(entryOf(5, 2), 'value')
    expect((await committed.outcome).ok).toBe(true)
  })

  it('of a read waits until the state machine is there', async () => {
    const requests = made()
    const { id, outcome } = requests.begin()
    let settled = false
    void outcome.then(() => {
      settled = true
    })
    requests.readReady(id, logIndexOf(7), logIndexOf(5))
    requests.appliedUpTo(logIndexOf(6))
    await Promise.resolve()
    expect(settled).toBe(false)
    requests.appliedUpTo(logIndexOf(7))
    expect(await outcome).toEqual({ ok: true, value: { index: 7, value: undefined } })
  })
})
