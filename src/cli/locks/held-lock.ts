import { emptyBytes, textOf, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { headerSaid } from '../../model/naming/names.ts'
import { pause } from '../../model/pause.ts'
import type { Entry } from '../api/answers.ts'
import { type ApiClient, keyPath, type Query, unexpectedText } from '../api/client.ts'

/** Flags by which clients of the field mark keys that they use as locks; a key with other flags is no lock. */
const lockFlags = '3304740253564472344'
const noLockText = 'Existing key does not match lock use'
/** How long the servers are asked to wait for a change of the key. */
export const waitMs = 15_000
/** Pause while a lock is free but cannot be acquired, because of the lock delay of its last holder. */
const delayedMs = 5_000
/** Pause after an unusable answer. */
const retryMs = 1_000

/** The session's time to live, and how often it is renewed. */
const ttlText = '15s'
const renewEveryMs = 7_500

export interface LockOptions {
  readonly env: Env
  readonly client: ApiClient
  readonly key: string
  /** Number of failures in a row after which a lock that cannot be read counts as lost. */
  readonly retries: number
}

/** A session that is renewed until it is closed. */
export class LockSession implements Closable {
  readonly id: string
  readonly #env: Env
  readonly #client: ApiClient
  #timer: Closable | undefined
  #closed = false

  private constructor(env: Env, client: ApiClient, id: string) {
    this.#env = env
    this.#client = client
    this.id = id
    this.#arm()
  }

  /**
   * `about` contains the session's name, and other members that differ from the defaults, in the form of the HTTP API.
   */
  static async begin(
    env: Env,
    client: ApiClient,
    about: Readonly<Record<string, unknown>>,
  ): Promise<Result<LockSession, string>> {
    const body = utf8(JSON.stringify({ ...about, TTL: ttlText }))
    const answer = await client.expect('PUT', '/v1/session/create', [], body)
    if (!answer.ok) return err(`failed to create session: ${answer.error}`)
    const { readCreated } = await import('../api/answers.ts')
    const created = readCreated(answer.value)
    return created === undefined ? err('the answer is not a session') : ok(new LockSession(env, client, created.ID))
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  async end(): Promise<void> {
    this.close()
    await this.#client.send('PUT', `/v1/session/destroy/${this.id}`)
  }

  #arm(): void {
    this.#timer = this.#env.timers.after(renewEveryMs, () => this.#env.detach(this.#renew()))
  }

  /** A failure is not handled here: it shows in the lock, which is watched. */
  async #renew(): Promise<void> {
    await this.#client.send('PUT', `/v1/session/renew/${this.id}`)
    if (!this.#closed) this.#arm()
  }
}

/** A thing that is held while a program runs. */
export interface Held {
  /** Waits until the lock is acquired, or until no time is left; false then. */
  acquire(leftMs: () => number): Promise<Result<boolean, string>>
  /** Settles when the lock is lost, or can no longer be checked; or soon after `isOver`. */
  lost(isOver: () => boolean): Promise<void>
  /** Releases the lock, and deletes its key if no other session holds it: true if it did. */
  release(): Promise<Result<boolean, string>>
}

/** One lock on one key, acquired, watched and released as clients of the field do it. */
export class HeldLock implements Held {
  readonly #options: LockOptions
  readonly #session: LockSession
  #index = '0'

  constructor(options: LockOptions, session: LockSession) {
    this.#options = options
    this.#session = session
  }

  async acquire(leftMs: () => number): Promise<Result<boolean, string>> {
    while (leftMs() > 0) {
      const seen = await this.#look(this.#index, leftMs())
      if (!seen.ok) return seen
      const entry = seen.value
      if (entry !== undefined && !isLock(entry)) return err(noLockText)
      if (entry?.Session !== undefined && entry.Session !== this.#session.id) continue
      const got = await this.#write('acquire')
      if (!got.ok || got.value) return got
      // Either another session was faster, which the next read shows at once, or a lock delay is running.
      const now = await this.#look('0')
      if (now.ok && now.value?.Session === undefined) await pause(this.#options.env, Math.min(delayedMs, leftMs()))
    }
    return ok(false)
  }

  async lost(isOver: () => boolean): Promise<void> {
    for (let failures = 0; !isOver() && failures <= this.#options.retries; ) {
      const seen = await this.#look(this.#index)
      if (seen.ok && seen.value?.Session !== this.#session.id) return
      if (seen.ok) failures = 0
      else {
        failures++
        // What answers next may be another state, without this lock, whose indexes are lower.
        this.#index = '0'
        await pause(this.#options.env, retryMs)
      }
    }
  }

  async release(): Promise<Result<boolean, string>> {
    const released = await this.#write('release')
    if (!released.ok) return released
    const seen = await this.#look('0')
    if (!seen.ok) return seen
    if (seen.value === undefined) return ok(true)
    if (seen.value.Session !== undefined) return ok(false)
    // Once the lock is lost, another program may write the key.
    if (!isLock(seen.value)) return err(noLockText)
    const { client, key } = this.#options
    return ask(client, 'DELETE', keyPath(key), [['cas', String(seen.value.ModifyIndex)]])
  }

  #write(how: 'acquire' | 'release'): Promise<Result<boolean, string>> {
    const query = [
      [how, this.#session.id],
      ['flags', lockFlags],
    ] as const
    return ask(this.#options.client, 'PUT', keyPath(this.#options.key), query, emptyBytes)
  }

  /** Reads the key now, or once its index is greater than `index`; undefined: it does not exist. */
  async #look(index: string, atMostMs = waitMs): Promise<Result<Entry | undefined, string>> {
    const { client, key } = this.#options
    const blocking: Query = [
      ['index', index],
      ['wait', `${Math.ceil(Math.min(waitMs, atMostMs))}ms`],
    ]
    const query: Query = [['consistent', ''], ...(index === '0' ? [] : blocking)]
    const answer = await client.send('GET', keyPath(key), query)
    if (!answer.ok) return answer
    const { status, headers, body } = answer.value
    if (status !== 200 && status !== 404) return err(unexpectedText(answer.value))
    this.#index = headerSaid(headers, 'index') ?? '0'
    if (status === 404) return ok(undefined)
    const { readEntries } = await import('../api/answers.ts')
    const entries = readEntries(body)
    return entries === undefined ? err('the answer is not a list of entries') : ok(entries[0])
  }
}

function isLock({ Flags }: Entry): boolean {
  return String(Flags) === lockFlags
}

/** A write whose answer says whether it took effect. */
export async function ask(
  client: ApiClient,
  method: 'PUT' | 'DELETE',
  path: string,
  query: Query,
  body?: Uint8Array,
): Promise<Result<boolean, string>> {
  const answer = await client.expect(method, path, query, body)
  return answer.ok ? ok(textOf(answer.value).trim() === 'true') : answer
}
