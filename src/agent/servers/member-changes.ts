import type { Member } from '../../gossip/pool.ts'
import {
  type CatalogNode,
  type CheckFacts,
  membershipCheckId,
  membershipCheckName,
  type NodeFacts,
  type ServiceFacts,
} from '../../model/catalog.ts'
import { serversService } from '../../model/naming/names.ts'
import type { Naming } from '../../model/naming/naming.ts'
import { serverIn } from '../../raft/core/configuration.ts'
import type { Configuration, ConfigurationChange, Server } from '../../raft/core/types.ts'
import { isNamedById } from '../../raft/protocol.ts'
import { life, type PoolServer } from '../pool/pool-servers.ts'
import { nameOf, type ServerRecord } from './server-directory.ts'

export interface MembershipView {
  readonly configuration: Configuration
  /** The leader's Raft protocol, and the lowest of any living server. */
  readonly leaderProtocol: number
  readonly lowestProtocol: number
}

type MemberChange =
  | { readonly kind: 'none' }
  /** A member without a vote, which waits until it has been stable. */
  | { readonly kind: 'promote'; readonly change: ConfigurationChange }
  /**
   * Another machine answers at the address of a member: that member is removed first, once the leader hears nothing
   * from it.
   */
  | { readonly kind: 'replace'; readonly change: ConfigurationChange }
  | { readonly kind: 'change'; readonly change: ConfigurationChange }
  | { readonly kind: 'refuse'; readonly why: string }

/**
 * The next change of the Raft configuration for a living server that has introduced itself, so that it becomes a member
 * under the name of its Raft protocol and at its address.
 *
 * A server that was named by its address and returns with protocol 3 has another name: the old entry is removed first,
 * then the new one is added, as two changes of one server each. The same holds for an entry that another server left
 * behind at the same address, unless that one still replicates: then it has moved, and its own entry is about to follow
 * it. While any server speaks an older protocol, servers get their vote without waiting for stability: all automatic
 * management of servers needs protocol 3 everywhere (Spec: RFT-009).
 */
export function memberChange(record: ServerRecord, view: MembershipView): MemberChange {
  const { configuration, leaderProtocol, lowestProtocol } = view
  const { raftProtocol, address } = record
  const id = nameOf(record)
  const named = serverIn(configuration, id)
  const managed = isNamedById(lowestProtocol)
  if (named?.address === address) {
    if (named.suffrage === 'voter' || !managed) return { kind: 'none' }
    return { kind: 'promote', change: { kind: 'add-voter', id, address } }
  }
  const holder = configuration.servers.find((server) => server.address === address)
  if (!isNamedById(raftProtocol)) {
    // The server was downgraded to an older protocol: it follows under its present name, and cannot lead.
    if (holder?.id === record.id) return { kind: 'none' }
    if (isNamedById(leaderProtocol)) {
      return {
        kind: 'refuse',
        why: `it speaks Raft protocol ${raftProtocol}, and a leader that speaks ${leaderProtocol} adds no server below 3`,
      }
    }
  }
  if (holder !== undefined) {
    // A name that equals the address is an earlier name of this very server.
    return { kind: holder.id === address ? 'change' : 'replace', change: { kind: 'remove', id: holder.id } }
  }
  const kind = managed && named?.suffrage !== 'voter' ? 'add-nonvoter' : 'add-voter'
  return { kind: 'change', change: { kind, id, address } }
}

/** What the pool says about a server of the configuration: found by node ID, or by address if that is its name. */
export function memberOf({ id, address }: Server, known: readonly PoolServer[]): PoolServer | undefined {
  return (
    known.find((other) => other.id === id) ?? (id === address ? known.find((o) => o.address === address) : undefined)
  )
}

/**
 * The member whose node the catalog has under a name. Names of the catalog are independent of case and those of the
 * pool are not, so several members may claim one node: a renamed agent and its former name, or two agents. The one that
 * shows more life has it, and of two living ones the one that has it already.
 */
export function nodeHolder(namesakes: readonly Member[], node: CatalogNode | undefined): Member | undefined {
  const rank = ({ status, tags }: Member): number => 2 * life[status] + (tags['id'] === node?.id ? 1 : 0)
  let holder: Member | undefined
  for (const member of namesakes) if (holder === undefined || rank(member) > rank(holder)) holder = member
  return holder
}

/**
 * Whether a stable server may be given its vote. Release 1.0 kept the number of voters odd: with an odd number it
 * waited for a second one to be promoted with it. Spec: RFT-029.
 */
export function mayPromote(stable: number, voters: number, oneByOne: boolean): boolean {
  return oneByOne || voters % 2 === 0 || stable >= 2
}

/**
 * Keeps what the agent on the node registered about itself, which is at `address` now. An agent that has moved registers
 * its new address itself, and this write may come after that: the former address must not come back under a tag.
 */
export function known(node: CatalogNode | undefined, address: string): Pick<NodeFacts, 'taggedAddresses' | 'meta'> {
  const tagged = node?.taggedAddresses?.map(([tag, at]) => [tag, at === node.address ? address : at] as const)
  return { taggedAddresses: tagged ?? null, meta: node?.meta ?? null }
}

/** The service under which servers are listed. Reference: catalog.md#service-of-the-servers. */
export function ownService(server: PoolServer, naming: Naming): ServiceFacts {
  return {
    kind: '',
    id: serversService(naming),
    service: serversService(naming),
    tags: [],
    address: '',
    meta: null,
    port: Number(server.address.slice(server.address.lastIndexOf(':') + 1)),
    weights: { passing: 1, warning: 1 },
    enableTagOverride: false,
  }
}

/** The check of a node that shows its agent's state in the pool. */
export function membershipCheck(node: string, status: 'passing' | 'critical', output: string): CheckFacts {
  return {
    node,
    checkId: membershipCheckId,
    name: membershipCheckName,
    status,
    notes: '',
    output,
    serviceId: '',
    serviceName: '',
    serviceTags: [],
    definition: null,
  }
}
