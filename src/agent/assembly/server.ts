import { ok, type Result } from '../../base/result.ts'
import type { ServerDuty } from '../../features/contract/server-context.ts'
import { hasBehaviour, oldLogsOf } from '../../model/release.ts'
import { openRaft } from '../../raft/driver/open-raft.ts'
import { serverIdFor } from '../../raft/protocol.ts'
import type { Raft } from '../../raft/raft.ts'
import { openServerAccess } from '../access/server-access.ts'
import type { Closing, StartFailure } from '../boot/lifecycle.ts'
import type { AgentObserver } from '../boot/observer.ts'
import { FloodJoin } from '../pool/flood-join.ts'
import { aliveServers } from '../pool/pool-servers.ts'
import { OpenStates } from '../replication/open-states.ts'
import { RaftLink } from '../replication/raft-link.ts'
import { ReplicatedState } from '../replication/state-machine.ts'
import { Calls } from '../requests/asking/calls.ts'
import { DatacenterRouter, type Elsewhere, otherDatacenters } from '../requests/asking/datacenter-target.ts'
import { ServerTarget } from '../requests/asking/server-target.ts'
import { Dispatch } from '../requests/serving/dispatch.ts'
import { type ServerStanding, serverReasons } from '../requests/serving/readiness.ts'
import { firstAutopilotSettings, settingsNow } from '../servers/autopilot-settings.ts'
import { guardNames } from '../servers/cluster-naming.ts'
import { Introductions, ownAddress } from '../servers/introductions.ts'
import { Leadership, RunningDuties } from '../servers/leadership.ts'
import { reconcileMembers } from '../servers/reconcile.ts'
import { ServerDirectory } from '../servers/server-directory.ts'
import { leaveConsensus } from '../servers/server-leave.ts'
import { serverMembership } from '../servers/server-membership.ts'
import { features } from './features.ts'
import type { Ground, Part } from './ground.ts'
import { listen } from './listening.ts'
import { serverContext } from './server-context.ts'

/** Opens a server, which takes part in Raft, keeps the replicated state and answers other agents. */
export async function openServer(
  ground: Ground,
  observer: AgentObserver,
  closing: Closing,
): Promise<Result<Part, StartFailure>> {
  const consensus = await openConsensus(ground, observer)
  if (!consensus.ok) return consensus
  closing.push(() => consensus.value.raft.stop())
  return ok(assembleServer(ground, consensus.value, observer, closing))
}

/** The first stage: the replicated state, and what keeps it the same on all servers. */
interface Consensus {
  readonly state: ReplicatedState
  readonly raft: Raft
  readonly link: RaftLink
}

async function openConsensus(ground: Ground, observer: AgentObserver): Promise<Result<Consensus, StartFailure>> {
  const { env, rpc, config, nodeId, fatal } = ground
  const state = new ReplicatedState({
    measured: env,
    tables: features.flatMap((feature) => feature.tables ?? []),
    commands: features.flatMap((feature) => feature.commands ?? []),
    observer,
    release: config.release,
    store: {
      digest: observer.commandApplied !== undefined,
      hooks: features.flatMap((feature) => feature.hooks ?? []),
    },
  })
  const link = new RaftLink(env, rpc, config.raft.protocol)
  const raft = await openRaft(env, {
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
    ...(config.raft.logSegmentBytes === undefined ? {} : { log: { segmentBytes: config.raft.logSegmentBytes } }),
    ...(config.raft.logBytesMax === undefined ? {} : { logBytesMax: config.raft.logBytesMax }),
    stateMachine: state,
    transport: link,
    ...(observer.raft === undefined ? {} : { observer: observer.raft }),
    onFatal: (failure) => fatal.raise(failure),
  })
  return raft.ok ? ok({ state, raft: raft.value, link }) : raft
}

/**
 * The later stages, each of which rests on those before it: the servers that it knows, its way to other datacenters,
 * access control, the server as its endpoints see it, what it answers, what it does as leader, and the requests of this
 * agent itself.
 */
function assembleServer(ground: Ground, consensus: Consensus, observer: AgentObserver, closing: Closing): Part {
  const { config, nodeId, pool } = ground
  const { state, raft } = consensus
  const alive = (): ReadonlySet<string> => new Set(aliveServers(pool.members(), config.datacenter).map(({ id }) => id))
  const directory = new ServerDirectory(nodeId, config.datacenter, alive)
  const introductions = new Introductions({ ...ground, raft, directory })
  const running = new RunningDuties()
  const settings = () => settingsNow(config.autopilot, state.store.read())
  const measure = (): void => running.measure()
  const membership = serverMembership({ directory, introductions, pool, config, settings, measure })
  const archives = new OpenStates(ground.env, state.store)
  const elsewhere = pathsElsewhere(ground, closing)
  const callsElsewhere = callsOf(ground, elsewhere)
  const access = openServerAccess(ground, raft, state.store, callsElsewhere, closing)
  elsewhere?.onHope(() => access.hope())
  const accessControl = access.control
  const context = serverContext(ground, { state, raft, archives, running, membership, accessControl, callsElsewhere })
  const endpoints = [...features.flatMap((feature) => feature.endpoints ?? []), ...access.endpoints]
  const dispatch = new Dispatch(context, state.store, endpoints, observer, access.gate)
  const leadership = new Leadership(context, [...access.duties, ...dutiesOf(ground, membership)], running)
  // Duties hold facts of the former state: they start again, as with a new leader.
  state.onReplaced(() => leadership.restart())
  const calls = callsElsewhere.with(
    new ServerTarget({
      rpc: ground.rpc,
      raft,
      dispatch,
      ownAddress: ownAddress(config),
      stateIndex: () => state.store.index,
    }),
  )
  closing.push(guardNames(config.naming, state.store, ground.fatal))
  closing.push(() => {
    introductions.stop()
    leadership.stop()
    calls.stop()
    dispatch.stop()
    archives.stop()
  })
  return {
    calls,
    raft,
    access: access.running,
    serverCount: () => alive().size,
    reasonsNotReady: () => [...serverReasons(standingOf(ground, raft, directory)), ...access.reasonsNotReady()],
    state: state.store,
    start: async () => {
      floodJoins(ground, closing)
      listen(ground, { ...consensus, introductions, dispatch, calls })
      await beginAlone(ground, raft)
      introductions.start()
    },
    reload: () => {},
    ...leaveConsensus(ground, raft, closing),
  }
}

/** The requests of this agent, as far as servers of other datacenters answer them. */
function callsOf(ground: Ground, elsewhere: Elsewhere | undefined): Calls {
  const { env, config, origin } = ground
  return Calls.of({
    env,
    elsewhere,
    datacenter: config.datacenter,
    holdMs: config.rpcHoldTimeoutMs,
    origin,
    standInToken: () => ground.tokens.default,
  })
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
