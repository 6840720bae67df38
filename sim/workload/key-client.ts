import { base64, fromBase64, textOf, utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpClientResponse } from '../../src/env/http.ts'
import type { Endpoint } from '../../src/env/net.ts'
import type { Consistency } from '../../src/features/contract/reading.ts'
import { headerSaid } from '../../src/model/naming/names.ts'
import type { ListedKey } from '../checkers/keys/key-history.ts'

/** The agent that a request is sent to. */
export interface Asked extends Endpoint {
  /** The datacenter that the request is for; absent: that of the agent. */
  readonly datacenter?: string | undefined
  /** The secret of the request's token; absent: none. */
  readonly token?: string | undefined
}

/** The result of reading a key. */
export interface ReadAnswer {
  /** undefined: there is no such key. */
  readonly value: string | undefined
  /** The key's ModifyIndex; if the key does not exist, the index of the answer. */
  readonly index: number
  readonly knowsLeader: boolean
}

/** The result of reading all keys under a prefix. */
export interface ListAnswer {
  readonly index: number
  readonly knowsLeader: boolean
  readonly rows: readonly ListedKey[]
}

/** The answer of the key's endpoint, `true` or `false`; undefined: no answer, or one that leaves the outcome open. */
export type WriteAnswer = boolean | undefined

interface Replaced {
  readonly key: string
  readonly value: string
  /** As for `compareAndSet`. */
  readonly index: number
}

interface Written {
  readonly key: string
  readonly value: string
}

interface ListedRow {
  readonly Key: string
  readonly Value: string | null
  readonly ModifyIndex: number
}

/** A client of the key endpoints of the HTTP API, over the simulated network. */
export class KeyClient {
  readonly #env: Env
  readonly #timeoutMs: number

  constructor(env: Env, timeoutMs: number) {
    this.#env = env
    this.#timeoutMs = timeoutMs
  }

  async read(server: Asked, key: string, consistency: Consistency): Promise<ReadAnswer | undefined> {
    const suffix = consistency === 'default' ? '' : `?${consistency}`
    const answer = await this.#request(server, 'GET', `/v1/kv/${key}${suffix}`)
    if (answer === undefined || (answer.status !== 200 && answer.status !== 404)) return undefined
    const index = Number(headerSaid(answer.headers, 'index') ?? Number.NaN)
    // A 404 without an index is not an answer about the key: the sender did not read it.
    if (Number.isNaN(index)) return undefined
    const knowsLeader = knowsLeaderBy(answer.headers)
    if (answer.status === 404) return { value: undefined, index, knowsLeader }
    // The index of the answer may be greater than the key's: with access control, it also covers the caller's rights.
    const [row] = listedKeys(answer.body)
    return row === undefined ? undefined : { value: row.value, index: row.modifyIndex, knowsLeader }
  }

  write(server: Asked, key: string, value: string): Promise<WriteAnswer> {
    return this.#put(server, `/v1/kv/${key}`, value)
  }

  /** `index`: the ModifyIndex that the key must have; 0: the key must not exist. */
  compareAndSet(server: Asked, key: string, index: number, value: string): Promise<WriteAnswer> {
    return this.#put(server, `/v1/kv/${key}?cas=${index}`, value)
  }

  async remove(server: Asked, key: string): Promise<WriteAnswer> {
    return writeAnswer(await this.#request(server, 'DELETE', `/v1/kv/${key}`))
  }

  /** Replaces one key as `compareAndSet` does, and writes another one. False: neither took effect. */
  async replaceAndWrite(server: Asked, replaced: Replaced, written: Written): Promise<WriteAnswer> {
    const operations = [
      { Verb: 'cas', Key: replaced.key, Value: base64(utf8(replaced.value)), Index: replaced.index },
      { Verb: 'set', Key: written.key, Value: base64(utf8(written.value)) },
    ]
    const body = JSON.stringify(operations.map((KV) => ({ KV })))
    const answer = await this.#request(server, 'PUT', '/v1/txn', body)
    if (answer?.status === 200) return true
    return answer?.status === 409 ? false : undefined
  }

  /**
   * All keys under a prefix; undefined: no answer about them. `waiting`: the answer must have a greater index than
   * this.
   */
  async list(
    server: Asked,
    prefix: string,
    consistency: Consistency,
    waiting?: { readonly index: number; readonly waitMs: number },
  ): Promise<ListAnswer | undefined> {
    const suffix = consistency === 'default' ? '' : `&${consistency}`
    const wait = waiting === undefined ? '' : `&index=${waiting.index}&wait=${waiting.waitMs}ms`
    const answer = await this.#request(server, 'GET', `/v1/kv/${prefix}?recurse${suffix}${wait}`)
    if (answer?.status !== 200 && answer?.status !== 404) return undefined
    const index = Number(headerSaid(answer.headers, 'index') ?? Number.NaN)
    if (Number.isNaN(index)) return undefined
    const knowsLeader = knowsLeaderBy(answer.headers)
    return { index, knowsLeader, rows: answer.status === 404 ? [] : listedKeys(answer.body) }
  }

  async #put(server: Asked, target: string, value: string): Promise<WriteAnswer> {
    return writeAnswer(await this.#request(server, 'PUT', target, value))
  }

  async #request(
    server: Asked,
    method: string,
    target: string,
    body?: string,
  ): Promise<HttpClientResponse | undefined> {
    const headers = tokenHeaders(server.token)
    const asked = { method, target: forDatacenter(target, server.datacenter), timeoutMs: this.#timeoutMs, headers }
    const answer = await this.#env.http.request(server, body === undefined ? asked : { ...asked, body: utf8(body) })
    return answer.ok ? answer.value : undefined
  }
}

function listedKeys(body: Uint8Array): readonly ListedKey[] {
  const listed = JSON.parse(textOf(body)) as readonly ListedRow[]
  return listed.map(({ Key, Value, ModifyIndex }) => ({
    key: Key,
    value: textOf(fromBase64(Value ?? '') ?? new Uint8Array()),
    modifyIndex: ModifyIndex,
  }))
}

/** Whether the server that answered a read knows a leader, as the answer says. */
export function knowsLeaderBy(headers: ReadonlyMap<string, string>): boolean {
  return headerSaid(headers, 'knownleader') === 'true'
}

/** How a request carries a token. */
export function tokenHeaders(token = ''): readonly (readonly [name: string, value: string])[] {
  return token === '' ? [] : [['X-Svc-Token', token]]
}

/** Adds the datacenter to a target, which may have a query. */
export function forDatacenter(target: string, datacenter: string | undefined): string {
  return datacenter === undefined ? target : `${target}${target.includes('?') ? '&' : '?'}dc=${datacenter}`
}

function writeAnswer(answer: HttpClientResponse | undefined): WriteAnswer {
  if (answer?.status !== 200) return undefined
  const text = textOf(answer.body).trim()
  if (text === 'true') return true
  return text === 'false' ? false : undefined
}
