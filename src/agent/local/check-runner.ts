import { equalPlain } from '../../base/shape.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { TlsOptions } from '../../env/net.ts'
import { type CheckDefinition, type CheckProbe, runsProgram } from '../../model/catalog.ts'
import type { Naming } from '../../model/naming/naming.ts'
import type { RegistrantRights } from '../access/running-access.ts'
import { type AliasProbe, LocalAliases } from './alias-checks.ts'
import { itemKey } from './entries.ts'
import type { LocalState } from './local-state.ts'
import type { CatalogClient } from './parts.ts'
import { probeContainer } from './probes/container-probe.ts'
import { probeGrpc } from './probes/grpc-probe.ts'
import { probeHttp } from './probes/http-probe.ts'
import type { Outcome } from './probes/outcome.ts'
import { probeScript } from './probes/script-probe.ts'
import { probeTcp } from './probes/tcp-probe.ts'
import { RemoteAlias } from './remote-alias.ts'
import { TtlCheck } from './ttl-check.ts'

export const dangerousScripts =
  'enable_script_checks without ACLs that deny by default lets every client of the HTTP API run programs on this machine: ' +
  'enable ACLs with the default policy "deny", or use enable_local_script_checks'

export interface CheckRunnerParts {
  readonly env: Env
  readonly state: LocalState
  readonly catalog: CatalogClient
  /** The product in the name by which checks introduce themselves. */
  readonly naming: Naming
  /** Address of the container runtime: `unix://` and the path of its socket. */
  readonly containerRuntime: string
  /** Rights of the tokens that registered alias checks; undefined: access control is off. */
  readonly rights?: RegistrantRights | undefined
  /** TLS settings of checks over HTTP and gRPC; undefined: the agent shows no certificate of its own. */
  checkTls(): TlsOptions | undefined
  /** Receives the result of a check. */
  report(checkId: string, outcome: Outcome): void
}

type PeriodicProbe = Extract<CheckProbe, { readonly intervalMs: number }>

/**
 * Runs the checks of one agent. A check never runs twice at once; its next run starts an interval after the end of the
 * last.
 */
export class CheckRunner {
  readonly #env: Env
  readonly #parts: CheckRunnerParts
  readonly #aliases: LocalAliases
  readonly #running = new Map<string, Closable>()
  /** Of those that run at an interval, what they do. */
  readonly #repeated = new Map<string, CheckProbe>()
  readonly #ttls = new Map<string, TtlCheck>()
  /** Checks with a run under way, also of a definition that has been replaced meanwhile. */
  readonly #busy = new Set<string>()
  #scripts = new Set<string>()

  constructor(parts: CheckRunnerParts) {
    this.#env = parts.env
    this.#parts = parts
    this.#aliases = new LocalAliases(parts.env, parts.state, parts.report, parts.rights)
  }

  /**
   * Starts a check, and replaces one with the same ID. `lastOutput` is what was last reported of a TTL check, which an
   * earlier process or the replaced check has heard. A check that runs at an interval, and does what it did before, goes
   * on: a service that registers itself again and again would otherwise drop the result of each slow run.
   */
  run(check: CheckDefinition, lastOutput = ''): void {
    const { naming } = this.#parts
    const { checkId, probe } = check
    const key = itemKey(checkId)
    if (equalPlain(this.#repeated.get(key), probe)) return
    this.end(key)
    if (runsProgram(probe)) this.#scripts.add(key)
    switch (probe.kind) {
      case 'ttl': {
        const expired = (outcome: Outcome): void => this.#parts.report(checkId, outcome)
        this.#ttls.set(key, new TtlCheck(this.#env, probe.ttlMs, lastOutput, expired))
        return
      }
      case 'http':
        return this.#repeat(checkId, probe, () => probeHttp(this.#env, probe, this.#parts.checkTls(), naming))
      case 'tcp':
        return this.#repeat(checkId, probe, () => probeTcp(this.#env, probe))
      case 'script':
        return this.#repeat(checkId, probe, () => probeScript(this.#env, probe))
      case 'grpc':
        return this.#repeat(checkId, probe, () => probeGrpc(this.#env, probe, this.#parts.checkTls(), naming))
      case 'container':
        return this.#repeat(checkId, probe, () => probeContainer(this.#env, this.#parts.containerRuntime, probe))
      case 'alias':
        this.#running.set(key, probe.node === '' ? this.#aliases.follow(check, probe) : this.#remote(check, probe))
        return
      case 'fixed':
        return
      default:
        probe satisfies never
    }
  }

  /** A check of this service, or of the node if it is empty, has changed: its aliases may change, too. */
  checksChanged(serviceId: string): void {
    this.#aliases.changed(serviceId)
  }

  end(checkId: string): void {
    const key = itemKey(checkId)
    this.#running.get(key)?.close()
    this.#running.delete(key)
    this.#repeated.delete(key)
    this.#ttls.get(key)?.close()
    this.#ttls.delete(key)
    this.#scripts.delete(key)
  }

  /** The TTL check with that ID. */
  ttl(checkId: string): TtlCheck | undefined {
    return this.#ttls.get(itemKey(checkId))
  }

  get ttlCount(): number {
    return this.#ttls.size
  }

  get scriptCount(): number {
    return this.#scripts.size
  }

  stop(): void {
    for (const check of [...this.#running.values(), ...this.#ttls.values()]) check.close()
    this.#running.clear()
    this.#repeated.clear()
    this.#ttls.clear()
    this.#scripts = new Set()
    this.#aliases.stop()
  }

  #remote(check: CheckDefinition, probe: AliasProbe): Closable {
    const { env, catalog, state, report, rights } = this.#parts
    const ownNode = (): string => state.node.node
    const told = (id: string, outcome: Outcome): void => report(id, outcome)
    return new RemoteAlias({ env, catalog, ownNode, report: told, rights }, check, probe)
  }

  #repeat(checkId: string, probe: PeriodicProbe, run: () => Promise<Outcome>): void {
    const env = this.#env
    const key = itemKey(checkId)
    const { intervalMs } = probe
    // The first run starts at a random moment of the first interval, so that the checks of one agent do not all run at
    // once.
    const firstMs = env.random.draws('agent.checks', checkId).fraction() * intervalMs
    const once = async (): Promise<Outcome | undefined> => {
      if (this.#busy.has(key)) return undefined
      this.#busy.add(key)
      const outcome = await run()
      this.#busy.delete(key)
      return outcome
    }
    const repeated = new Repeated(env, intervalMs, once, (outcome) => this.#parts.report(checkId, outcome))
    repeated.start(firstMs)
    this.#running.set(key, repeated)
    this.#repeated.set(key, probe)
  }
}

class Repeated implements Closable {
  readonly #env: Env
  readonly #intervalMs: number
  readonly #once: () => Promise<Outcome | undefined>
  readonly #report: (outcome: Outcome) => void
  #timer: Closable | undefined
  #closed = false

  /** `once` returns undefined if the check did not run this time. */
  constructor(
    env: Env,
    intervalMs: number,
    once: () => Promise<Outcome | undefined>,
    report: (outcome: Outcome) => void,
  ) {
    this.#env = env
    this.#intervalMs = intervalMs
    this.#once = once
    this.#report = report
  }

  start(delayMs: number): void {
    this.#timer = this.#env.timers.after(delayMs, () => this.#env.detach(this.#run()))
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  async #run(): Promise<void> {
    const outcome = await this.#once()
    if (this.#closed) return
    this.start(this.#intervalMs)
    if (outcome !== undefined) this.#report(outcome)
  }
}
