import { hex } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import { endpointText, type ListenFailure } from '../env/net.ts'
import type { LeaderDuty, ServerContext } from '../features/manifest.ts'
import type { Failure } from '../model/failure.ts'
import { newestRelease } from '../model/release.ts'
import { decodeMessage, encodeMessage } from '../raft/codec.ts'
import { openRaft } from '../raft/driver.ts'
import type { Raft, RaftTransport } from '../raft/raft.ts'
import type { ServedRequest } from '../rpc/connection.ts'
import { Rpc } from '../rpc/rpc.ts'
import type { Agent, AgentObserver, StartFailure } from './agent.ts'
import type { AgentConfig } from './agent-config.ts'
import { Calls } from './calls.ts'
import { encodeCommand } from './command-codec.ts'
import { drawUuid, openDataDirectory } from './data-directory.ts'
import { Dispatch } from './dispatch.ts'
import { features } from './features.ts'
import { Introductions, introduceMethod, ownAddress } from './introductions.ts'
import { Leadership } from './leadership.ts'
import { failureOfRefusal } from './refusal.ts'
import { requestSchema } from './request.ts'
import { describeSelf } from './self.ts'
import { ServerDirectory } from './server-directory.ts'
import { serverMembership } from './server-membership.ts'
import { ReplicatedState } from './state-machine.ts'

/** Topic of the notices that carry Raft's messages. */
const raftTopic = 'raft'

/** What has been opened, to be closed in reverse. */
type Closing = (() => Promise<void> | void)[]

/** The parts that everything else is built from. */
interface Ground {
  readonly env: Env
  readonly config: AgentConfig
  readonly nodeId: string
  readonly rpc: Rpc
  readonly state: ReplicatedState
  readonly raft: Raft
  readonly fatal: FatalSignal
}

/**
 * Starts one agent without its faces. In this order, so that whatever is wrong is found before anything is written: the
 * port is taken, the data directory opened, the log recovered, and only then are connections served.
 */
export async function startAgent(
  env: Env,
  config: AgentConfig,
  observer: AgentObserver = {},
): Promise<Result<Agent, StartFailure>> {
  if (!config.server) {
    const message = 'client agents are not there yet: they need the gossip pool'
    return err({ kind: 'configuration', message, remedy: 'run it as a server' })
  }
  const closing: Closing = []
  const ground = await openGround(env, config, observer, closing)
  if (!ground.ok) {
    await closeAll(closing)
    return ground
  }
  return ok(await assemble(ground.value, closing))
}

async function closeAll(closing: Closing): Promise<void> {
  for (const close of closing.reverse()) await close()
  closing.length = 0
}

async function openGround(
  env: Env,
  config: AgentConfig,
  observer: AgentObserver,
  closing: Closing,
): Promise<Result<Ground, StartFailure>> {
  const rpc = await Rpc.open(env, { host: config.bindAddress, port: config.ports.server })
  if (!rpc.ok) return err(portFailure(rpc.error, 'ports.server'))
  closing.push(() => rpc.value.stop())
  const identity = await openIdentity(env, config, closing)
  if (!identity.ok) return identity
  const fatal = new FatalSignal()
  const tables = features.flatMap((feature) => feature.tables ?? [])
  const commands = features.flatMap((feature) => feature.commands ?? [])
  const state = new ReplicatedState({
    tables,
    commands,
    observer,
    store: { digest: observer.commandApplied !== undefined },
  })
  const raft = await openRaft(env, {
    id: identity.value,
    dataDir: config.dataDir,
    timing: config.raft,
    snapshotThreshold: config.raft.snapshotThreshold,
    snapshotIntervalMs: config.raft.snapshotIntervalMs,
    trailingLogs: config.raft.trailingLogs,
    stateMachine: state,
    transport: raftTransport(rpc.value),
    ...(observer.raft === undefined ? {} : { observer: observer.raft }),
    onFatal: (failure) => fatal.raise(failure),
  })
  if (!raft.ok) return err(raft.error)
  closing.push(() => raft.value.stop())
  return ok({ env, config, nodeId: identity.value, rpc: rpc.value, state, raft: raft.value, fatal })
}

/** The node ID: from the data directory, which stays locked, or without one drawn anew. */
async function openIdentity(env: Env, config: AgentConfig, closing: Closing): Promise<Result<string, StartFailure>> {
  if (config.dataDir === undefined) return ok(config.nodeId ?? drawUuid(env))
  const directory = await openDataDirectory(env, config.dataDir, config.nodeId)
  if (!directory.ok) return directory
  closing.push(() => directory.value.release())
  return ok(directory.value.nodeId)
}

/** A listener that could not be had, as a reason not to start. `setting` is the key that chooses its port. */
export function portFailure(failure: ListenFailure, setting: string): StartFailure {
  const at = endpointText(failure.at)
  switch (failure.kind) {
    case 'address-in-use':
      return {
        kind: failure.kind,
        message: `${at} is already in use`,
        remedy: `stop what listens there, or choose another ${setting}`,
      }
    case 'address-not-available':
      return {
        kind: 'io',
        message: `${at} is not an address of this machine`,
        remedy: 'correct bind_addr or client_addr',
      }
    case 'permission':
      return { kind: 'io', message: `not allowed to listen on ${at}`, remedy: `choose another ${setting}` }
    case 'io':
      return {
        kind: 'io',
        message: `cannot listen on ${at}: ${failure.message}`,
        remedy: `correct the address or ${setting}`,
      }
  }
}

function raftTransport(rpc: Rpc): RaftTransport {
  return { send: (to, address, message) => rpc.notify(to, address, raftTopic, encodeMessage(message)) }
}

async function assemble(ground: Ground, closing: Closing): Promise<Agent> {
  const { env, config, nodeId, rpc, raft, state } = ground
  const directory = new ServerDirectory(nodeId, config.datacenter)
  const exhausted: Failure = { kind: 'refused', message: 'max join retry exhausted' }
  const onExhausted = (): void => ground.fatal.raise(exhausted)
  const introductions = new Introductions({ env, config, rpc, raft, directory, nodeId, onExhausted })
  const context = serverContext(ground, directory)
  const endpoints = features.flatMap((feature) => feature.endpoints ?? [])
  const dispatch = new Dispatch(context, state.store, endpoints)
  const duties: readonly LeaderDuty[] = [
    ...features.flatMap((feature) => feature.duties ?? []),
    serverMembership(directory, introductions, config.autopilot),
  ]
  const leadership = new Leadership(context, duties)
  const origin = `${nodeId}/${hex(env.crypto.randomBytes(8))}`
  const calls = new Calls({ env, config, rpc, raft, dispatch, origin })
  rpc.start(
    { nodeId, nodeName: config.nodeName, datacenter: config.datacenter, address: ownAddress(config) },
    {
      onRequest: (request) => serve(request, dispatch, introductions),
      onNotice: (peer, topic, bytes) => receive(ground, peer.nodeId, topic, bytes),
      onPeer: (peer) => introductions.met(peer),
    },
  )
  if (config.bootstrap && !raft.hasState()) {
    await raft.bootstrap({ servers: [{ id: nodeId, address: ownAddress(config), suffrage: 'voter' }] })
  }
  introductions.start()
  closing.push(() => {
    introductions.stop()
    leadership.stop()
    calls.stop()
    dispatch.stop()
  })
  return {
    env,
    release: newestRelease,
    raft,
    write: (endpoint, args, options) => calls.write(endpoint, args, options),
    query: (endpoint, args, read, options) => calls.query(endpoint, args, read, options),
    ask: (endpoint, args, read, options) => calls.ask(endpoint, args, read, options),
    self: () => describeSelf(env, config, newestRelease, nodeId, raft),
    stateDigest: () => state.store.digest(),
    onFatal: (use) => ground.fatal.on(use),
    raiseFatal: (failure) => ground.fatal.raise(failure),
    stop: () => closeAll(closing),
  }
}

async function serve(
  request: ServedRequest,
  dispatch: Dispatch,
  introductions: Introductions,
): Promise<Result<unknown, Failure>> {
  if (request.method === introduceMethod) return introductions.serve(request.body)
  const parsed = requestSchema.safeParse(request.body)
  if (!parsed.success) return err({ kind: 'bad-request', message: `${request.method}: malformed request` })
  const { args, read, identity } = parsed.data
  return dispatch.serve(request.method, { args, read, identity }, request)
}

function receive(ground: Ground, from: string, topic: string, bytes: Uint8Array): void {
  const message = topic === raftTopic ? decodeMessage(bytes) : undefined
  if (message?.ok === true) ground.raft.receive(from, message.value)
  else ground.env.metrics.count('rpc.notice.malformed')
}

function serverContext(ground: Ground, directory: ServerDirectory): ServerContext {
  const { env, config, nodeId, raft, state } = ground
  const addressOf = (id: string): string | undefined =>
    raft.status().configuration.servers.find((server) => server.id === id)?.address
  return {
    env,
    raft,
    release: newestRelease,
    datacenter: config.datacenter,
    read: () => state.store.read(),
    async propose(command, body, identity) {
      const proposed = await raft.propose(encodeCommand(command, body, identity))
      if (!proposed.ok) return err(failureOfRefusal(proposed.error, addressOf))
      return proposed.value.value as Result<Awaited<ReturnType<typeof command.apply>>, Failure>
    },
    servers() {
      const own = { id: nodeId, name: config.nodeName, address: ownAddress(config), raftProtocol: config.raft.protocol }
      return [own, ...directory.all().map(({ record }) => record)]
    },
  }
}

/** Tells once, and whoever asks later, that the agent must not go on. */
class FatalSignal {
  #failure: Failure | Error | undefined
  #listeners: ((failure: Failure | Error) => void)[] = []

  on(use: (failure: Failure | Error) => void): void {
    if (this.#failure === undefined) this.#listeners.push(use)
    else use(this.#failure)
  }

  raise(failure: Failure | Error): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    for (const listener of this.#listeners) listener(failure)
    this.#listeners = []
  }
}
