import { err, ok, type Result } from '../../base/result.ts'
import type { StartFailure } from '../boot/lifecycle.ts'
import { Joining } from '../pool/joining.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { Ground } from './ground.ts'

/** Keeps joining the addresses of the configuration, and members that were known before the restart. */
export function keepJoined({ pool, snapshot, wan }: Ground, joining: Joining, wanJoining: Joining | undefined): void {
  joining.start()
  joining.rejoin(snapshot?.known ?? [])
  snapshot?.follow(pool)
  wanJoining?.start()
  wanJoining?.rejoin(wan?.snapshot?.known ?? [])
  if (wan !== undefined) wan.snapshot?.follow(wan.pool)
}

export function joinings({ env, config, pool, wan, fatal }: Ground): {
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
export async function startJoinWan(
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
    env.log.write('warn', 'agent', "(WAN) couldn't join: retry_join_wan has no effect on this agent", { why })
  return ok(undefined)
}

/** Why this agent is in no pool of all datacenters, in the field's words. */
export function noWan({ server }: AgentConfig): string {
  return server ? 'WAN Federation is disabled' : 'Must be a server to join WAN cluster'
}
