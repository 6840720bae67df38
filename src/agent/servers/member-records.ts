import { unrestricted } from '../../access/authorizer.ts'
import { memberLines } from '../../env/observe.ts'
import { checkOfNode, serviceOfNode } from '../../features/catalog/views.ts'
import { deregisterEndpoint, registerEndpoint } from '../../features/catalog/write-endpoints.ts'
import type { WithConsensus, WithPlace, WithProposals, WithState } from '../../features/contract/server-context.ts'
import type { WithEnv, WithNaming, WithRelease } from '../../features/contract/surroundings.ts'
import {
  type CatalogNode,
  type CheckFacts,
  membershipCheckId,
  membershipCriticalOutput,
  type NodeFacts,
  type ServiceFacts,
} from '../../model/catalog.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { PoolServer } from '../pool/pool-servers.ts'
import { known, memberOf, membershipCheck } from './member-changes.ts'

/** The server as far as reconciling uses it. */
export type ReconcileServer = WithEnv & WithRelease & WithNaming & WithState & WithProposals & WithConsensus & WithPlace

/**
 * What the catalog and the Raft configuration say of members, and how the leader changes that. A change that fails is
 * logged: the next round finds what is still wrong.
 */
export class MemberRecords {
  readonly #server: ReconcileServer

  constructor(server: ReconcileServer) {
    this.#server = server
  }

  /** Status of the membership check of this node; undefined: it has none. */
  status(node: string): string | undefined {
    return checkOfNode(this.#server.read(), node, membershipCheckId)?.status
  }

  /** Whether the node has this service on this port; true if none is wanted. */
  offers(node: string, wanted: ServiceFacts | null): boolean {
    if (wanted === null) return true
    return serviceOfNode(this.#server.read(), node, wanted.id)?.port === wanted.port
  }

  /** Makes the membership check of this node critical, unless it is. */
  async markFailed(node: CatalogNode): Promise<void> {
    if (this.status(node.node) === 'critical') return
    const check = membershipCheck(node.node, 'critical', membershipCriticalOutput)
    const { id, address } = node
    await this.register({ ...known(node, address), id, node: node.node, address }, { skip: true, service: null, check })
  }

  async register(
    node: NodeFacts,
    parts: { readonly skip: boolean; readonly service: ServiceFacts | null; readonly check: CheckFacts },
  ): Promise<void> {
    const request = { node, skipNodeUpdate: parts.skip, service: parts.service, checks: [parts.check] }
    const done = await registerEndpoint.serve(this.#server, request, undefined, unrestricted)
    this.#told(done.ok ? undefined : done.error, 'member registered', node.node, parts.check.status)
  }

  /** Returns whether it succeeded. */
  async deregister(node: string): Promise<boolean> {
    const done = await deregisterEndpoint.serve(
      this.#server,
      { node, serviceId: '', checkId: '' },
      undefined,
      unrestricted,
    )
    this.#told(done.ok ? undefined : done.error, 'member deregistered', node, 'left')
    return done.ok
  }

  /**
   * Removes a server that left from the Raft configuration, if it is there. A server that left and came back under
   * another name is among the `present` ones, and stays.
   */
  async removeServer(server: PoolServer, present: readonly PoolServer[]): Promise<void> {
    const { servers } = this.#server.raft.status().configuration
    const named = servers.find((one) => memberOf(one, [server]) !== undefined)
    if (named === undefined) return
    if (present.some((one) => one.status !== 'left' && memberOf(named, [one]) !== undefined)) return
    const removed = await this.#server.raft.changeConfiguration({ kind: 'remove', id: named.id })
    const fields = { name: server.name, id: named.id }
    if (removed.ok) this.#server.env.log.write('info', 'svc', 'removed a server that left', fields)
    else
      this.#server.env.log.write('warn', 'svc', 'a server that left could not be removed yet: retrying', {
        ...fields,
        why: removed.error.kind,
      })
  }

  #told(failure: Failure | undefined, text: string, node: string, status: string): void {
    const { log } = this.#server.env
    if (failure === undefined) return log.write('info', 'svc', text, { node, status }, memberLines)
    log.write(
      'warn',
      'svc',
      'a member could not be reconciled yet: retrying',
      { node, status, why: failureText(failure) },
      'sampled',
    )
  }
}
