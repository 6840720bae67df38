import type { Closable } from '../env/async.ts'
import type { LeaderDuty, ServerContext } from '../features/manifest.ts'
import type { AutopilotSettings } from '../features/operator/autopilot.ts'
import { autopilotInitialize } from '../features/operator/commands.ts'
import { autopilotOf } from '../features/operator/views.ts'
import type { Pool } from '../gossip/pool.ts'
import { failureText } from '../model/failure.ts'
import { hasBehaviour, parseRelease } from '../model/release.ts'
import type { ReadTransaction } from '../store/types.ts'
import type { AgentConfig, AutopilotConfig } from './agent-config.ts'
import { serverOf } from './pool-servers.ts'

/** Pause before it is looked again whether every server would understand the command. */
const retryMs = 2_000

/** What operators have set goes before what this server was configured with. `min_quorum` is of the configuration alone. */
export function settingsNow(configured: AutopilotConfig, tx: ReadTransaction): AutopilotConfig {
  const set = autopilotOf(tx)
  return set === undefined ? configured : { ...set, minQuorum: configured.minQuorum }
}

/**
 * The first leader puts what it was configured with where operators can change it. Not before all servers that the pool tells
 * of know the command: one of an older release would stop on it (spec, Ver/0.8.0; mended in 0.8.1).
 */
export function firstAutopilotSettings(
  pool: Pick<Pool, 'members'>,
  config: Pick<AgentConfig, 'autopilot' | 'datacenter'>,
): LeaderDuty {
  return { name: 'autopilot-settings', start: (server) => new FirstSettings(server, pool, config) }
}

class FirstSettings implements Closable {
  readonly #server: ServerContext
  readonly #pool: Pick<Pool, 'members'>
  readonly #config: Pick<AgentConfig, 'autopilot' | 'datacenter'>
  #timer: Closable | undefined
  #closed = false

  constructor(
    server: ServerContext,
    pool: Pick<Pool, 'members'>,
    config: Pick<AgentConfig, 'autopilot' | 'datacenter'>,
  ) {
    this.#server = server
    this.#pool = pool
    this.#config = config
    server.env.detach(this.#put())
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  async #put(): Promise<void> {
    const { env } = this.#server
    if (this.#closed || autopilotOf(this.#server.read()) !== undefined) return
    if (this.#allUnderstand()) {
      const put = await this.#server.propose(autopilotInitialize, { settings: initial(this.#config.autopilot) })
      if (put.ok) return
      env.log.write('debug', 'autopilot', 'could not write the first settings', { why: failureText(put.error) })
    }
    if (!this.#closed) this.#timer = env.timers.after(retryMs, () => env.detach(this.#put()))
  }

  #allUnderstand(): boolean {
    if (!hasBehaviour(this.#server.release, 'autopilot')) return false
    const servers = this.#pool.members().flatMap((member) => serverOf(member) ?? [])
    return servers.every(({ datacenter, release, status }) => {
      if (datacenter !== this.#config.datacenter || status === 'left') return true
      const known = parseRelease(release)
      return known !== undefined && hasBehaviour(known, 'autopilot')
    })
  }
}

function initial(configured: AutopilotConfig): AutopilotSettings {
  const { cleanUpDeadServers, lastContactThresholdMs, maxTrailingLogs, serverStabilizationMs } = configured
  return {
    cleanUpDeadServers,
    lastContactThresholdMs,
    maxTrailingLogs,
    serverStabilizationMs,
    redundancyZoneTag: '',
    disableUpgradeMigration: false,
    upgradeVersionTag: '',
  }
}
