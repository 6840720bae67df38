import { unrestricted } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import {
  deregisterEndpoint,
  nodeDumpEndpoint,
  registerAllEndpoint,
  registerEndpoint,
} from '../../features/catalog/endpoint.ts'
import type { AgentContext, TelemetryView } from '../../features/contract/agent-context.ts'
import type { ReadOptions } from '../../features/contract/reading.ts'
import { updateEndpoint } from '../../features/coordinate/endpoint.ts'
import type { CoordinateRow } from '../../features/discovery/nearness.ts'
import { nodeChecksEndpoint } from '../../features/health/endpoint.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { UserEvent } from '../../model/remote-exec.ts'
import { agentAccess, localAuthorizer, registrantRights, rightsOfCalls } from '../access/access-control.ts'
import type { AgentTokens } from '../access/agent-tokens.ts'
import { type Closing, closeAll, OnceSignal, type StartFailure } from '../boot/lifecycle.ts'
import { checkTls, differ, reloadTls, rpcTls } from '../boot/tls-material.ts'
import { syncCoordinate } from '../local/coordinate-sync.ts'
import { createLocalAgent } from '../local/local-agent.ts'
import { OwnRefusals } from '../local/own-refusals.ts'
import type { CatalogClient, RunningLocalAgent } from '../local/parts.ts'
import { RemoteExec } from '../local/remote-exec.ts'
import { serverSource } from '../mesh/leaf-source.ts'
import { Leaves } from '../mesh/leaves.ts'
import { MeshDomains } from '../mesh/mesh-domains.ts'
import { Joining } from '../pool/joining.ts'
import { changeOwnTags, serverOf, takesTls } from '../pool/pool-servers.ts'
import { UserEvents } from '../pool/user-events.ts'
import { AnswerCache } from '../requests/asking/answer-cache.ts'
import type { Calls } from '../requests/asking/calls.ts'
import { freshRead } from '../requests/request.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { reloadedConfig } from '../settings/reloading.ts'
import type { Agent, StartOptions } from './agent.ts'
import type { Ground, Part } from './ground.ts'
import { describeSelf } from './self.ts'

export interface AssemblyOptions extends StartOptions {
  readonly telemetry: TelemetryView
}

/** Assembles and starts an agent: it serves, joins its pool, and registers its services in the catalog. */
export async function assembleAgent(
  ground: Ground,
  part: Part,
  options: AssemblyOptions,
  closing: Closing,
): Promise<Result<Agent, StartFailure>> {
  const { env, config, nodeId, pool, wan, fatal } = ground
  const { lan: joining, wan: wanJoining } = joinings(ground)
  closing.push(() => {
    joining.stop()
    wanJoining?.stop()
  })
  const local = localAgent(ground, part)
  closing.push(() => local.stop())
  const events = userEvents(ground, part, local, closing)
  const started = await local.start()
  if (!started.ok) return started
  // Registered before anything begins: within the two steps below a lone server becomes leader, and start_join finds
  // servers.
  closing.push(followServers(ground, part, () => local.trigger()))
  closing.push(followTokens(ground, () => local.trigger()))
  await part.start()
  const joined = await joining.first()
  if (!joined.ok) return joined
  const wanJoined = await startJoinWan(ground, wanJoining)
  if (!wanJoined.ok) return wanJoined
  keepJoined(ground, joining, wanJoining)
  const { calls } = part
  tellCoordinate(ground, part, closing)
  const left = new OnceSignal<undefined>()
  const rightsOf = part.access === undefined ? undefined : rightsOfCalls(ground, part.access)
  const answers = keptAnswers(ground, part, rightsOf, closing)
  const self = describeSelf({ env, config, release: config.release, nodeId, part, pool, wan: wan?.pool, local })
  return ok({
    env,
    telemetry: options.telemetry,
    discoveryMaxStaleMs: config.discoveryMaxStaleMs,
    release: config.release,
    aliases: config.http.aliases,
    raft: part.raft,
    local,
    lan: pool,
    wan: wan?.pool,
    events,
    mesh: meshLeaves(ground, part, rightsOf, closing),
    write: (endpoint, args, call) => calls.write(endpoint, args, call),
    authorizer: rightsOf === undefined ? async () => ok(unrestricted) : localAuthorizer(ground, rightsOf),
    accessControl: part.access === undefined ? undefined : agentAccess(ground, part.access),
    trustDomains: trustDomainsOf(env, answers),
    query: (endpoint, args, read, call) => calls.query(endpoint, args, read, call),
    cached: (endpoint, args, read, freshness, call) => answers.get(endpoint, args, read, freshness, call),
    ask: (endpoint, args, read, call) => calls.ask(endpoint, args, read, call),
    self: () => self,
    reasonsNotReady: () => [...reasonsNotReady(ground, part), ...local.syncTroubles],
    join: (addresses) => joining.join(addresses),
    joinWan: async (addresses) => (wanJoining === undefined ? err(noWan(config)) : wanJoining.join(addresses)),
    leave: () => leaveOnce(ground, part, local, left),
    reload: () => reload(ground, options, part, (next) => local.reload(next)),
    state: part.state,
    onFatal: (use) => fatal.on(use),
    raiseFatal: (failure) => fatal.raise(failure),
    onLeft: (use) => left.on(use),
    stop: () => closeAll(closing),
  })
}

function localAgent(ground: Ground, { calls, access }: Part): RunningLocalAgent {
  const { env, config, nodeId, pool, tokens, tls } = ground
  return createLocalAgent(env, {
    config,
    nodeId,
    catalog: catalogClient(calls, tokens, access !== undefined),
    tokens,
    rights: access && registrantRights(ground, access),
    nodeCount: () => pool.stats().members,
    checkTls: () => checkTls(tls.material),
  })
}

/** Keeps joining the addresses of the configuration, and members that were known before the restart. */
function keepJoined({ pool, snapshot, wan }: Ground, joining: Joining, wanJoining: Joining | undefined): void {
  joining.start()
  joining.rejoin(snapshot?.known ?? [])
  snapshot?.follow(pool)
  wanJoining?.start()
  wanJoining?.rejoin(wan?.snapshot?.known ?? [])
  if (wan !== undefined) wan.snapshot?.follow(wan.pool)
}

function reasonsNotReady({ pool }: Ground, part: Part): readonly string[] {
  return [...(pool.self().status === 'alive' ? [] : ['this agent leaves the cluster']), ...part.reasonsNotReady()]
}

function keptAnswers(
  { env }: Ground,
  { calls }: Part,
  rightsOf: AgentContext['authorizer'] | undefined,
  closing: Closing,
): AnswerCache {
  const answers = new AnswerCache(env, calls, rightsOf)
  closing.push(() => answers.stop())
  return answers
}

function trustDomainsOf(env: Env, answers: AnswerCache): AgentContext['trustDomains'] {
  const domains = new MeshDomains(env, answers)
  return () => domains.of()
}

/** Keys and certificates of the services on this node, where the mesh is on. */
function meshLeaves(
  { env, config, pool }: Ground,
  { calls }: Part,
  rightsOf: AgentContext['authorizer'] | undefined,
  closing: Closing,
): Leaves | undefined {
  if (!hasBehaviour(config.release, 'mesh')) return undefined
  const { datacenter } = config
  const source = serverSource({ env, calls, datacenter, memberCount: () => pool.stats().members })
  const leaves = new Leaves({ env, source, rightsOf, tokenOf: (call) => calls.tokenOf(call) })
  closing.push(() => leaves.stop())
  return leaves
}

/** Sends this agent's network coordinate to the servers. */
function tellCoordinate({ env, config, pool, tokens }: Ground, { calls, access }: Part, closing: Closing): void {
  if (!hasBehaviour(config.release, 'coordinates')) return
  const refusals = new OwnRefusals(env, access && registrantRights({ tokens }, access))
  const sync = {
    env,
    pool,
    nodeName: config.nodeName,
    token: () => tokens.agent,
    refusals,
    send: (update: CoordinateRow, token: string) => calls.write(updateEndpoint, update, { token }),
  }
  closing.push(syncCoordinate(sync))
}

/** Handles the pool's user events, of which some request remote execution. */
function userEvents(
  { env, config, pool, tokens }: Ground,
  part: Part,
  local: RunningLocalAgent,
  closing: Closing,
): UserEvents {
  const { nodeName, remoteExec: enabled } = config
  const exec = new RemoteExec({ env, calls: part.calls, nodeName, enabled, token: () => tokens.agent })
  closing.push(() => exec.stop())
  const hear = (event: UserEvent): void => exec.hear(event)
  const events = new UserEvents(env, pool, nodeName, () => local.services(), hear)
  closing.push(() => events.stop())
  return events
}

function joinings({ env, config, pool, wan, fatal }: Ground): {
  readonly lan: Joining
  readonly wan: Joining | undefined
} {
  const onExhausted = (name: 'LAN' | 'WAN') => (): void =>
    fatal.raise({ kind: 'join-exhausted', message: `max join ${name} retry exhausted` })
  const { startJoin, retryJoin, retryIntervalMs, retryMax, ports } = config
  const settings = { pool: 'LAN', port: ports.serfLan, startJoin, retryJoin, retryIntervalMs, retryMax } as const
  const lan = new Joining({ env, settings, pool, onExhausted: onExhausted('LAN') })
  if (wan === undefined) return { lan, wan }
  const wanSettings = { ...config.wan, pool: 'WAN', port: ports.serfWan } as const
  return { lan, wan: new Joining({ env, settings: wanSettings, pool: wan.pool, onExhausted: onExhausted('WAN') }) }
}

/** One attempt at the addresses of `start_join_wan`; `retry_join_wan` is ignored where there is no such pool. */
async function startJoinWan(
  { env, config }: Ground,
  joining: Joining | undefined,
): Promise<Result<undefined, StartFailure>> {
  if (joining !== undefined) return joining.first()
  const { startJoin, retryJoin } = config.wan
  const why = noWan(config)
  if (startJoin.length > 0) {
    return err({ kind: 'configuration', message: `Error joining cluster: ${why}`, remedy: 'remove start_join_wan' })
  }
  if (retryJoin.length > 0)
    env.log.write('warn', 'agent', "(WAN) couldn't join: retry_join_wan is of no effect here", { why })
  return ok(undefined)
}

/** Why this agent is in no pool of all datacenters, in the field's words. */
function noWan({ server }: AgentConfig): string {
  return server ? 'WAN Federation is disabled' : 'Must be a server to join WAN cluster'
}

async function leaveOnce(
  ground: Ground,
  part: Part,
  local: RunningLocalAgent,
  left: OnceSignal<undefined>,
): Promise<Result<undefined, Failure>> {
  ground.env.log.write('info', 'agent', 'leaving the cluster')
  local.silence()
  await part.beforeLeave()
  await ground.wan?.pool.leave()
  await ground.wan?.snapshot?.left()
  await ground.pool.leave()
  await ground.snapshot?.left()
  const out = await part.afterLeave()
  if (!out.ok) ground.env.log.write('warn', 'agent', 'left without being removed from the consensus group')
  left.raise(undefined)
  return out
}

async function reload(
  { env, config, rpc, tls, pool, wan, tokens }: Ground,
  options: StartOptions,
  part: Part,
  take: (next: AgentConfig) => Promise<Result<undefined, Failure>>,
): Promise<Result<undefined, Failure>> {
  if (options.reread === undefined) {
    return err({ kind: 'refused', message: 'this agent was not started from a configuration that can be read again' })
  }
  const read = await options.reread()
  // The operator's configuration is at fault, not the agent: it keeps its settings, and a retry would not help.
  if (!read.ok) return err({ kind: 'bad-request', message: read.error })
  const next = reloadedConfig(config, read.value)
  const before = tls.material
  const renewed = await reloadTls(env, before, next.tls)
  if (!renewed.ok) return err({ kind: 'bad-request', message: `${renewed.error.message}: ${renewed.error.remedy}` })
  const taken = await take(next)
  if (!taken.ok) return taken
  tls.material = renewed.value
  rpc.renewTls(rpcTls(renewed.value))
  if (differ(before, renewed.value)) env.log.write('info', 'agent', 'certificates renewed')
  const pools = wan === undefined ? [pool] : [pool, wan.pool]
  if (config.server && renewed.value.identity !== undefined) changeOwnTags(pools, takesTls)
  tokens.reload(next.access.tokens)
  part.reload(next)
  options.reloaded?.(next, renewed.value)
  return taken
}

/**
 * Calls `use` when a server becomes reachable or another one becomes leader: an earlier sync that failed may succeed
 * now.
 */
function followServers({ pool }: Ground, part: Part, use: () => void): () => void {
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
function followTokens({ tokens }: Ground, use: () => void): () => void {
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
