import { err, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { OnceSignal } from '../boot/lifecycle.ts'
import { differ, reloadTls, rpcTls } from '../boot/tls-material.ts'
import type { RunningLocalServices } from '../local/parts.ts'
import { changeOwnTags, takesTls } from '../pool/pool-servers.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { reloadedConfig } from '../settings/reloading.ts'
import type { StartOptions } from './agent.ts'
import type { Ground, Part } from './ground.ts'

/** Leaving once: a further request, by signal, HTTP or command line, waits for the end of the first and gets its result. */
export function leavesOnce(...parts: Parameters<typeof leave>): () => Promise<Result<undefined, Failure>> {
  let leaving: Promise<Result<undefined, Failure>> | undefined
  return () => {
    leaving ??= leave(...parts)
    return leaving
  }
}

async function leave(
  ground: Ground,
  part: Part,
  local: RunningLocalServices,
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

/**
 * A reload that runs alone, in the order of the requests, by signal, HTTP and command line alike: of two at once, the one
 * that has read the older files could otherwise finish last, and its settings would stay.
 */
export function reloadsInTurn(...parts: Parameters<typeof reload>): () => Promise<Result<undefined, Failure>> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const run = () => reload(...parts)
    const reloaded = last.then(run, run)
    last = reloaded
    return reloaded
  }
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
