import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { enterNewMode } from '../../features/acl/system/mode-commands.ts'
import { isNewMode } from '../../features/acl/views.ts'
import { legacyModeFailure, type MissingServer } from '../../features/contract/access-control.ts'
import type { LeaderDuty, RunningDuty } from '../../features/contract/duty.ts'
import type { WithProposals } from '../../features/contract/server-context.ts'
import type { WithRelease } from '../../features/contract/surroundings.ts'
import type { Member, Pool } from '../../gossip/pool.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { Raft, RaftStatus } from '../../raft/raft.ts'
import type { ReadTransaction } from '../../store/types.ts'
import {
  type AccessMode,
  changeOwnTags,
  hasGoneOver,
  knowsPolicies,
  modeTags,
  type PoolServer,
  saysDisabled,
  serverOf,
  supportsPolicies,
} from '../pool/pool-servers.ts'
import type { AgentConfig } from '../settings/agent-config.ts'

/** Interval at which facts are checked that no change of a pool announces; it doubles each time. */
const lookMinMs = 50
const lookMaxMs = 30_000

interface ServerModeParts {
  readonly env: Env
  readonly config: AgentConfig
  readonly lan: Pool
  /** Undefined: this server is not in the pool of all datacenters. */
  readonly wan: Pool | undefined
  readonly raft: Pick<Raft, 'status'>
  /** Whether this server is still catching up with its leader. */
  isComing(): boolean
  readonly state: {
    read(): ReadTransaction
    watch(look: (tx: ReadTransaction) => void, use: () => void): Closable
  }
}

/**
 * The access control mode of a server: what its replicated state says, and legacy until the state says something. Its
 * tags announce the mode to the other servers. The leader switches its datacenter once every server announces that it
 * can.
 */
export class ServerMode {
  readonly #parts: ServerModeParts
  readonly #primary: string
  #watching: Closable | undefined

  constructor(parts: ServerModeParts) {
    this.#parts = parts
    this.#primary = primaryOf(parts.config)
    if (knowsPolicies(parts.config.release)) this.#follow()
  }

  stop(): void {
    this.#watching?.close()
  }

  get mode(): AccessMode {
    return isNewMode(this.#parts.state.read()) ? 'enabled' : 'legacy'
  }

  /** Servers that do not support the new kind, even if the datacenter has switched already. */
  missing(): readonly MissingServer[] {
    const { config, lan, wan, raft } = this.#parts
    return missingServers({
      own: config.datacenter,
      primary: this.#primary,
      lan: lan.members(),
      wan: wan?.members() ?? [],
      configuration: raft.status().configuration,
    })
  }

  refusesNew(): Failure | undefined {
    if (this.mode === 'enabled') return undefined
    // A server that has only just started may not know yet that its datacenter has switched: it leaves the decision to
    // the leader.
    return this.#parts.isComing() ? undefined : legacyModeFailure(this.missing())
  }

  /** Why this server is not ready: it is about to switch. A server that waits for others to be upgraded is ready. */
  reasonsNotReady(): readonly string[] {
    const { release } = this.#parts.config
    const isSettled = !knowsPolicies(release) || this.mode === 'enabled' || this.missing().length > 0
    return isSettled ? [] : ['access control is about to leave legacy mode']
  }

  readonly duty: LeaderDuty<RunningDuty, WithRelease & WithProposals> = {
    name: 'access-mode',
    start: (server) => (knowsPolicies(server.release) ? this.#lead(server) : { close: () => {} }),
  }

  #lead(server: WithProposals): Closable {
    const { env, lan, wan } = this.#parts
    let waitMs = lookMinMs
    let timer: Closable | undefined
    let isOver = false
    let isProposing = false
    const goOver = async (): Promise<void> => {
      isProposing = true
      const done = await server.propose(enterNewMode, {})
      isProposing = false
      if (done.ok) close()
      else env.log.write('warn', 'acl', 'could not leave legacy mode', { why: failureText(done.error) })
    }
    const look = (): void => {
      if (isOver || isProposing) return
      if (this.mode === 'enabled') close()
      else if (this.missing().length === 0) env.detach(goOver())
    }
    const arm = (): void => {
      timer = env.timers.after(waitMs, () => {
        waitMs = Math.min(waitMs * 2, lookMaxMs)
        arm()
        look()
      })
    }
    const watching = [lan, wan].flatMap((pool) => pool?.onChange(look) ?? [])
    const close = (): void => {
      isOver = true
      timer?.close()
      for (const each of watching) each.close()
    }
    arm()
    look()
    return { close }
  }

  #follow(): void {
    const { env, config, lan, wan, state } = this.#parts
    if (this.mode === 'enabled') {
      env.log.write('info', 'acl', 'access control is in its new mode', { datacenter: config.datacenter })
      changeOwnTags(wan === undefined ? [lan] : [lan, wan], modeTags('enabled', config.release))
      return
    }
    this.#watching = state.watch(isNewMode, () => this.#follow())
  }
}

/** The mode of a client's datacenter, as one of its servers reported it; it never goes back. */
export class ClientMode {
  readonly #watching: Closable
  #mode: AccessMode = 'legacy'

  constructor(pool: Pick<Pool, 'members' | 'onChange'>, datacenter: string) {
    const look = (): void => {
      if (this.#mode === 'enabled') return
      const servers = pool.members().flatMap((member) => serverOf(member) ?? [])
      if (servers.some((server) => server.datacenter === datacenter && hasGoneOver(server.acls))) this.#mode = 'enabled'
    }
    this.#watching = pool.onChange(look)
    look()
  }

  get mode(): AccessMode {
    return this.#mode
  }

  stop(): void {
    this.#watching.close()
  }
}

/** The datacenter whose tokens and policies hold everywhere. */
export function primaryOf({ access, datacenter }: Pick<AgentConfig, 'access' | 'datacenter'>): string {
  return access.primaryDatacenter === '' ? datacenter : access.primaryDatacenter
}

/** The facts that decide whether a datacenter may switch. */
export interface Seen {
  readonly own: string
  readonly primary: string
  /** Members of the pool of this datacenter, and of the pool of all datacenters. */
  readonly lan: readonly Member[]
  readonly wan: readonly Member[]
  readonly configuration: RaftStatus['configuration']
}

/**
 * Servers that keep a datacenter in legacy mode, in order of name. Alive and failed servers count, because failed ones
 * may come back, and so do servers of the Raft configuration that the pool does not list; servers that left do not
 * count. A secondary datacenter waits for the primary datacenter to switch first.
 */
export function missingServers({ own, primary, lan, wan, configuration }: Seen): readonly MissingServer[] {
  const here = serversIn(lan, own)
  const unseen = configuration.servers.filter(
    ({ id, address }) => !here.some((server) => server.id === id || server.address === address),
  )
  const missing = [
    ...here.flatMap(lacking),
    ...unseen.map(({ id }) => ({
      name: id,
      datacenter: own,
      why: 'is in the consensus group, but the pool has no such member',
    })),
    ...(own === primary ? [] : missingInPrimary(serversIn(wan, primary), primary)),
  ]
  return missing.sort((a, b) => compare(a.datacenter, b.datacenter) || compare(a.name, b.name))
}

function missingInPrimary(servers: readonly PoolServer[], datacenter: string): readonly MissingServer[] {
  if (servers.length === 0) return [{ name: 'every server', datacenter, why: 'is out of reach' }]
  const missing = servers.flatMap(lacking)
  if (missing.length > 0 || servers.some(({ acls }) => hasGoneOver(acls))) return missing
  return [{ name: 'every server', datacenter, why: 'is still in legacy mode' }]
}

function serversIn(members: readonly Member[], datacenter: string): readonly PoolServer[] {
  return members.flatMap((member) => {
    const server = member.status === 'left' ? undefined : serverOf(member)
    return server?.datacenter === datacenter ? [server] : []
  })
}

function lacking({ acls, release, name, datacenter }: PoolServer): readonly MissingServer[] {
  if (supportsPolicies(acls)) return []
  const why = saysDisabled(acls)
    ? 'has access control turned off'
    : `runs ${release || 'an old release'}, which does not support it`
  return [{ name, datacenter, why }]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
