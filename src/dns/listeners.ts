import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type ListenFailure, type UdpSocket } from '../env/net.ts'
import type { DnsFace } from './face.ts'
import { DnsStreams } from './streams.ts'

/** UDP questions that are answered at the same time; further ones are dropped, and their clients ask again. */
const questionsInFlightMax = 1024

interface DnsListener extends Closable {
  /** Of both. */
  readonly local: Endpoint
}

/** Takes one port for UDP and TCP, and answers there until it is closed. Port 0 takes a free one, for both. */
export async function openDns(env: Env, face: DnsFace, at: Endpoint): Promise<Result<DnsListener, ListenFailure>> {
  const streams = new DnsStreams(env, face)
  const tcp = await env.tcp.listen(at, (stream) => streams.accept(stream))
  if (!tcp.ok) return tcp
  const port = tcp.value.local.port
  const questions = new Datagrams(env, face)
  const udp = await env.udp.bind({ host: at.host, port }, (from, bytes) => questions.take(from, bytes))
  if (!udp.ok) {
    tcp.value.close()
    return err(udp.error)
  }
  questions.answerOn(udp.value)
  const address = endpointText({ host: at.host, port })
  env.log.write('info', 'agent', 'Started DNS server', { address, network: 'udp' })
  env.log.write('info', 'agent', 'Started DNS server', { address, network: 'tcp' })
  return ok({
    local: udp.value.local,
    close: () => {
      udp.value.close()
      tcp.value.close()
      streams.close()
    },
  })
}

class Datagrams {
  readonly #env: Env
  readonly #face: DnsFace
  #socket: UdpSocket | undefined
  #inFlight = 0

  constructor(env: Env, face: DnsFace) {
    this.#env = env
    this.#face = face
  }

  answerOn(socket: UdpSocket): void {
    this.#socket = socket
  }

  take(from: Endpoint, bytes: Uint8Array): void {
    // Even while slow questions have all places, as those for other datacenters that do not answer.
    const known = this.#face.known(bytes, 'udp', from)
    if (known !== undefined) {
      this.#socket?.send(from, known)
      return
    }
    if (this.#inFlight >= questionsInFlightMax) {
      this.#env.metrics.count('dns.dropped_questions')
      return
    }
    this.#inFlight++
    this.#env.detach(this.#answer(from, bytes))
  }

  async #answer(from: Endpoint, bytes: Uint8Array): Promise<void> {
    const answer = await this.#face.answer(bytes, 'udp', from)
    this.#inFlight--
    if (answer !== undefined) this.#socket?.send(from, answer)
  }
}
