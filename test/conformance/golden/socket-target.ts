import { request as send } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { askDns } from './dns-client.ts'
import type { GoldenAnswer, GoldenRequest, GoldenTarget } from './golden-target.ts'

/** A server on real sockets. A pause takes its time: only so has a request that nobody answers yet surely arrived. */
export function socketTarget(host: string, ports: Readonly<Record<string, number>>): GoldenTarget {
  return {
    ports,
    begin: (request) => exchange(host, ports['http'] as number, request),
    beginDns: (question) => askDns(host, ports['dns'] as number, question),
    until: (promise) => promise,
    pause: (ms) => wait(ms),
    nowMs: () => performance.now(),
  }
}

function exchange(host: string, port: number, request: GoldenRequest): Promise<GoldenAnswer> {
  const { method, target: path, timeoutMs } = request
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const headers = ['Host', `${host}:${port}`, ...request.headers.flat()]
    const outgoing = send({ host, port, method, path, headers, agent: false, timeout: timeoutMs }, (response) => {
      const answer = () => {
        const pairs: [string, string][] = []
        for (let i = 0; i < response.rawHeaders.length; i += 2) {
          pairs.push([response.rawHeaders[i] as string, response.rawHeaders[i + 1] as string])
        }
        resolve({ kind: 'answer', status: response.statusCode ?? 0, headers: pairs, body: Buffer.concat(chunks) })
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (!request.stream) return
        answer()
        outgoing.destroy()
      })
      response.on('end', answer)
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')))
    outgoing.on('error', (cause) => resolve({ kind: 'error', error: cause.message }))
    outgoing.end(request.body)
  })
}
