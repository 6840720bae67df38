import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { endpointText } from '../../env/net.ts'
import type { Pool } from '../../gossip/pool.ts'
import { aliveServers, serverOf, wanNameOf } from './pool-servers.ts'

/** Reference: configuration.md#wan-flood-interval. */
const floodIntervalMs = 60_000

/**
 * Brings the servers of this datacenter into the pool of all datacenters: joins each server that is alive here and
 * missing there, when a server appears and periodically (the field's flood joins). So one address of another
 * datacenter, given to one server, joins all of them.
 */
export class FloodJoin {
  readonly #env: Env
  readonly #lan: Pool
  readonly #wan: Pool
  readonly #datacenter: string
  /** The port for a server that does not announce where it gossips with other datacenters. */
  readonly #port: number
  readonly #watching: Closable
  #timer: Closable | undefined
  #isGoing = false
  #again = false
  #isStopped = false

  constructor(parts: { env: Env; lan: Pool; wan: Pool; datacenter: string; port: number }) {
    this.#env = parts.env
    this.#lan = parts.lan
    this.#wan = parts.wan
    this.#datacenter = parts.datacenter
    this.#port = parts.port
    this.#watching = parts.lan.onChange((changes) => {
      if (changes.some(({ kind, member }) => kind === 'joined' && serverOf(member) !== undefined)) this.#start()
    })
    this.#rest()
    // Other servers may have joined the pool before this server was ready.
    this.#start()
  }

  stop(): void {
    this.#isStopped = true
    this.#watching.close()
    this.#timer?.close()
  }

  #rest(): void {
    this.#timer = this.#env.timers.after(floodIntervalMs, () => {
      this.#rest()
      this.#start()
    })
  }

  #start(): void {
    this.#again = true
    this.#env.batches?.woken(this)
    if (!this.#isGoing) this.#env.detach(this.#flood())
  }

  async #flood(): Promise<void> {
    this.#isGoing = true
    while (this.#again && !this.#isStopped) {
      this.#again = false
      this.#env.batches?.goesOn(this)
      await this.#joinMissing()
    }
    this.#isGoing = false
  }

  async #joinMissing(): Promise<void> {
    for (const { name, address, wanPort } of aliveServers(this.#lan.members(), this.#datacenter)) {
      // Checked again for each server: joining one brings in others.
      const wanName = wanNameOf({ nodeName: name, datacenter: this.#datacenter })
      const present = this.#wan.members().some((member) => member.name === wanName && isThere.has(member.status))
      if (present) continue
      const at = { host: hostOf(address), port: wanPort ?? this.#port }
      const joined = await this.#wan.join(at)
      if (this.#isStopped) return
      const fields = { name, at: endpointText(at) }
      if (joined.ok) this.#env.log.write('debug', 'svc', 'Successfully performed flood-join', fields)
      else this.#env.log.write('debug', 'svc', 'Failed to flood-join', { ...fields, why: joined.error.message })
    }
  }
}

const isThere: ReadonlySet<string> = new Set(['alive', 'leaving'])

/** The host of `host:port`, as `endpointText` writes it. */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')
}
