import { ok } from '../../base/result.ts'
import { nodeDumpEndpoint } from '../../features/catalog/endpoint.ts'
import { deregisterEndpoint, registerAllEndpoint, registerEndpoint } from '../../features/catalog/write-endpoints.ts'
import type { ReadOptions } from '../../features/contract/reading.ts'
import { nodeChecksEndpoint } from '../../features/health/endpoint.ts'
import { noChange } from '../../model/log-position.ts'
import { registrantRights } from '../access/access-control.ts'
import type { AgentTokens } from '../access/agent-tokens.ts'
import { checkTls } from '../boot/tls-material.ts'
import { createLocalServices } from '../local/local-services.ts'
import type { CatalogClient, RunningLocalServices } from '../local/parts.ts'
import { serverOf } from '../pool/pool-servers.ts'
import type { Calls } from '../requests/asking/calls.ts'
import { freshRead } from '../requests/request.ts'
import type { Ground, Part } from './ground.ts'

export function localServices(ground: Ground, { calls, access }: Part): RunningLocalServices {
  const { env, config, nodeId, pool, tokens, tls } = ground
  return createLocalServices(env, {
    config,
    nodeId,
    catalog: catalogClient(calls, tokens, access !== undefined),
    tokens,
    rights: access && registrantRights(ground, access),
    nodeCount: () => pool.stats().members,
    checkTls: () => checkTls(tls.material),
  })
}

/**
 * Calls `use` when a server becomes reachable or another one becomes leader: an earlier sync that failed may succeed
 * now.
 */
export function followServers({ pool }: Ground, part: Part, use: () => void): () => void {
  const appearing = pool.onChange((changes) => {
    if (changes.some(({ kind, member }) => kind === 'joined' && serverOf(member) !== undefined)) use()
  })
  const leading = part.raft?.onRoleChange((status) => {
    if (status.leader !== undefined) use()
  })
  // Members that knew this agent before may have sent it the servers by gossip while it still read its disk.
  const others = pool.members().filter(({ name, status }) => status === 'alive' && name !== pool.self().name)
  if (others.some((member) => serverOf(member) !== undefined)) use()
  return () => {
    appearing.close()
    leading?.close()
  }
}

/** Calls `use` when the agent uses another token: a request that was refused may be allowed now. */
export function followTokens({ tokens }: Ground, use: () => void): () => void {
  const changing = tokens.onChange(use)
  return () => changing.close()
}

/** The catalog for the local state, which reads with the agent's own token. */
function catalogClient(calls: Calls, tokens: AgentTokens, nodeApart: boolean): CatalogClient {
  return {
    nodeApart,
    dump: async (node) => {
      const answer = await calls.query(nodeDumpEndpoint, { node }, freshRead, { token: tokens.agent })
      if (!answer.ok) return answer
      const { node: facts, services, checks } = answer.value.value
      return ok(facts === null ? null : { node: facts, services, checks })
    },
    register: (request, token) => calls.write(registerEndpoint, request, { token }),
    registerAll: (request, token) => calls.write(registerAllEndpoint, request, { token }),
    deregister: (request, token) => calls.write(deregisterEndpoint, request, { token }),
    checksOn: async (node, minIndex, abandoned) => {
      const call = { token: tokens.agent, onAbort: abandoned }
      const answer = await calls.query(nodeChecksEndpoint, { node }, { ...watchRead, minIndex }, call)
      return answer.ok ? ok({ checks: answer.value.value, index: answer.value.meta.index }) : answer
    },
  }
}

/** Reference: definitions.md#check-alias. */
const watchRead: ReadOptions = {
  consistency: 'stale',
  minIndex: noChange,
  waitMs: 60_000,
  maxStaleMs: 0,
  datacenter: '',
}
