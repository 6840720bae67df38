import { utf8 } from '../../base/bytes.ts'
import { encodeQuestion } from '../../dns-wire/question.ts'
import type { HttpRequest } from '../../env/http.ts'
import type { Endpoint } from '../../env/net.ts'

/** Where the requests claim to come from. */
export const scratchCaller: Endpoint = { host: '127.0.0.1', port: 40_000 }

/** Number of rounds for which a service stays registered. */
const lifeRounds = 8

function request(method: string, target: string, body = ''): HttpRequest {
  const headers = new Map([['host', '127.0.0.1']])
  return { method, target, headers, body: utf8(body), remote: scratchCaller, onAbort: () => undefined }
}

/**
 * The requests of one round, counted from 0: what agents are most often asked for. The names differ from round to round,
 * so that each write changes something.
 */
export function requestsOf(round: number): readonly HttpRequest[] {
  const id = `scratch-${round}`
  const ended = `scratch-${round - lifeRounds}`
  const service = {
    ID: id,
    Name: 'scratch',
    Tags: ['primary', `v${round}`],
    Port: 8_000 + round,
    Meta: { version: '1' },
    Check: { TTL: '30s', Status: 'passing' },
  }
  return [
    request('PUT', '/v1/agent/service/register', JSON.stringify(service)),
    request('PUT', `/v1/agent/check/pass/service:${id}`),
    request('GET', '/v1/health/service/scratch?passing'),
    request('PUT', `/v1/kv/scratch/${round}`, 'a value'),
    request('GET', `/v1/kv/scratch/${round}`),
    ...(round < lifeRounds ? [] : [request('PUT', `/v1/agent/service/deregister/${ended}`)]),
  ]
}

/** The question of a round for the instances of its service. `domain`: with its final dot. */
export function questionOf(round: number, domain: string): Uint8Array {
  return encodeQuestion({ id: round, name: `scratch.service.${domain}`, type: round % 2 === 0 ? 'A' : 'SRV' })
}
