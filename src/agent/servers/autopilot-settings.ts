import type { Closable } from '../../env/async.ts'
import type { LeaderDuty, RunningDuty } from '../../features/contract/duty.ts'
import type { WithProposals, WithState } from '../../features/contract/server-context.ts'
import type { WithEnv, WithRelease } from '../../features/contract/surroundings.ts'
import type { AutopilotSettings } from '../../features/operator/autopilot.ts'
import { autopilotInitialize } from '../../features/operator/commands.ts'
import { autopilotOf } from '../../features/operator/views.ts'
import { failureText } from '../../model/failure.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { AgentConfig, AutopilotConfig } from '../settings/agent-config.ts'

/** The server as far as this duty uses it. */
type AutopilotSettingsServer = WithEnv & WithRelease & WithState & WithProposals

/** Pause before a retry: some server may not support the command yet. */
const retryMs = 2_000

/** Settings of operators take precedence over the configuration, which alone sets `min_quorum`. */
export function settingsNow(configured: AutopilotConfig, tx: ReadTransaction): AutopilotConfig {
  const set = autopilotOf(tx)
  return set === undefined ? configured : { ...set, minQuorum: configured.minQuorum }
}

/**
 * The first leader stores its configured settings where operators can change them. From 0.8.1 on it waits until all
 * servers know the command (`command-gate.ts`); a leader of 0.8.0 does so at once, and servers of older releases stop
 * on it (Spec: UPG-027).
 */
export function firstAutopilotSettings(
  config: Pick<AgentConfig, 'autopilot'>,
): LeaderDuty<RunningDuty, AutopilotSettingsServer> {
  return {
    name: 'autopilot-settings',
    start: (server) =>
      hasBehaviour(server.release, 'autopilot') ? new FirstSettings(server, config) : { close: () => {} },
  }
}

class FirstSettings implements Closable {
  readonly #server: AutopilotSettingsServer
  readonly #config: Pick<AgentConfig, 'autopilot'>
  #timer: Closable | undefined
  #closed = false

  constructor(server: AutopilotSettingsServer, config: Pick<AgentConfig, 'autopilot'>) {
    this.#server = server
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
    const put = await this.#server.propose(autopilotInitialize, { settings: initial(this.#config.autopilot) })
    if (put.ok) return
    env.log.write('debug', 'autopilot', 'could not write the first settings', { why: failureText(put.error) })
    if (!this.#closed) this.#timer = env.timers.after(retryMs, () => env.detach(this.#put()))
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
