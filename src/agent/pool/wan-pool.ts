import type { Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type ListenFailure } from '../../env/net.ts'
import { openPool } from '../../gossip/driver/open-pool.ts'
import type { Pool, PoolObserver } from '../../gossip/pool.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { MemberSnapshot } from './member-snapshot.ts'
import { wanAdmission } from './pool-admission.ts'
import type { PoolKeys } from './pool-keyring.ts'
import { spokenProtocols, wanNameOf, wanTags } from './pool-servers.ts'

/** The pool of the servers of all datacenters, of which this one is a member. */
export interface WanPool {
  readonly pool: Pool
  readonly snapshot: MemberSnapshot | undefined
}

/** Whether this agent joins the pool of all datacenters. Reference: configuration.md#port-server-serf. */
export function hasWan({ server, ports }: Pick<AgentConfig, 'server' | 'ports'>): boolean {
  return server && ports.serfWan > 0
}

/**
 * Opens the pool of the servers of all datacenters. A second server of the same name does not stop this one, unlike in
 * the pool of its own datacenter: a foreign datacenter's choice of names must not take this server down.
 */
export function openWanPool(
  env: Env,
  config: AgentConfig,
  nodeId: string,
  keys: PoolKeys | undefined,
  observer?: PoolObserver,
): Promise<Result<Pool, ListenFailure>> {
  const { wan, ports } = config
  const { verifyIncoming, verifyOutgoing, keepsCoordinate } = config.pool
  const name = wanNameOf(config)
  const advertise = { host: wan.advertiseAddress, port: ports.serfWan }
  return openPool(env, {
    name,
    bind: { host: wan.bindAddress, port: ports.serfWan },
    advertise,
    tags: wanTags(config, nodeId, config.release),
    timing: wan.gossip,
    encryption: keys === undefined ? undefined : { keyring: keys.keyring, verifyIncoming, verifyOutgoing },
    onNameLost: (holder: Endpoint) => {
      const text = 'another living server has the name of this one in the WAN pool: rename a node or a datacenter'
      env.log.write('error', 'agent', text, { name, holder: endpointText(holder) }, 'sampled')
    },
    observer,
    keepsCoordinate,
    refuse: wanAdmission({
      naming: config.naming,
      name,
      nodeId,
      endpoint: advertise,
      protocol: spokenProtocols(config),
    }),
  })
}
