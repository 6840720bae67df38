import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { GoldenAnswer, GoldenRequest, GoldenTarget } from './golden-target.ts'

/**
 * An agent under the name of the field, asked in the words of the recordings, which say `svc`: requests are written with
 * its name, and its answers with that of the recordings. DNS is asked under `svc`, which has to be an alias of it; the
 * headers that it sends for that alias are taken away, so that its own are looked at. `/svc/` is a segment of SPIFFE IDs.
 */
export function renamedTarget(target: GoldenTarget): GoldenTarget {
  return {
    ports: target.ports,
    begin: async (request) => recordedWords(await target.begin(fieldWords(request))),
    beginDns: (question) => target.beginDns(question),
    until: (promise) => target.until(promise),
    pause: (ms) => target.pause(ms),
    nowMs: () => target.nowMs(),
  }
}

function fieldWords(request: GoldenRequest): GoldenRequest {
  const named = (text: string): string =>
    text.replace(/(?<!\/dc\/[^/]+\/)\bsvc\b/g, 'consul').replace(/\bSvc\b/g, 'Consul')
  return {
    ...request,
    target: named(request.target),
    headers: request.headers.map(([name, value]) => [named(name), value] as const),
    body: request.body === undefined || !isText(request.body) ? request.body : utf8(named(textOf(request.body))),
  }
}

function recordedWords(answer: GoldenAnswer): GoldenAnswer {
  if (answer.kind === 'error') return answer
  const named = (text: string): string => text.replace(/\bconsul\b/g, 'svc').replace(/\bConsul\b/g, 'Svc')
  const headers = answer.headers.flatMap(([name, value]) => {
    return /^x-svc-/i.test(name) ? [] : [[name.replace(/^x-consul-/i, 'X-Svc-'), value] as const]
  })
  return { ...answer, headers, body: isText(answer.body) ? utf8(named(textOf(answer.body))) : answer.body }
}

/** Anything else is an archive. */
function isText(bytes: Uint8Array): boolean {
  return bytes[0] !== 0x1f
}
