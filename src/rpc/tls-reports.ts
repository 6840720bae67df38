import type { Env } from '../env/env.ts'
import type { Endpoint, TlsRefusal } from '../env/net.ts'
import { type DialledProblem, dialRemedy, type RpcTls, refusalText, type ServerFacts, silentRefusal } from './tls.ts'

/** Minimum interval between equal reports about one peer: a refused peer reconnects many times a second. */
const againAfterMs = 60_000
/** Maximum number of peers that are remembered as reported. */
const toldMax = 256
/** A server that is still starting closes connections silently, too: only lasting silence is reported. */
const silenceToldAfterMs = 3_000
/** A server that was not dialled for longer than this may have spoken meanwhile. */
const silenceGapMs = 10_000

/** Logs the peers with which TLS prevents a connection, why, and what to do about it. */
export class TlsReports {
  readonly #env: Pick<Env, 'log' | 'metrics' | 'clock'>
  /** By report and peer: when it was logged. */
  readonly #told = new Map<string, number>()
  /** By address, since when servers have closed connections silently, and when they last did. */
  readonly #silent = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>()

  constructor(env: Pick<Env, 'log' | 'metrics' | 'clock'>) {
    this.#env = env
  }

  refused(from: Endpoint, why: TlsRefusal): void {
    this.#env.metrics.count('rpc.tls.refused')
    if (!this.#isNews(`from ${from.host} ${why.kind}`)) return
    this.#env.log.write('warn', 'rpc', 'refused a connection', { from: from.host, ...refusalText(why) }, 'sampled')
  }

  /** An agent without a server's certificate attempted what only a server may do. */
  pretended(from: Endpoint, nodeName: string, expected: string): void {
    this.#env.metrics.count('rpc.tls.refused')
    // Not by name as well, because the other end chooses its name, and could fill the log with names.
    if (!this.#isNews(`pretends ${from.host}`)) return
    const why = `it claims to be a server, but its certificate is not for ${expected}`
    const remedy = 'only a certificate for that name makes it a server: give that agent one, or remove it from the pool'
    this.#env.log.write(
      'warn',
      'rpc',
      'an agent is not accepted as a server',
      { from: from.host, nodeName, why, remedy },
      'sampled',
    )
  }

  notDialled(address: string, { name, datacenter }: ServerFacts, { fault, message: why }: DialledProblem): void {
    this.#env.metrics.count('rpc.tls.failed')
    if (!this.#isNews(`to ${address} ${why}`)) return
    const fields = { server: name, datacenter, address, why, remedy: dialRemedy(fault) }
    this.#env.log.write('warn', 'rpc', 'no TLS connection with a server', fields, 'sampled')
  }

  /** A server closed a connection before its hello. Returns the probable reason. */
  closedSilently(address: string, tls: RpcTls, server: ServerFacts): string {
    const { why, remedy } = silentRefusal(tls, server)
    this.#env.metrics.count('rpc.tls.failed')
    const now = this.#env.clock.monoMs()
    const before = this.#silent.get(address)
    const sinceMs = before !== undefined && now - before.lastMs <= silenceGapMs ? before.sinceMs : now
    if (this.#silent.size >= toldMax) this.#silent.clear()
    this.#silent.set(address, { sinceMs, lastMs: now })
    if (now - sinceMs >= silenceToldAfterMs && this.#isNews(`silent ${address}`)) {
      const { name, datacenter } = server
      this.#env.log.write(
        'warn',
        'rpc',
        'a server refuses connections over TLS',
        {
          server: name,
          datacenter,
          address,
          why,
          remedy,
        },
        'sampled',
      )
    }
    return why
  }

  /** The server has sent its hello, or could not be dialled: its process is another one when it is silent again. */
  silenceOver(address: string): void {
    this.#silent.delete(address)
  }

  #isNews(what: string): boolean {
    const now = this.#env.clock.monoMs()
    const before = this.#told.get(what)
    if (before !== undefined && now - before < againAfterMs) return false
    if (this.#told.size >= toldMax) this.#told.clear()
    this.#told.set(what, now)
    return true
  }
}
