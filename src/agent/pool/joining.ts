import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText } from '../../env/net.ts'
import type { JoinFailure, Pool } from '../../gossip/pool.ts'
import { severalErrors } from '../../model/several-errors.ts'
import { isAddress, isHostName, parseEndpoint } from '../../rpc/address.ts'
import type { StartFailure } from '../boot/lifecycle.ts'
import { providerOf } from './discovery/providers.ts'
import { isDiscovery, parseDiscovery } from './discovery/request.ts'
import type { KnownMember } from './member-snapshot.ts'

/**
 * The addresses at which an agent looks for its pool. Reference: configuration.md#key-start_join,
 * configuration.md#key-retry_join, configuration.md#key-retry_max.
 */
export interface JoinSettings {
  readonly pool: 'LAN' | 'WAN'
  /** The port of an address that has none: the agent's own gossip port. */
  readonly port: number
  readonly startJoin: readonly string[]
  readonly retryJoin: readonly string[]
  readonly retryIntervalMs: number
  readonly retryMax: number
}

/** Time limit for the lookup of a name. */
const lookupMs = 10_000

/** Maximum number of addresses that are tried of one name or of one provider's answer. */
const addressesMax = 64
/** Maximum number of failures that one attempt reports. */
const toldMax = 16

/**
 * Joins an agent to its pool through any member at one of the configured addresses. Reference:
 * configuration.md#addresses-to-join.
 */
export class Joining {
  readonly #env: Env
  readonly #settings: JoinSettings
  readonly #pool: Pool
  readonly #onExhausted: () => void
  #timer: Closable | undefined
  #attempts = 0
  #stopped = false

  /** `onExhausted` is called when `retry_max` attempts after the first have found no member. */
  constructor(parts: { env: Env; settings: JoinSettings; pool: Pool; onExhausted: () => void }) {
    this.#env = parts.env
    this.#settings = parts.settings
    this.#pool = parts.pool
    this.#onExhausted = parts.onExhausted
  }

  /** One attempt at the addresses of `start_join`; the agent does not start if no member answers. */
  async first(): Promise<Result<undefined, StartFailure>> {
    const addresses = this.#settings.startJoin
    if (addresses.length === 0) return ok(undefined)
    const joined = await this.#through(addresses)
    if (joined.ok) return ok(undefined)
    const message = `Error joining cluster: ${joined.error.message}`
    return err({ kind: 'io', message, remedy: remedyOf(joined.error, this.#settings.pool) })
  }

  /** Retries the addresses of `retry_join` until a member answers. */
  start(): void {
    if (this.#settings.retryJoin.length === 0) return
    this.#env.log.write('info', 'agent', `Joining ${this.#settings.pool} cluster...`)
    this.#env.detach(this.#attempt())
  }

  /** Tries members that were known before the restart, one after the other, until one answers (serf `handleRejoin`). */
  rejoin(known: readonly KnownMember[]): void {
    if (known.length > 0) this.#env.detach(this.#rejoin(known))
  }

  async #rejoin(known: readonly KnownMember[]): Promise<void> {
    const { log } = this.#env
    for (const { name, at } of known) {
      if (this.#stopped) return
      log.write('info', 'serf', 'Attempting re-join to previously known node', { name, at: endpointText(at) })
      const joined = await this.#pool.join(at)
      if (this.#stopped) return
      if (joined.ok) return log.write('info', 'serf', 'Re-joined to previously known node', { name })
    }
    log.write('warn', 'serf', 'Failed to re-join any previously known node')
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.close()
  }

  /**
   * Tries every address in order; returns how many answered, or why none did. An address without a port gets the
   * agent's own gossip port.
   */
  async join(addresses: readonly string[]): Promise<Result<number, string>> {
    const joined = await this.#through(addresses)
    return joined.ok ? ok(joined.value.count) : err(joined.error.message)
  }

  /** The failure of several addresses is a refusal if each of them refused. */
  async #through(addresses: readonly string[]): Promise<Result<Joined, JoinFailure>> {
    this.#env.log.write('info', 'agent', `(${this.#settings.pool}) joining`, { addresses: addresses.join(' ') })
    let joined = 0
    const failures: JoinFailure[] = []
    for (const address of addresses) {
      const places = await this.#placesOf(address)
      if (!places.ok) failures.push({ kind: 'failed', message: places.error })
      for (const at of places.ok ? places.value : []) {
        const result = await this.#pool.join(at)
        if (this.#stopped) return err(shuttingDown)
        if (result.ok) joined++
        else failures.push({ ...result.error, message: `Failed to join ${endpointText(at)}: ${result.error.message}` })
      }
      if (this.#stopped) return err(shuttingDown)
    }
    for (const { message: why } of failures.slice(0, toldMax)) {
      this.#env.log.write('warn', 'agent', `(${this.#settings.pool}) couldn't join`, { why })
    }
    this.#env.log.write('info', 'agent', `(${this.#settings.pool}) joined`, { count: joined, failed: failures.length })
    if (joined > 0) return ok({ count: joined, failed: failures.length })
    const kind = failures.every((failure) => failure.kind === 'refused') ? 'refused' : 'failed'
    return err({ kind, message: severalErrors(failures.map(({ message }) => message)) })
  }

  /** All addresses of a name. */
  async #placesOf(address: string): Promise<Result<readonly Endpoint[], string>> {
    const { port } = this.#settings
    const at = parseEndpoint(address, port) ?? (isHostName(address) ? { host: address, port } : undefined)
    if (at !== undefined && isAddress(at.host)) return ok([at])
    if (at === undefined || !isHostName(at.host)) {
      return err(`Failed to join ${address}: neither an address nor a host name, with or without a port`)
    }
    const found = await this.#env.names.lookup(at.host, lookupMs)
    if (!found.ok) return err(`Failed to resolve ${address}: ${found.error.message}`)
    return ok(found.value.slice(0, addressesMax).map((host) => ({ host, port: at.port })))
  }

  /** Replaces requests to providers by the addresses that the providers return now. */
  async #joinAny(entries: readonly string[]): Promise<Result<Joined, string>> {
    const addresses: string[] = []
    for (const entry of entries) {
      const found = isDiscovery(entry) ? await this.#discovered(entry) : ok([entry])
      if (this.#stopped) return err('the agent is shutting down')
      if (found.ok) addresses.push(...found.value.slice(0, addressesMax))
      else this.#env.log.write('error', 'agent', `Join ${this.#settings.pool}: discover`, { why: found.error })
    }
    if (addresses.length === 0) return err('No servers to join')
    const joined = await this.#through(addresses)
    return joined.ok ? joined : err(joined.error.message)
  }

  async #discovered(entry: string): Promise<Result<readonly string[], string>> {
    const request = parseDiscovery(entry)
    if (!request.ok) return request
    const provider = providerOf(request.value)
    return provider.ok ? provider.value.ask(this.#env, request.value) : provider
  }

  async #attempt(): Promise<void> {
    const joined = await this.#joinAny(this.#settings.retryJoin)
    if (this.#stopped) return
    const { log } = this.#env
    const { pool, retryMax, retryIntervalMs } = this.#settings
    if (joined.ok && !this.#mayFindOthers(joined.value)) {
      const text = `Join ${pool} completed. Synced with initial agents`
      return log.write('info', 'agent', text, { count: joined.value.count })
    }
    if (joined.ok) {
      log.write('info', 'agent', `Join ${pool} reached no other agent, retrying`, { retryInMs: retryIntervalMs })
      return this.#attemptLater()
    }
    this.#attempts++
    if (retryMax > 0 && this.#attempts > retryMax) {
      log.write('error', 'agent', `max join ${pool} retry exhausted, exiting`)
      return this.#onExhausted()
    }
    log.write('warn', 'agent', `Join ${pool} failed, retrying`, { retryInMs: retryIntervalMs })
    this.#attemptLater()
  }

  #attemptLater(): void {
    this.#timer = this.#env.timers.after(this.#settings.retryIntervalMs, () => this.#env.detach(this.#attempt()))
  }

  /**
   * Where all servers have the same list, an agent's own address is in it, and answers. An agent that only reached
   * itself, or in the WAN pool only its own datacenter, is not where it should be, unless its list has no other
   * address, and no name or provider that may have one later: a name may have the addresses of agents that have started.
   */
  #mayFindOthers({ failed }: Joined): boolean {
    const { pool, retryJoin } = this.#settings
    const known = this.#pool.members().map(({ name, tags }) => (pool === 'LAN' ? name : tags['dc']))
    if (new Set(known).size > 1) return false
    return failed > 0 || retryJoin.some((entry) => isDiscovery(entry) || !isOneAddress(entry))
  }
}

/** Whether it is an address, with or without a port, and not a name. */
function isOneAddress(entry: string): boolean {
  return isAddress(parseEndpoint(entry, 0)?.host ?? entry)
}

/** How many addresses answered, and how many did not. */
interface Joined {
  readonly count: number
  readonly failed: number
}

const shuttingDown: JoinFailure = { kind: 'failed', message: 'the agent is shutting down' }

/** A retry can help if no member answered, and never against a refusal. */
function remedyOf({ kind }: JoinFailure, pool: JoinSettings['pool']): string {
  if (kind === 'refused')
    return 'change the setting that the refusal names, or join another cluster: retrying cannot help'
  const flag = pool === 'LAN' ? '-retry-join' : '-retry-join-wan'
  return `start one of these agents first, or use ${flag}, which keeps trying`
}
