import { describe, expect, it } from 'vitest'
import type { PoolServer } from '../../../src/agent/pool/pool-servers.ts'
import { type MembershipView, mayPromote, memberChange, memberOf } from '../../../src/agent/servers/member-changes.ts'
import type { ServerRecord } from '../../../src/agent/servers/server-directory.ts'
import type { Server, Suffrage } from '../../../src/raft/core/types.ts'

const address = '10.0.0.3:8300'

function record(raftProtocol: number, changes: Partial<ServerRecord> = {}): ServerRecord {
  return {
    id: 'id-c',
    name: 's3',
    address,
    datacenter: 'dc1',
    raftProtocol,
    expect: 3,
    bootstrapped: false,
    known: [],
    lastIndex: 0,
    lastTerm: 0,
    lastContactMs: -1,
    ...changes,
  }
}

function entry(id: string, at = address, suffrage: Suffrage = 'voter'): Server {
  return { id, address: at, suffrage }
}

/** A view of a leader `id-a` and the entries given. */
function view(entries: readonly Server[], leaderProtocol = 3, lowestProtocol = leaderProtocol): MembershipView {
  const own = entry(leaderProtocol >= 3 ? 'id-a' : '10.0.0.1:8300', '10.0.0.1:8300')
  return { configuration: { servers: [own, ...entries] }, leaderProtocol, lowestProtocol }
}

const change = (kind: string, id: string, at?: string) => ({
  kind: 'change',
  change: at === undefined ? { kind, id } : { kind, id, address: at },
})

describe('a server that has introduced itself', () => {
  it('is added without a vote, waits, and is then left alone', () => {
    expect(memberChange(record(3), view([]))).toEqual(change('add-nonvoter', 'id-c', address))
    expect(memberChange(record(3), view([entry('id-c', address, 'nonvoter')]))).toEqual({
      kind: 'promote',
      change: { kind: 'add-voter', id: 'id-c', address },
    })
    expect(memberChange(record(3), view([entry('id-c')]))).toEqual({ kind: 'none' })
  })

  it('is entered with its new address, and keeps its vote', () => {
    expect(memberChange(record(3), view([entry('id-c', '10.0.0.9:8300')]))).toEqual(
      change('add-voter', 'id-c', address),
    )
    expect(memberChange(record(3), view([entry('id-c', '10.0.0.9:8300', 'nonvoter')]))).toEqual(
      change('add-nonvoter', 'id-c', address),
    )
  })

  it('drives out the entry that another server left behind at its address', () => {
    expect(memberChange(record(3), view([entry('id-old')]))).toEqual({
      kind: 'replace',
      change: { kind: 'remove', id: 'id-old' },
    })
  })

  it('below protocol 3 is named by its address and gets its vote at once', () => {
    expect(memberChange(record(2), view([], 2))).toEqual(change('add-voter', address, address))
    expect(memberChange(record(1), view([], 2, 1))).toEqual(change('add-voter', address, address))
    expect(memberChange(record(2), view([entry(address)], 2))).toEqual({ kind: 'none' })
  })

  it('that came from protocol 2 to 3 loses its old entry first, and is then added by its ID', () => {
    expect(memberChange(record(3), view([entry(address)], 2))).toEqual(change('remove', address))
    expect(memberChange(record(3), view([], 2))).toEqual(change('add-voter', 'id-c', address))
    // The last one to come: all servers speak protocol 3 by now.
    expect(memberChange(record(3), view([entry(address)]))).toEqual(change('remove', address))
    expect(memberChange(record(3), view([]))).toEqual(change('add-nonvoter', 'id-c', address))
  })

  it('below protocol 3 is not added by a leader that speaks 3, but stays if it is one', () => {
    expect(memberChange(record(2), view([], 3, 2))).toMatchObject({ kind: 'refuse', why: expect.stringContaining('2') })
    expect(memberChange(record(2), view([entry(address)], 3, 2))).toEqual({ kind: 'none' })
  })

  it('that was put back from protocol 3 to 2 stays under its ID', () => {
    expect(memberChange(record(2), view([entry('id-c')], 3, 2))).toEqual({ kind: 'none' })
  })

  it('is not promoted by stability while any server speaks less than protocol 3', () => {
    expect(memberChange(record(3), view([entry('id-c', address, 'nonvoter')], 3, 2))).toEqual({ kind: 'none' })
  })
})

describe('a server of the configuration', () => {
  const member = (id: string, at: string): PoolServer => ({
    id,
    name: id,
    datacenter: 'dc1',
    address: at,
    raftProtocol: 2,
    release: '',
    status: 'alive',
    offersTls: false,
  })

  it('is found in the pool by its ID, and by its address only if that is its name', () => {
    const known = [member('id-b', '10.0.0.2:8300'), member('id-c', address)]
    expect(memberOf(entry('id-c', '10.0.0.7:8300'), known)?.id).toBe('id-c')
    expect(memberOf(entry(address), known)?.id).toBe('id-c')
    expect(memberOf(entry('id-gone'), known)).toBeUndefined()
  })
})

describe('promotion', () => {
  it('was pairwise in release 1.0, and has come to each stable server since 1.0.1', () => {
    const release1_0 = false
    expect([mayPromote(1, 3, release1_0), mayPromote(2, 3, release1_0), mayPromote(1, 4, release1_0)]).toEqual([
      false,
      true,
      true,
    ])
    expect(mayPromote(1, 3, true)).toBe(true)
  })
})
