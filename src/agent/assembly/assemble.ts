import { unrestricted } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { RouteContext, TelemetryView } from '../../features/contract/route-context.ts'
import { updateEndpoint } from '../../features/coordinate/endpoint.ts'
import type { CoordinateRow } from '../../features/discovery/nearness.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { UserEvent } from '../../model/remote-exec.ts'
import { agentAccess, localAuthorizer, registrantRights, rightsOfCalls } from '../access/access-control.ts'
import { type Closing, closeAll, OnceSignal, type StartFailure } from '../boot/lifecycle.ts'
import { syncCoordinate } from '../local/coordinate-sync.ts'
import { OwnRefusals } from '../local/own-refusals.ts'
import type { RunningLocalServices } from '../local/parts.ts'
import { RemoteExec } from '../local/remote-exec.ts'
import { serverSource } from '../mesh/leaf-source.ts'
import { Leaves } from '../mesh/leaves.ts'
import { MeshDomains } from '../mesh/mesh-domains.ts'
import { UserEvents } from '../pool/user-events.ts'
import { AnswerCache } from '../requests/asking/answer-cache.ts'
import type { Agent, StartOptions } from './agent.ts'
import type { Ground, Part } from './ground.ts'
import { joinings, keepJoined, noWan, startJoinWan } from './joins.ts'
import { leavesOnce, reloadsInTurn } from './leave-and-reload.ts'
import { followServers, followTokens, localServices } from './local-services.ts'
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
  const { env, config, nodeId, pool, wan, fatal, tls } = ground
  const { lan: joining, wan: wanJoining } = joinings(ground)
  closing.push(() => {
    joining.stop()
    wanJoining?.stop()
  })
  const local = localServices(ground, part)
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
  const { debugConfig } = options
  const { release } = config
  const self = describeSelf({ env, config, release, nodeId, part, pool, wan: wan?.pool, local, tls, debugConfig })
  return ok({
    env,
    telemetry: options.telemetry,
    discoveryMaxStaleMs: config.discoveryMaxStaleMs,
    release: config.release,
    naming: config.naming,
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
    leave: leavesOnce(ground, part, local, left),
    reload: reloadsInTurn(ground, options, part, (next) => local.reload(next)),
    state: part.state,
    onFatal: (use) => fatal.on(use),
    raiseFatal: (failure) => fatal.raise(failure),
    onLeft: (use) => left.on(use),
    stop: () => closeAll(closing),
  })
}

function reasonsNotReady({ pool }: Ground, part: Part): readonly string[] {
  return [...(pool.self().status === 'alive' ? [] : ['this agent leaves the cluster']), ...part.reasonsNotReady()]
}

function keptAnswers(
  { env }: Ground,
  { calls }: Part,
  rightsOf: RouteContext['authorizer'] | undefined,
  closing: Closing,
): AnswerCache {
  const answers = new AnswerCache(env, calls, rightsOf)
  closing.push(() => answers.stop())
  return answers
}

function trustDomainsOf(env: Env, answers: AnswerCache): RouteContext['trustDomains'] {
  const domains = new MeshDomains(env, answers)
  return () => domains.of()
}

/** Keys and certificates of the services on this node, where the mesh is on. */
function meshLeaves(
  { env, config, pool }: Ground,
  { calls }: Part,
  rightsOf: RouteContext['authorizer'] | undefined,
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
  local: RunningLocalServices,
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
