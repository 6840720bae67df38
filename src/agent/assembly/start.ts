import { hex } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type ListenFailure } from '../../env/net.ts'
import { openPool } from '../../gossip/driver/open-pool.ts'
import type { Pool, PoolObserver } from '../../gossip/pool.ts'
import { oldLogsOf } from '../../model/release.ts'
import { Rpc } from '../../rpc/rpc.ts'
import { AgentTokens } from '../access/agent-tokens.ts'
import { drawUuid, openDataDirectory, refuseUnusable, storedNodeId } from '../boot/data-directory.ts'
import { type Closing, closeAll, type FatalSignal, OnceSignal, type StartFailure } from '../boot/lifecycle.ts'
import { loadTls, rpcTls } from '../boot/tls-material.ts'
import { MemberSnapshot, wanFiles } from '../pool/member-snapshot.ts'
import { poolAdmission } from '../pool/pool-admission.ts'
import { keepPoolKeys, loadPoolKeys, type PoolKeys } from '../pool/pool-keyring.ts'
import { agentTags, ServersByAddress, spokenProtocols, wanNameOf } from '../pool/pool-servers.ts'
import { hasWan, openWanPool } from '../pool/wan-pool.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { openTelemetry } from '../telemetry/telemetry.ts'
import { toldLog } from '../telemetry/told-log.ts'
import type { Agent, StartOptions } from './agent.ts'
import { type AssemblyOptions, assembleAgent } from './assemble.ts'
import { openClient } from './client.ts'
import type { Ground, Part } from './ground.ts'
import { openServer } from './server.ts'

/**
 * Starts one agent without its HTTP, DNS and command-line interfaces. In this order, so that every problem is found
 * before anything is written: takes the ports, opens the data directory, recovers a server's log, and only then serves
 * connections.
 */
export async function startAgent(
  env: Env,
  config: AgentConfig,
  options: StartOptions = {},
): Promise<Result<Agent, StartFailure>> {
  const closing: Closing = []
  const telemetry = openTelemetry(env, config.telemetry, config.nodeName)
  closing.push(() => telemetry.close())
  const reloaded: StartOptions['reloaded'] = (next, tls) => {
    telemetry.reload(next.telemetry)
    options.reloaded?.(next, tls)
  }
  const told = { ...env, log: toldLog(config.naming, env.log), metrics: telemetry.metrics }
  const agent = await open(told, config, { ...options, telemetry, reloaded }, closing)
  if (!agent.ok) await closeAll(closing)
  return agent
}

async function open(
  env: Env,
  config: AgentConfig,
  options: AssemblyOptions,
  closing: Closing,
): Promise<Result<Agent, StartFailure>> {
  const ground = await openGround(env, config, options, closing)
  if (!ground.ok) return ground
  const part: Result<Part, StartFailure> = config.server
    ? await openServer(ground.value, options.observer ?? {}, closing)
    : ok(openClient(ground.value, closing))
  if (!part.ok) return part
  return assembleAgent(ground.value, part.value, options, closing)
}

/** Takes the ports and then the data directory: the steps that servers and clients share. */
async function openGround(
  env: Env,
  config: AgentConfig,
  { observer, tls: given }: StartOptions,
  closing: Closing,
): Promise<Result<Ground, StartFailure>> {
  const tls = given === undefined ? await loadTls(env, config.tls) : ok(given)
  if (!tls.ok) return tls
  const listen = config.server ? { host: config.bindAddress, port: config.ports.server } : undefined
  const rpc = await Rpc.open(env, listen, rpcTls(tls.value))
  if (!rpc.ok) return err(portFailure(rpc.error, 'ports.server'))
  closing.push(() => rpc.value.stop())
  const oldLogs = config.server ? oldLogsOf(config.release) : undefined
  const unusable = config.dataDir === undefined ? undefined : await refuseUnusable(env.disk, config.dataDir, oldLogs)
  if (unusable !== undefined) return err(unusable)
  const stored = config.dataDir === undefined ? ok(undefined) : await storedNodeId(env, config.dataDir)
  if (!stored.ok) return stored
  const nodeId = config.nodeId ?? stored.value ?? drawUuid(env)
  const keys = await loadPoolKeys(env, config)
  if (!keys.ok) return keys
  const wanKeys = hasWan(config) ? await loadPoolKeys(env, config, wanFiles) : ok(undefined)
  if (!wanKeys.ok) return wanKeys
  const fatal: FatalSignal = new OnceSignal()
  const pool = await openLanPool(env, config, nodeId, keys.value, fatal, observer?.lan)
  if (!pool.ok) return err(portFailure(pool.error, 'ports.serf_lan'))
  closing.push(() => pool.value.stop())
  const wan = hasWan(config) ? await openWanPool(env, config, nodeId, wanKeys.value, observer?.wan) : ok(undefined)
  if (!wan.ok) return err(portFailure(wan.error, 'ports.serf_wan'))
  closing.push(() => wan.value?.stop())
  if (config.dataDir !== undefined) {
    const directory = await openDataDirectory(env, config.dataDir, config.nodeId, nodeId, oldLogs)
    if (!directory.ok) return directory
    closing.push(() => directory.value.release())
    if (keys.value !== undefined) await keepPoolKeys(env, config, keys.value)
    if (wanKeys.value !== undefined) await keepPoolKeys(env, config, wanKeys.value, wanFiles)
  }
  const snapshot = await MemberSnapshot.open(env, config)
  closing.push(() => snapshot?.stop())
  const wanSnapshot = hasWan(config) ? await MemberSnapshot.open(env, config, wanFiles, wanNameOf(config)) : undefined
  closing.push(() => wanSnapshot?.stop())
  const servers = new ServersByAddress(wan.value === undefined ? [pool.value] : [pool.value, wan.value])
  const origin = `${nodeId}/${hex(env.crypto.randomBytes(8, 'origin'))}`
  return ok({
    env,
    config,
    nodeId,
    origin,
    rpc: rpc.value,
    tls: { material: tls.value },
    serverAt: (address) => servers.get(address),
    pool: pool.value,
    snapshot,
    wan: wan.value === undefined ? undefined : { pool: wan.value, snapshot: wanSnapshot },
    fatal,
    tokens: new AgentTokens(config.access.tokens),
  })
}

function openLanPool(
  env: Env,
  config: AgentConfig,
  nodeId: string,
  keys: PoolKeys | undefined,
  fatal: FatalSignal,
  observer: PoolObserver | undefined,
): Promise<Result<Pool, ListenFailure>> {
  const { verifyIncoming, verifyOutgoing } = config.pool
  const onNameLost = (holder: Endpoint): void => {
    const message = `the node name "${config.nodeName}" is already used by a live agent at ${endpointText(holder)}`
    fatal.raise({ kind: 'name-taken', message: `${message}: choose another name for this agent with -node` })
  }
  const port = config.ports.serfLan
  const advertise = { host: config.advertiseAddress, port }
  return openPool(env, {
    name: config.nodeName,
    bind: { host: config.serfLanBindAddress, port },
    advertise,
    tags: agentTags(config, nodeId, config.release),
    timing: config.gossipLan,
    encryption: keys === undefined ? undefined : { keyring: keys.keyring, verifyIncoming, verifyOutgoing },
    onNameLost,
    observer,
    keepsCoordinate: config.pool.keepsCoordinate,
    firstIncarnation: config.pool.firstIncarnation ?? 0,
    limits: config.pool.limits,
    refuse: poolAdmission({
      naming: config.naming,
      nodeName: config.nodeName,
      nodeId,
      endpoint: advertise,
      datacenter: config.datacenter,
      protocol: spokenProtocols(config),
    }),
  })
}

/**
 * Why a listener could not be opened, as a reason not to start. `setting` is the key of its port; `files` are keys of
 * files that may be at fault, too.
 */
export function portFailure(failure: ListenFailure, setting: string, files?: string): StartFailure {
  const isSocket = failure.at.host.startsWith('unix:')
  const at = isSocket ? failure.at.host : endpointText(failure.at)
  switch (failure.kind) {
    case 'address-in-use':
      return {
        kind: failure.kind,
        message: `${at} is already in use`,
        remedy: `stop what listens there, or choose another ${isSocket ? 'path' : setting}`,
      }
    case 'address-not-available':
      return {
        kind: 'io',
        message: `${at} is not an address of this machine`,
        remedy: 'correct bind_addr or client_addr',
      }
    case 'permission':
      // Also of a socket in a missing directory: the operating system reports no more than that.
      return isSocket
        ? {
            kind: 'io',
            message: `cannot make ${at}`,
            remedy: 'name an existing directory that this user may write to',
          }
        : { kind: 'io', message: `not allowed to listen on ${at}`, remedy: `choose another ${setting}` }
    case 'io':
      return {
        kind: 'io',
        message: `cannot listen on ${at}: ${failure.message}`,
        remedy: `correct the address or ${setting}${files === undefined ? '' : `, or ${files}`}`,
      }
  }
}
