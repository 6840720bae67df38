import type { Member, MemberChange, MemberStatus, Pool } from '../../../src/gossip/pool.ts'

const versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}

export function serverMember(number: number, status: MemberStatus = 'alive'): Member {
  const tags = { role: 'svc', dc: 'dc1', id: `id-s${number}`, port: '8300', raft_vsn: '3' }
  return { name: `s${number}`, endpoint: { host: `10.0.0.${number}`, port: 8301 }, tags, status, versions }
}

export function clientMember(number: number, status: MemberStatus = 'alive'): Member {
  const tags = { role: 'node', dc: 'dc1', id: `id-c${number}` }
  return { name: `c${number}`, endpoint: { host: `10.0.1.${number}`, port: 8301 }, tags, status, versions }
}

/** A pool whose members are what a test says. */
export class FakePool {
  #members = new Map<string, Member>()
  readonly #listeners = new Set<(changes: readonly MemberChange[]) => void>()
  readonly pool: Pool

  constructor(members: readonly Member[]) {
    for (const member of members) this.#members.set(member.name, member)
    this.pool = {
      members: () => [...this.#members.values()],
      onChange: (use: (changes: readonly MemberChange[]) => void) => {
        this.#listeners.add(use)
        return { close: () => this.#listeners.delete(use) }
      },
    } as unknown as Pool
  }

  get listeners(): number {
    return this.#listeners.size
  }

  set(member: Member, kind: MemberChange['kind'] = 'updated'): void {
    this.#members.set(member.name, member)
    this.#tell({ kind, member })
  }

  reap(member: Member): void {
    this.#members.delete(member.name)
    this.#tell({ kind: 'reaped', member })
  }

  /** As a server that comes back without knowing any member. */
  forget(name: string): void {
    this.#members.delete(name)
  }

  #tell(change: MemberChange): void {
    for (const use of [...this.#listeners]) use([change])
  }
}
