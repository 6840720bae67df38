import { err, ok, type Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { TlsOptions } from '../../env/net.ts'
import type { CheckDefinition } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { Naming } from '../../model/naming/naming.ts'
import type { RegistrantRights } from '../access/running-access.ts'
import type { ChecksConfig } from '../settings/agent-config.ts'
import type { CheckChange } from './check-entries.ts'
import { CheckResults } from './check-results.ts'
import { CheckRunner } from './check-runner.ts'
import { itemKey, type Origin } from './entries.ts'
import type { Keeping } from './keeping.ts'
import type { KeptState } from './kept-schema.ts'
import type { LocalState } from './local-state.ts'
import type { CatalogClient } from './parts.ts'
import type { Outcome } from './probes/outcome.ts'
import type { TtlCheck } from './ttl-check.ts'

interface LocalCheckParts {
  readonly env: Env
  readonly state: LocalState
  readonly keeping: Keeping
  readonly catalog: CatalogClient
  /** The product in the name by which checks introduce themselves. */
  readonly naming: Naming
  /** Address of the container runtime: `unix://` and the path of its socket. */
  readonly containerRuntime: string
  /** Rights of the tokens that registered alias checks; undefined: access control is off. */
  readonly rights?: RegistrantRights | undefined
  /** The settings as of now. */
  settings(): ChecksConfig
  /** TLS settings of checks over HTTP and gRPC; undefined: the agent shows no certificate of its own. */
  checkTls(): TlsOptions | undefined
  /** There is a result to sync to the catalog. */
  changed(): void
}

/**
 * The checks of one agent while they exist: a check is in the state, runs, and gives results; all three begin and end
 * together. Definitions are accepted and stored elsewhere; of a TTL check the last report is stored here.
 */
export class LocalChecks {
  readonly #env: Env
  readonly #state: LocalState
  readonly #keeping: Keeping
  readonly #runner: CheckRunner
  readonly #results: CheckResults
  #stopped = false

  constructor({ keeping, settings, changed, ...parts }: LocalCheckParts) {
    this.#env = parts.env
    this.#state = parts.state
    this.#keeping = keeping
    this.#results = new CheckResults({ env: parts.env, state: parts.state, settings, changed })
    this.#runner = new CheckRunner({ ...parts, report: (checkId, outcome) => this.#results.found(checkId, outcome) })
  }

  /** Number of checks that run a program, and of those that wait for reports. */
  get counts(): { readonly scripts: number; readonly ttls: number } {
    return { scripts: this.#runner.scriptCount, ttls: this.#runner.ttlCount }
  }

  /** A check of this service, or of the node if it is empty, was added, removed or changed. */
  checksChanged(serviceId: string): void {
    this.#runner.checksChanged(serviceId)
  }

  /** Starts a check, and replaces one with the same ID. `kept` is the last report that an earlier process stored. */
  begin(check: CheckDefinition, origin: Origin, kept?: KeptState): void {
    const nowMs = this.#env.clock.monoMs()
    const fresh = check.probe.kind === 'ttl' && kept !== undefined && kept.expiresWallMs > this.#env.clock.wallMs()
    const key = itemKey(check.checkId)
    const reported = fresh ? kept.output : this.#runner.ttl(key)?.lastOutput
    this.#results.forget(key)
    this.#state.putCheck(check, origin, nowMs)
    if (fresh) this.#results.take(key, kept)
    if (!this.#stopped) this.#runner.run(check, reported)
  }

  end(checkId: string): void {
    this.#results.forget(checkId)
    this.#runner.end(checkId)
    this.#state.removeCheck(checkId)
  }

  /**
   * A report has arrived: the time of its check begins anew at once, however long the report waits for its turn, as it
   * does behind a slow disk. Returns the check that heard it.
   */
  hear(checkId: string, output: string): TtlCheck | undefined {
    const ttl = this.#runner.ttl(checkId)
    ttl?.heard(output)
    return ttl
  }

  /**
   * The service of a TTL check reports; returns what that changes. Refused if there is no such check. `heard` is the
   * check that heard the report, which may have been replaced since.
   */
  async report(
    checkId: string,
    { status, output }: Outcome,
    heard: TtlCheck | undefined,
  ): Promise<Result<CheckChange, Failure>> {
    const ttl = this.#runner.ttl(checkId)
    if (ttl === undefined) {
      const message = `CheckID ${JSON.stringify(checkId)} does not have associated TTL`
      return err({ kind: 'bad-request', message })
    }
    if (ttl !== heard) ttl.heard(output)
    const change = this.#results.take(checkId, { status, output })
    const expiresWallMs = this.#env.clock.wallMs() + ttl.ttlMs
    const kept = await this.#keeping.keepState({ checkId, status, output, expiresWallMs })
    // The report counts even if it is lost when this process ends.
    if (!kept.ok) this.#warn('the state of a check could not be kept', kept.error)
    return ok(change)
  }

  /** Outputs are discarded from now on: those that are shown go, too. */
  discardOutputs(): void {
    const nowMs = this.#env.clock.monoMs()
    for (const { definition, status } of this.#state.localChecks()) {
      this.#state.updateCheck(definition.checkId, status, '', nowMs, false)
    }
  }

  /** Removes the stored report of a check. */
  async dropReport(checkId: string): Promise<void> {
    const dropped = await this.#keeping.dropState(checkId)
    if (!dropped.ok) this.#warn('the state of a check could not be removed', dropped.error)
  }

  stop(): void {
    this.#stopped = true
    this.#results.stop()
    this.#runner.stop()
  }

  #warn(text: string, failure: DiskFailure): void {
    // Callers report as often as they like, and a full disk keeps none of it.
    this.#env.log.write('warn', 'agent', text, { file: failure.path, reason: failure.kind }, 'sampled')
  }
}
