import type { Closable } from '../../env/async.ts'

export interface RunningDuty extends Closable {
  /**
   * Sets its gauges. Called every few seconds, because gauges that are set only at changes are missing in most
   * intervals of the metrics.
   */
  measure?(): void
}

/**
 * Work that only the leader does, from the moment when it has applied its own term's first entry until it loses
 * leadership. `Server`: what it needs of its server.
 */
export interface LeaderDuty<Running extends RunningDuty = RunningDuty, Server = never> {
  readonly name: string
  /** Starts it; the result is closed when leadership ends, and its timers and proposals must end then. */
  start(server: Server): Running
}
