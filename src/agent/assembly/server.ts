import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { EndpointDefinition } from '../../features/contract/endpoint.ts'
import { readBy } from '../../features/contract/fields.ts'
import type { ServerContext, ServerDuty, WanView } from '../../features/contract/server-context.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import { hasBehaviour, oldLogsOf } from '../../model/release.ts'
import type { ServerId } from '../../raft/core/types.ts'
import { openRaft } from '../../raft/driver/open-raft.ts'
import { serverIdFor } from '../../raft/protocol.ts'
import type { Raft } from '../../raft/raft.ts'
import type { ServedRequest } from '../../rpc/connection.ts'
import type { Hello } from '../../rpc/frame.ts'
import type { PeerWatch } from '../../rpc/lost-peers.ts'
import { primaryOf } from '../access/mode.ts'
import { openServerAccess } from '../access/server-access.ts'
import type { Closing, StartFailure } from '../boot/lifecycle.ts'
import type { AgentObserver } from '../boot/observer.ts'
import { meshFederation } from '../mesh/federation.ts'
import { FloodJoin } from '../pool/flood-join.ts'
import { aliveServers, serverOf } from '../pool/pool-servers.ts'
import { encodeToPropose } from '../replication/command-codec.ts'
import { OpenStates } from '../replication/open-states.ts'
import { RaftLink } from '../replication/raft-link.ts'
import { ReplicatedState } from '../replication/state-machine.ts'
import { Calls } from '../requests/asking/calls.ts'
import { DatacenterRouter, type Elsewhere, otherDatacenters } from '../requests/asking/datacenter-target.ts'
import { ServerTarget } from '../requests/asking/server-target.ts'
import { readRequest } from '../requests/request.ts'
import { Dispatch } from '../requests/serving/dispatch.ts'
import { type ServerStanding, serverReasons } from '../requests/serving/readiness.ts'
import { failureOfRefusal } from '../requests/serving/refusal.ts'
import { Served } from '../requests/serving/seen-results.ts'
import { outcomeWithoutEntry } from '../requests/serving/without-entry.ts'
import { firstAutopilotSettings, settingsNow } from '../servers/autopilot-settings.ts'
import { CommandGate } from '../servers/command-gate.ts'
import { Introductions, introduceMethod, ownAddress } from '../servers/introductions.ts'
import { Leadership } from '../servers/leadership.ts'
import { reconcileMembers } from '../servers/reconcile.ts'
import { ServerDirectory } from '../servers/server-directory.ts'
import { leaveConsensus } from '../servers/server-leave.ts'
import { serverMembership } from '../servers/server-membership.ts'
import { features } from './features.ts'
import type { Ground, Part } from './ground.ts'

/** Opens a server, which takes part in Raft, keeps the replicated state and answers other agents. */
export async function openServer(
  ground: Ground,
  observer: AgentObserver,
  closing: Closing,
): Promise<Result<Part, StartFailure>> {
  const state = new ReplicatedState({
    measured: ground.env,
    tables: features.flatMap((feature) => feature.tables ?? []),
    commands: features.flatMap((feature) => feature.commands ?? []),
    observer,
    release: ground.config.release,
    store: {
      digest: observer.commandApplied !== undefined,
      hooks: features.flatMap((feature) => feature.hooks ?? []),
    },
  })
  const { env, rpc, config } = ground
  const link = new RaftLink(env, rpc, config.raft.protocol)
  const raft = await openConsensus(ground, state, observer, link)
  if (!raft.ok) return raft
  closing.push(() => raft.value.stop())
  return ok(assembleServer(ground, state, raft.value, link, closing, observer))
}

async function openConsensus(
  { env, config, nodeId, fatal }: Ground,
  state: ReplicatedState,
  observer: AgentObserver,
  transport: RaftLink,
): Promise<Result<Raft, StartFailure>> {
  return openRaft(env, {
    id: serverIdFor(config.raft.protocol, nodeId, ownAddress(config)),
    protocol: config.raft.protocol,
    peersAreKept: !hasBehaviour(config.release, 'peers-json-for-recovery'),
    oldLogs: oldLogsOf(config.release),
    acceptLostLog: config.acceptLostLog,
    dataDir: config.dataDir,
    timing: config.raft,
    snapshotThreshold: config.raft.snapshotThreshold,
    snapshotIntervalMs: config.raft.snapshotIntervalMs,
    trailingLogs: config.raft.trailingLogs,
    ...(config.raft.limits === undefined ? {} : { limits: config.raft.limits }),
    stateMachine: state,
    transport,
    ...(observer.raft === undefined ? {} : { observer: observer.raft }),
    onFatal: (failure) => fatal.raise(failure),
  })
}

function assembleServer(
  ground: Ground,
  state: ReplicatedState,
  raft: Raft,
  link: RaftLink,
  closing: Closing,
  observer: AgentObserver,
): Part {
  const { env, config, nodeId, origin, rpc, pool } = ground
  const alive = (): ReadonlySet<string> => new Set(aliveServers(pool.members(), config.datacenter).map(({ id }) => id))
  const directory = new ServerDirectory(nodeId, config.datacenter, alive)
  const introductions = new Introductions({ env, config, rpc, raft, directory, nodeId, pool })
  const settings = () => settingsNow(config.autopilot, state.store.read())
  const measure = (): void => leadership.measure()
  const membership = serverMembership({ directory, introductions, pool, config, settings, measure })
  const archives = new OpenStates(env, state.store)
  const access = openServerAccess(ground, raft, state.store, () => calls, closing)
  const context = serverContext(ground, state, raft, {
    archives,
    coming: state.coming(env),
    duty: (duty) => leadership.running(duty),
    health: () => membership.health(),
    accessControl: access.control,
    federation: meshFederation(ground, raft),
    isPrimary: primaryOf(config) === config.datacenter,
    readElsewhere: (endpoint, args, read, token) => calls.query(endpoint, args, read, { token }),
    writeElsewhere: (endpoint, args, to) => calls.write(endpoint, args, to),
  })
  const dispatch = new Dispatch(
    context,
    state.store,
    [...features.flatMap((feature) => feature.endpoints ?? []), ...access.endpoints],
    observer,
    access.gate,
  )
  const leadership: Leadership = new Leadership(context, [...access.duties, ...dutiesOf(ground, membership)])
  const target = new ServerTarget({ rpc, raft, dispatch, ownAddress: ownAddress(config) })
  const elsewhere = pathsElsewhere(ground, closing)
  const calls: Calls = new Calls({
    env,
    target,
    elsewhere,
    datacenter: config.datacenter,
    holdMs: config.rpcHoldTimeoutMs,
    origin,
    standInToken: () => ground.tokens.default,
  })
  elsewhere?.onHope(() => access.hope())
  closing.push(() => {
    introductions.stop()
    leadership.stop()
    calls.stop()
    dispatch.stop()
    archives.stop()
  })
  // Duties hold facts of the former state: they start again, as with a new leader.
  state.onReplaced(() => leadership.restart())
  const start = async (): Promise<void> => {
    floodJoins(ground, closing)
    listen(ground, raft, link, introductions, (request) => serve(request, dispatch, calls, introductions))
    await beginAlone(ground, raft)
    introductions.start()
  }
  return {
    calls,
    raft,
    access: access.running,
    serverCount: () => alive().size,
    reasonsNotReady: () => [...serverReasons(standingOf(ground, raft, directory)), ...access.reasonsNotReady()],
    state: state.store,
    start,
    reload: () => {},
    ...leaveConsensus(ground, raft),
  }
}

/** Starts to serve other agents. */
function listen(
  { config, nodeId, rpc, serverAt }: Ground,
  raft: Raft,
  link: RaftLink,
  introductions: Introductions,
  onRequest: (request: ServedRequest) => Promise<Result<unknown, Failure>>,
): void {
  rpc.start(
    { nodeId, nodeName: config.nodeName, datacenter: config.datacenter, address: ownAddress(config) },
    {
      onRequest,
      onNotice: (peer, topic, bytes) => link.receive(raft, peer, topic, bytes),
      onPeer: (peer) => introductions.met(peer),
      serverAt,
      watch: leaderWatch(raft),
    },
  )
}

/** Bootstraps a new cluster of this server alone. */
async function beginAlone({ config, nodeId }: Ground, raft: Raft): Promise<void> {
  if (!config.bootstrap || raft.hasState()) return
  const address = ownAddress(config)
  const id = serverIdFor(config.raft.protocol, nodeId, address)
  await raft.bootstrap({ servers: [{ id, address, suffrage: 'voter' }] })
}

/** Undefined if this server is not in the pool of all datacenters. */
function pathsElsewhere({ env, rpc, config, wan }: Ground, closing: Closing): Elsewhere | undefined {
  if (wan === undefined) return undefined
  const router = new DatacenterRouter(env, wan.pool, config.datacenter)
  closing.push(() => router.stop())
  return otherDatacenters({ env, rpc, router, holdMs: config.rpcHoldTimeoutMs })
}

function floodJoins({ env, config, pool, wan }: Ground, closing: Closing): void {
  if (wan === undefined) return
  const { datacenter, ports } = config
  const flood = new FloodJoin({ env, lan: pool, wan: wan.pool, datacenter, port: ports.serfWan })
  closing.push(() => flood.stop())
}

/** In the order of their start. */
function dutiesOf({ config, pool }: Ground, membership: ServerDuty): readonly ServerDuty[] {
  return [
    ...features.flatMap((feature) => feature.duties ?? []),
    firstAutopilotSettings(config),
    membership,
    reconcileMembers(pool, config.nodeName, config.gossipLan.reconnectTimeoutMs),
  ]
}

function standingOf({ config, nodeId }: Ground, raft: Raft, directory: ServerDirectory): ServerStanding {
  const status = raft.status()
  const leader = directory.all().find((record) => record.address === status.leader?.address)
  return {
    status,
    id: serverIdFor(config.raft.protocol, nodeId, ownAddress(config)),
    leaderLastIndex: leader?.lastIndex,
    trailingMax: config.autopilot.maxTrailingLogs,
  }
}

/** Reports that the leader's process has ended, so that followers elect another before their election timeout. */
function leaderWatch(raft: Raft): PeerWatch {
  return {
    isWatched: (peer) => leaderAt(raft, peer) !== undefined,
    onGone: (peer) => raft.leaderUnreachable(leaderAt(raft, peer) ?? peer.nodeId),
  }
}

/** The leader's name, if this peer is the leader. */
function leaderAt(raft: Raft, { nodeId, address }: Hello): ServerId | undefined {
  const id = raft.status().leader?.id
  return id === nodeId || id === address ? id : undefined
}

async function serve(
  request: ServedRequest,
  dispatch: Dispatch,
  calls: Calls,
  introductions: Introductions,
): Promise<Result<unknown, Failure>> {
  if (request.method === introduceMethod) {
    return request.peer.mayActAsServer ? introductions.serve(request.body, request.peer) : err(notAServer(request.peer))
  }
  const asked = readRequest(request.body)
  if (asked === undefined) return err({ kind: 'bad-request', message: `${request.method}: malformed request` })
  const { args, read, identity, forward, datacenter, token } = asked
  const endpoint = dispatch.endpoint(request.method)
  if (endpoint === undefined) return err({ kind: 'unknown-method', method: request.method })
  return travelling(
    endpoint,
    forward === true
      ? await calls.forward(endpoint, { args, read, identity, datacenter, token }, request)
      : await dispatch.serve(request.method, { args, read, identity, token }, request),
  )
}

/** The operator reads this in the log of the peer. */
function notAServer({ nodeName }: Hello): Failure {
  const remedy = 'give it one made with tls cert create -server, or let it be a client'
  return { kind: 'refused', message: `the certificate of ${nodeName} does not make it a server: ${remedy}` }
}

/** The part of an answer that is sent to other agents: plain data. */
function travelling(endpoint: EndpointDefinition, result: Result<unknown, Failure>): Result<unknown, Failure> {
  if (!result.ok || !(result.value instanceof Served)) return result
  const { value, meta } = result.value
  const packed = endpoint.kind === 'query' ? endpoint.packed?.(value) : undefined
  return ok({ value: packed === undefined ? value : packed, meta })
}

function unreadable(env: Env, kind: string, why: string): Failure {
  env.log.write('error', 'agent', 'a command that no server could read is not proposed', { kind, why }, 'sampled')
  return { kind: 'refused', message: `${kind}: ${why}` }
}

function serverContext(
  { env, config, pool, wan }: Ground,
  state: ReplicatedState,
  raft: Raft,
  own: Pick<
    ServerContext,
    | 'archives'
    | 'coming'
    | 'duty'
    | 'health'
    | 'accessControl'
    | 'federation'
    | 'isPrimary'
    | 'readElsewhere'
    | 'writeElsewhere'
  >,
): ServerContext {
  const addressOf = (id: string): string | undefined =>
    raft.status().configuration.servers.find((server) => server.id === id)?.address
  const leads = async (): Promise<Result<undefined, Failure>> => {
    const confirmed = await raft.leaseRead()
    if (confirmed.ok) return ok(undefined)
    // Nothing was proposed: the loss of leadership leaves no doubt about the outcome.
    const { error } = confirmed
    return err(
      failureOfRefusal(error.kind === 'leadership-lost' ? { kind: 'not-leader', leader: undefined } : error, addressOf),
    )
  }
  const gate = new CommandGate(pool, config, () => raft.status().configuration)
  return {
    env,
    raft,
    release: config.release,
    datacenter: config.datacenter,
    sessionTtlMinMs: config.sessionTtlMinMs,
    mesh: config.mesh,
    read: () => state.store.read(),
    async propose(command, body, identity) {
      const early = gate.refusal(command)
      if (early !== undefined) return err(early)
      // A body that servers cannot read would stop each of them when it is applied, so it must not reach the log.
      const checked = readBy(command.body, body)
      if (!checked.ok) return err(unreadable(env, command.kind, checked.error))
      const known = await outcomeWithoutEntry({ state, leads }, command, checked.value, identity)
      if (known !== undefined) return known
      const payload = encodeToPropose(command, body, identity)
      if (!payload.ok) return payload
      const proposed = await raft.propose(payload.value)
      if (!proposed.ok) return err(failureOfRefusal(proposed.error, addressOf))
      return proposed.value.value as Result<Awaited<ReturnType<typeof command.apply>>, Failure>
    },
    leads,
    ...own,
    watch: (look, use) => state.store.watch(look, use),
    servers: () => pool.members().flatMap((member) => serverOf(member) ?? []),
    keys: (which, request) => (which === 'lan' ? pool : wan?.pool)?.keys(request),
    fireEvent: (name, payload) => pool.fireEvent(name, payload),
    wan: () => (wan === undefined ? undefined : wanView(wan.pool)),
  }
}

/** The endpoints' view of the pool of all datacenters. */
function wanView(pool: Pool): WanView {
  const servers = pool.members().flatMap((member) => {
    const server = member.status === 'left' ? undefined : serverOf(member)
    if (server === undefined) return []
    const { name, datacenter } = server
    return [{ name, datacenter, coordinate: pool.coordinateOf(name) }]
  })
  return { own: pool.coordinateOf(pool.self().name), servers }
}
