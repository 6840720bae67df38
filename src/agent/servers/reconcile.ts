import type { Closable } from '../../env/async.ts'
import { allNodes, nodeById, nodeByName } from '../../features/catalog/views.ts'
import type { LeaderDuty, RunningDuty } from '../../features/contract/duty.ts'
import { nameKey } from '../../features/contract/names.ts'
import { measured } from '../../features/contract/surroundings.ts'
import type { Member, Pool } from '../../gossip/pool.ts'
import { membershipPassingOutput } from '../../model/catalog.ts'
import { segmentMetaKey } from '../../model/naming/names.ts'
import { knownServers, type PoolServer, serverOf } from '../pool/pool-servers.ts'
import { known, membershipCheck, nodeHolder, ownService } from './member-changes.ts'
import { MemberRecords, type ReconcileServer } from './member-records.ts'

/** Interval of full rounds, whatever the pool has announced. Reference: configuration.md#reconcile-interval. */
const wholeIntervalMs = 60_000
/** A node without a member counts as failed after this: time enough for its agent to find a restarted server. */
const unknownFailsMs = 120_000

/**
 * Keeps the catalog consistent with the pool, as only the leader does: a living member has its node and a passing
 * membership check; a failed one has a critical check, and nothing is removed; one that left, or that the pool has
 * forgotten, is deregistered with everything on it, and a server is also removed from the Raft configuration. Spec:
 * MEM-010, MEM-013, MEM-014.
 */
export function reconcileMembers(
  pool: Pool,
  nodeName: string,
  reconnectTimeoutMs: number,
): LeaderDuty<RunningDuty, ReconcileServer> {
  return {
    name: 'reconcile-members',
    start(server) {
      const duty = new Reconcile(server, pool, nodeName, reconnectTimeoutMs)
      duty.wake()
      return duty
    },
  }
}

interface Listed {
  readonly of: readonly Member[]
  readonly byName: ReadonlyMap<string, Member>
  /** Members whose names differ only in case: one node of the catalog. */
  readonly byKey: ReadonlyMap<string, readonly Member[]>
}

class Reconcile implements Closable {
  readonly #server: ReconcileServer
  readonly #records: MemberRecords
  readonly #pool: Pool
  readonly #nodeName: string
  readonly #reconnectTimeoutMs: number
  readonly #watching: Closable
  /** Nodes of the catalog that the pool does not know, by key of their name: since when this leader has missed them. */
  readonly #missingSinceMs = new Map<string, number>()
  #listed: Listed | undefined
  #timer: Closable | undefined
  #running = false
  #again = false
  #closed = false

  constructor(server: ReconcileServer, pool: Pool, nodeName: string, reconnectTimeoutMs: number) {
    this.#server = server
    this.#records = new MemberRecords(server)
    this.#pool = pool
    this.#nodeName = nodeName
    this.#reconnectTimeoutMs = reconnectTimeoutMs
    this.#watching = pool.onChange((changes) => {
      // The pool has already waited for the reconnect timeout.
      for (const { kind, member } of changes) {
        if (kind === 'reaped') this.#missingSinceMs.set(nameKey(member.name), Number.NEGATIVE_INFINITY)
      }
      this.wake()
    })
  }

  close(): void {
    this.#closed = true
    this.#watching.close()
    this.#timer?.close()
  }

  /** Starts a round over all members; a round under way is followed by another. A node that is right costs no write. */
  wake(): void {
    this.#again = true
    this.#server.env.batches?.woken(this)
    if (this.#running || this.#closed) return
    this.#running = true
    this.#server.env.detach(this.#run())
  }

  async #run(): Promise<void> {
    this.#timer?.close()
    while (this.#again && !this.#closed) {
      this.#again = false
      this.#server.env.batches?.goesOn(this)
      await measured(this.#server, 'leader.reconcile', () => this.#round())
    }
    if (this.#closed) return
    this.#running = false
    this.#timer = this.#server.env.timers.after(wholeIntervalMs, () => this.wake())
  }

  async #round(): Promise<void> {
    // A round takes as long as its writes do. Each member is looked up right before it is written: one that left and
    // came back must not be deregistered because of what the pool said when the round began.
    for (const name of this.#members().keys()) {
      if (this.#closed) return
      await measured(this.#server, 'leader.reconcileMember', () => this.#member(name))
    }
    await this.#missing()
  }

  /** Members of this datacenter as the pool sees them now, by name. */
  #members(): Listed['byName'] {
    return this.#list().byName
  }

  #list(): Listed {
    const of = this.#pool.members()
    if (this.#listed?.of !== of) {
      const own = of.filter((member) => member.tags['dc'] === this.#server.datacenter)
      const byName = new Map(own.map((member) => [member.name, member]))
      const byKey = new Map<string, Member[]>()
      for (const member of own) byKey.set(nameKey(member.name), [...(byKey.get(nameKey(member.name)) ?? []), member])
      this.#listed = { of, byName, byKey }
    }
    return this.#listed
  }

  #hasNode(member: Member): boolean {
    const namesakes = this.#list().byKey.get(nameKey(member.name)) ?? []
    return namesakes.length < 2 || nodeHolder(namesakes, nodeByName(this.#server.read(), member.name)) === member
  }

  #member(name: string): Promise<void> {
    const member = this.#members().get(name)
    if (member === undefined || (member.status !== 'left' && !this.#hasNode(member))) return Promise.resolve()
    switch (member.status) {
      case 'alive':
        return this.#alive(member)
      case 'failed':
        return this.#failed(member)
      case 'left':
        return this.#left(member)
      default:
        return Promise.resolve()
    }
  }

  async #alive(member: Member): Promise<void> {
    if (await this.#tookOver(member)) return this.wake()
    const tx = this.#server.read()
    const node = nodeByName(tx, member.name)
    const id = member.tags['id'] ?? ''
    const { host } = member.endpoint
    const server = serverOf(member)
    const service = server === undefined ? null : ownService(server, this.#server.naming)
    const here = node !== undefined && node.address === host && node.id === id
    if (here && this.#records.status(member.name) === 'passing' && this.#records.offers(member.name, service)) return
    await this.#failFormerName(member)
    // The agent's own registration may arrive first, while this write is on its way: it takes precedence.
    const skip = here || node === undefined
    await this.#records.register(
      { ...known(node, host), id, node: member.name, address: host },
      { skip, service, check: membershipCheck(member.name, 'passing', membershipPassingOutput) },
    )
  }

  /**
   * An agent that was renamed takes its node ID along once the node of its former name has failed. A server that was
   * restarted since does not remember that name, and without this the agent would wait as for an agent that this leader
   * has not met yet. A former name that the pool considers alive fails by its probes.
   */
  async #failFormerName({ name, tags }: Member): Promise<void> {
    const former = nodeById(this.#server.read(), tags['id'] ?? '')
    if (former === undefined || nameKey(former.node) === nameKey(name)) return
    const namesakes = this.#list().byKey.get(nameKey(former.node)) ?? []
    if (namesakes.some(({ status }) => status === 'alive' || status === 'leaving')) return
    if (this.#records.status(former.node) === 'passing') await this.#records.markFailed(former)
  }

  /**
   * The pool considers an agent alive under a name that the catalog has for another node ID: the machine was set up
   * anew. An agent with the former ID can no longer be a member, so that node has failed, and its name is taken over
   * without anything that was registered on it. A node that was registered by hand belongs to no agent, and keeps its
   * name. Returns whether the name was taken over.
   */
  async #tookOver({ name, tags }: Member): Promise<boolean> {
    const holder = nodeByName(this.#server.read(), name)
    const id = tags['id'] ?? ''
    if (holder === undefined || holder.id === '' || id === '' || holder.id === id) return false
    // The agent itself may have registered its node before any leader registered its membership.
    const isAgents =
      this.#records.status(name) !== undefined ||
      holder.meta?.some(([key]) => key === segmentMetaKey(this.#server.naming)) === true
    if (!isAgents) return false
    await this.#records.markFailed(holder)
    const now = nodeByName(this.#server.read(), name)
    if (this.#closed || now?.id !== holder.id || this.#records.status(name) !== 'critical') return false
    const fields = { node: name, from: holder.id, by: id }
    this.#server.env.log.write('info', 'svc', 'took over the name of a failed node', fields, 'sampled')
    return this.#records.deregister(name)
  }

  async #failed(member: Member): Promise<void> {
    const node = nodeByName(this.#server.read(), member.name)
    // The node was deregistered while it was failed: it is registered again when its member returns.
    if (node !== undefined) await this.#records.markFailed(node)
  }

  async #left(member: Member): Promise<void> {
    // A leader that leaves hands over first: the next leader deregisters it.
    if (member.name === this.#nodeName) return
    const server = serverOf(member)
    if (server !== undefined) await this.#records.removeServer(server, this.#servers())
    const now = this.#members().get(member.name)
    if (this.#closed || now?.status !== 'left' || !this.#hasNode(now)) return
    if (nodeByName(this.#server.read(), member.name) !== undefined) await this.#records.deregister(member.name)
  }

  #servers(): readonly PoolServer[] {
    return knownServers(this.#pool.members(), this.#server.datacenter)
  }

  /**
   * Deregisters nodes that had a member of the pool and have none now. A pool forgets a failed member after the
   * reconnect timeout, and a restarted server knows no member at first, so this leader waits as long as the pool would
   * have.
   */
  async #missing(): Promise<void> {
    const now = this.#server.env.clock.monoMs()
    const present = this.#list().byKey
    const own = nameKey(this.#nodeName)
    const missing = [...allNodes(this.#server.read())].filter(
      ({ node }) => !present.has(nameKey(node)) && nameKey(node) !== own && this.#records.status(node) !== undefined,
    )
    const names = new Set(missing.map(({ node }) => nameKey(node)))
    for (const name of [...this.#missingSinceMs.keys()]) if (!names.has(name)) this.#missingSinceMs.delete(name)
    for (const { node: spelled } of missing) {
      if (this.#closed) return
      // The writes before it took a while: it may have a member now, or be deregistered by an operator.
      const name = nameKey(spelled)
      const node = nodeByName(this.#server.read(), spelled)
      if (node === undefined || this.#records.status(spelled) === undefined) continue
      if (this.#list().byKey.has(name)) continue
      const since = this.#missingSinceMs.get(name) ?? now
      this.#missingSinceMs.set(name, since)
      if (now - since >= this.#reconnectTimeoutMs) await this.#records.deregister(node.node)
      else if (now - since >= unknownFailsMs) await this.#records.markFailed(node)
    }
  }
}
