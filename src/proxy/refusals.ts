import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type TlsRefusal } from '../env/net.ts'

/** Minimum interval between reports of failed handshakes with the same host and reason. */
const sayAgainMs = 60_000
/** Maximum number of hosts and reasons that are remembered. */
const saidMax = 256

/** Logs which service was refused a connection to another, and why. */
export class Refusals {
  readonly #env: Pick<Env, 'clock' | 'log' | 'metrics'>
  readonly #said = new Map<string, number>()

  constructor(env: Pick<Env, 'clock' | 'log' | 'metrics'>) {
    this.#env = env
  }

  refused(from: Endpoint, why: string): void {
    this.#env.metrics.count('proxy.refused')
    this.#env.log.write('info', 'proxy', 'A connection was refused', { from: endpointText(from), why }, 'sampled')
  }

  /** A failed handshake, which any host can cause as often as it likes. */
  strange(from: Endpoint, refusal: TlsRefusal): void {
    const nowMs = this.#env.clock.monoMs()
    const what = `${from.host} ${refusal.kind}`
    if (nowMs - (this.#said.get(what) ?? Number.NEGATIVE_INFINITY) < sayAgainMs) {
      this.#env.metrics.count('proxy.refused')
      return
    }
    if (this.#said.size >= saidMax) this.#said.clear()
    this.#said.set(what, nowMs)
    this.refused(from, textOf(refusal))
  }
}

function textOf(refusal: TlsRefusal): string {
  switch (refusal.kind) {
    case 'plain':
      return 'it does not speak TLS: only proxies and services of the mesh connect here'
    case 'no-certificate':
      return 'it shows no certificate'
    case 'untrusted':
      return `its certificate does not lead to a root of this mesh: ${refusal.message}`
    case 'handshake':
      return `the handshake failed: ${refusal.message}`
  }
}
