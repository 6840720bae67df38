import type { CommandDefinition } from '../../features/contract/command.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import { hasBehaviour, isAtLeast, oldestRelease, parseRelease, releaseText } from '../../model/release.ts'
import type { Configuration } from '../../raft/core/types.ts'
import { knownServers, type PoolServer } from '../pool/pool-servers.ts'
import type { AgentConfig } from '../settings/agent-config.ts'

type Gated = Pick<CommandDefinition, 'kind' | 'since' | 'waitsForAll'>

/**
 * Keeps a leader from proposing a command that some voter does not know, because that voter would stop at it. A dead
 * server counts as well, because it may come back as it was; a server that left does not. Nor does a server without a
 * vote: a late arrival with an old release stops at commands that are in the log already, and must not hold back the
 * others. Leaders of releases before `commands-wait` propose most commands nevertheless (Spec: RFT-024, CAT-037,
 * UPG-027).
 */
export class CommandGate {
  readonly #pool: Pick<Pool, 'members' | 'onChange'>
  readonly #config: Pick<AgentConfig, 'release' | 'datacenter'>
  readonly #configuration: () => Configuration
  /** Undefined: the pool has changed since the last look. */
  #oldest: { readonly of: Configuration; readonly server: PoolServer | undefined } | undefined

  /** Valid as long as the pool is open. `configuration` is Raft's, the same object as long as it does not change. */
  constructor(
    pool: Pick<Pool, 'members' | 'onChange'>,
    config: Pick<AgentConfig, 'release' | 'datacenter'>,
    configuration: () => Configuration,
  ) {
    this.#pool = pool
    this.#config = config
    this.#configuration = configuration
    pool.onChange(() => {
      this.#oldest = undefined
    })
  }

  /** Why this command may not be proposed now; undefined if it may. */
  refusal(command: Gated): Failure | undefined {
    const { release } = this.#config
    // No server that runs as this release knows it, this one included: the command would stop them all.
    if (!isAtLeast(release, command.since)) return { kind: 'unknown-method', method: command.kind }
    if (command.waitsForAll !== true && !hasBehaviour(release, 'commands-wait')) return undefined
    const configuration = this.#configuration()
    if (this.#oldest?.of !== configuration)
      this.#oldest = { of: configuration, server: this.#findOldest(configuration) }
    const { server } = this.#oldest
    if (server === undefined || isAtLeast(releaseOf(server), command.since)) return undefined
    const since = releaseText(command.since)
    const message = `${command.kind} needs release ${since} on every voter, and ${server.name} is of ${server.release}`
    return { kind: 'refused', message }
  }

  #findOldest({ servers: members }: Configuration): PoolServer | undefined {
    const { datacenter } = this.#config
    const voters = members.filter(({ suffrage }) => suffrage === 'voter')
    const votes = ({ id, address }: PoolServer): boolean =>
      voters.some((voter) => voter.id === id || voter.address === address)
    let oldest: PoolServer | undefined
    for (const server of knownServers(this.#pool.members(), datacenter)) {
      if (server.status === 'left' || !votes(server)) continue
      if (oldest === undefined || !isAtLeast(releaseOf(server), releaseOf(oldest))) oldest = server
    }
    return oldest
  }
}

/** A server that does not announce its release may be of the oldest one. */
function releaseOf({ release }: PoolServer): typeof oldestRelease {
  return parseRelease(release) ?? oldestRelease
}
