/** Raw HTTP clients over sockets: what a measurement's own client costs must not hide the server. */
import { connect } from 'node:net'

/** One connection, which sends a request when the answer to the previous one has come. */
export class Wire {
  #socket
  #buffer = ''
  #done
  #failed

  static open({ host, port, from }) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true, ...(from === undefined ? {} : { localAddress: from }) })
      const wire = new Wire(socket)
      socket.once('connect', () => resolve(wire))
      socket.once('error', reject)
    })
  }

  constructor(socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      this.#buffer += text
      this.#look()
    })
    socket.on('error', (cause) => this.#failed?.(cause))
    socket.on('close', () => this.#failed?.(new Error('the connection was closed')))
  }

  /** Status, head and body of the answer. */
  ask(method, target, body = '') {
    return new Promise((resolve, reject) => {
      this.#done = resolve
      this.#failed = reject
      const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
      this.#socket.write(`${method} ${target} HTTP/1.1\r\nHost: bench\r\n${length}\r\n${body}`)
    })
  }

  /** By a reset: thousands of connections that were closed in turn would hold the ports of the next round for a minute. */
  close() {
    this.#failed = undefined
    this.#socket.resetAndDestroy()
  }

  #look() {
    const end = this.#buffer.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#buffer.slice(0, end)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (this.#buffer.length < end + 4 + length) return
    const body = this.#buffer.slice(end + 4, end + 4 + length)
    this.#buffer = this.#buffer.slice(end + 4 + length)
    const done = this.#done
    this.#done = undefined
    done?.({ status: Number(head.slice(9, 12)), head, body })
  }
}

export async function wires(at, count) {
  const all = []
  while (all.length < count) {
    const next = Math.min(100, count - all.length)
    // An agent refuses the connections of a source that has more than 4,096.
    const from = `127.0.0.${2 + Math.floor(all.length / 2000)}`
    all.push(...(await Promise.all(Array.from({ length: next }, () => Wire.open({ ...at, from })))))
  }
  return all
}

/** `request(connection, at)` gives method, target and body; each connection asks `each` times. Latencies in ms, in order of their answers. */
export async function askAll(connections, each, request) {
  const tookMs = []
  await Promise.all(
    connections.map(async (wire, connection) => {
      for (let at = 0; at < each; at++) {
        const beganMs = performance.now()
        const answer = await wire.ask(...request(connection, at))
        if (answer.status >= 300) throw new Error(`${answer.status} ${answer.body}`)
        tookMs.push(performance.now() - beganMs)
      }
    }),
  )
  return tookMs
}

export function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

export function indexOf({ head }) {
  return Number(/\r\nx-svc-index: (\d+)/i.exec(head)?.[1])
}
