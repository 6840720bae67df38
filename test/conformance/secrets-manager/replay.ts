import { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { type Json, writeJson } from '../../../src/base/json.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { readCertificates } from '../../../src/pki/certificate.ts'
import { type Exchange, isBody } from './recordings.ts'

const meshMounts = ['connect-root', 'connect-intermediate', 'connect-root-2', 'connect-intermediate-2']

/** A stand-in that knows the tokens of the recordings by their placeholders. */
export function standIn(env: Env): SecretsManager {
  const manager = new SecretsManager(env)
  const hour = { ttl: 3_600, renewable: true, mounts: meshMounts, sudo: true }
  manager.tokens.add({ id: '{{token:root}}', ttl: 0, renewable: false, mounts: 'all', sudo: true })
  manager.tokens.add({ ...hour, id: '{{token:ca}}' })
  manager.tokens.add({ ...hour, id: '{{token:nosudo}}', sudo: false })
  manager.tokens.add({ ...hour, id: '{{token:periodic}}', ttl: 86_400, period: 86_400 })
  manager.tokens.add({ ...hour, id: '{{token:nonrenewable}}', renewable: false })
  manager.tokens.add({ ...hour, id: '{{token:capped}}', ttl: 1_800, explicitMaxTtl: 2_700 })
  return manager
}

export interface Answered {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** JSON, or the text. */
  readonly body: unknown
}

export async function ask(
  manager: SecretsManager,
  method: string,
  path: string,
  body: Json,
  headers: Readonly<Record<string, string>> = { 'X-Vault-Token': '{{token:ca}}' },
): Promise<Answered> {
  const text = body === null ? '' : typeof body === 'string' ? body : writeJson(body)
  const request: HttpRequest = {
    method,
    target: path,
    headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: utf8(text),
    remote: { host: '127.0.0.1', port: 1 },
    onAbort: () => undefined,
  }
  const answer = await manager.answer(request)
  const bytes =
    typeof answer.body === 'string' ? answer.body : answer.body instanceof Uint8Array ? textOf(answer.body) : ''
  const isJson = bytes.trimStart().startsWith('{')
  const named = new Map(answer.headers.map(([name, value]) => [name, value]))
  return { status: answer.status, headers: named, body: isJson ? JSON.parse(bytes) : bytes }
}

const pemBlock = /-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/g

/**
 * What stands in the recordings for what this server made: texts of its certificates and requests by those of the
 * recorded ones.
 */
export class Substitutes {
  readonly #byRecorded = new Map<string, string>()

  /** Pairs the blocks of two answers to one request. */
  learn(recorded: unknown, own: unknown): void {
    if (typeof recorded === 'string' && typeof own === 'string') {
      const [theirs, ours] = [recorded.match(pemBlock) ?? [], own.match(pemBlock) ?? []]
      for (const [at, block] of theirs.entries()) this.#byRecorded.set(block, ours[at] ?? block)
    } else if (isBody(recorded) && isBody(own)) {
      for (const [name, value] of Object.entries(recorded)) this.learn(value, own[name])
    } else if (Array.isArray(recorded) && Array.isArray(own)) {
      for (const [at, value] of recorded.entries()) this.learn(value, own[at])
    }
  }

  of(value: Json): Json {
    if (typeof value === 'string') return value.replace(pemBlock, (block) => this.#byRecorded.get(block) ?? block)
    if (!isBody(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.of(member)]))
  }
}

/** Words of the recorded server's language, which others say otherwise. */
const wordsOfALanguage = /asn1|malformed|JSON input|invalid character/

/** Where an answer differs from the recorded one, in what a client can see of it. */
export function differences({ response }: Exchange, at: number, now: number, own: Answered): readonly string[] {
  const found: string[] = []
  const compare = (what: string, theirs: unknown, ours: unknown): void => {
    if (JSON.stringify(theirs) !== JSON.stringify(ours))
      found.push(`${what}: ${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`)
  }
  compare('status', response.status, own.status)
  compare('content type', response.headers['Content-Type'], own.headers.get('Content-Type'))
  const theirs = response.body
  if (!isBody(theirs) || !isBody(own.body)) {
    compare('text', textShape(theirs), textShape(own.body))
    return found
  }
  if (Array.isArray(theirs['errors'])) {
    const words = theirs['errors'].map(String)
    if (!words.some((each) => wordsOfALanguage.test(each)))
      compare('errors', atEnd(words, at), atEnd(own.body['errors'], now))
    return found
  }
  compare('warnings', theirs['warnings'], own.body['warnings'])
  compare('data', shape(theirs['data'], at), shape(own.body['data'], now))
  compare('auth', shape(theirs['auth'], at), shape(own.body['auth'], now))
  return found
}

/** Times in words go by the clock. */
function atEnd(words: unknown, _at: number): unknown {
  return Array.isArray(words)
    ? words.map((each) => String(each).replace(/\d{4}-\d\d-\d\dT[0-9:.]+Z/g, '<time>'))
    : words
}

function textShape(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(pemBlock, certificateFacts) : (value ?? '')
}

const secondsSince1970 = new Set(['expiration', 'creation_time', 'last_renewal_time'])
const opaque = new Set([
  'serial_number',
  'accessor',
  'id',
  'client_token',
  'display_name',
  'policies',
  'token_policies',
  'orphan',
])
const times = new Set(['issue_time', 'expire_time', 'last_renewal'])

/** Values as far as they are facts: what is drawn, or counts by the clock, by its kind or its distance from now. */
function shape(value: unknown, now: number, name = ''): unknown {
  if (times.has(name) && value !== null) return '<time>'
  if (opaque.has(name)) return '<opaque>'
  // They count down, and a second may pass.
  if (typeof value === 'number' && secondsSince1970.has(name)) return Math.round((value - now / 1000) / 10) * 10
  if (typeof value === 'number' && (name === 'ttl' || name === 'lease_duration')) return Math.round(value / 10) * 10
  if (typeof value === 'string') return value.replace(pemBlock, certificateFacts)
  if (Array.isArray(value)) return value.map((each) => shape(each, now, name))
  if (!isBody(value)) return value
  const members = Object.entries(value).filter(([member]) => !['last_renewal', 'last_renewal_time'].includes(member))
  return Object.fromEntries(
    members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([member, each]) => [member, shape(each, now, member)]),
  )
}

/** What a certificate says, without what is drawn. */
function certificateFacts(pem: string): string {
  const read = pem.includes('BEGIN CERTIFICATE-----') ? readCertificates(`${pem}\n`) : undefined
  const certificate = read?.ok === true ? read.value[0] : undefined
  if (certificate === undefined) return pem.slice(0, pem.indexOf('\n'))
  const { commonName, authority, pathLength, keyUsages, extendedUses, uris, keyKind, notAfterMs, notBeforeMs } =
    certificate
  const hours = Math.round((notAfterMs - notBeforeMs) / 3_600_000)
  return JSON.stringify([
    commonName,
    authority,
    pathLength,
    [...(keyUsages ?? [])].sort(),
    [...(extendedUses ?? [])].sort(),
    uris,
    keyKind,
    hours,
  ])
}
