import { compareText, emptyBytes, fromBase64, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { headerSaid } from '../../model/naming/names.ts'
import { pause } from '../../model/pause.ts'
import type { Entry } from '../api/answers.ts'
import { keyPath, unexpectedText } from '../api/client.ts'
import { ask, type Held, type LockOptions, type LockSession, waitMs } from './held-lock.ts'

/**
 * Flags by which clients of the field mark keys that they use as semaphores; a key with other flags is no semaphore.
 */
const semaphoreFlags = '16210313421097356768'
/** Pause after an unusable answer. */
const retryMs = 1_000

interface Seen {
  readonly limit: number
  /** Sessions that hold the semaphore and are alive, in order. */
  readonly holders: readonly string[]
  /** ModifyIndex of the list; 0: it does not exist. */
  readonly modifyIndex: number
}

/**
 * One of at most `limit` holders at a time, as clients of the field do it: each locks a key of its own under the
 * prefix, which shows that it is alive and goes with its session, and the list of holders changes by check-and-set
 * alone.
 */
export class HeldSemaphore implements Held {
  readonly #options: LockOptions
  readonly #session: LockSession
  readonly #limit: number
  readonly #prefix: string
  #index = '0'

  /** `options.key` is the key of the list; the keys of contenders are beside it. */
  constructor(options: LockOptions, session: LockSession, limit: number) {
    this.#options = options
    this.#session = session
    this.#limit = limit
    this.#prefix = options.key.slice(0, options.key.lastIndexOf('/') + 1)
  }

  async acquire(leftMs: () => number): Promise<Result<boolean, string>> {
    const query = [['acquire', this.#session.id] as const, ['flags', semaphoreFlags] as const]
    const made = await ask(this.#options.client, 'PUT', keyPath(this.#contender), query, emptyBytes)
    if (!made.ok || !made.value) return made.ok ? err('failed to make contender entry') : made
    while (leftMs() > 0) {
      const seen = await this.#look(this.#index, leftMs())
      if (!seen.ok) return seen
      const { limit, holders, modifyIndex } = seen.value
      if (modifyIndex > 0 && limit !== this.#limit) {
        return err(`semaphore limit conflict (lock: ${limit}, local: ${this.#limit})`)
      }
      if (holders.length >= this.#limit) continue
      const got = await this.#write([...holders, this.#session.id], modifyIndex)
      if (!got.ok || got.value) return got
      // Another holder was faster: read the list again as it is now.
      this.#index = '0'
    }
    return ok(false)
  }

  async lost(isOver: () => boolean): Promise<void> {
    for (let failures = 0; !isOver() && failures <= this.#options.retries; ) {
      const seen = await this.#look(this.#index)
      if (seen.ok && !seen.value.holders.includes(this.#session.id)) return
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
    for (;;) {
      const seen = await this.#look('0')
      if (!seen.ok) return seen
      const others = seen.value.holders.filter((holder) => holder !== this.#session.id)
      const given = await this.#write(others, seen.value.modifyIndex)
      if (!given.ok) return given
      if (given.value) break
    }
    const gone = await this.#options.client.expect('DELETE', keyPath(this.#contender))
    return gone.ok ? this.#cleanUp() : gone
  }

  /** Deletes the list if there is no holder. */
  async #cleanUp(): Promise<Result<boolean, string>> {
    const seen = await this.#look('0')
    if (!seen.ok) return seen
    if (seen.value.modifyIndex === 0) return ok(true)
    if (seen.value.holders.length > 0) return ok(false)
    return ask(this.#options.client, 'DELETE', keyPath(this.#options.key), [['cas', String(seen.value.modifyIndex)]])
  }

  get #contender(): string {
    return `${this.#prefix}${this.#session.id}`
  }

  #write(holders: readonly string[], modifyIndex: number): Promise<Result<boolean, string>> {
    const list = { Limit: this.#limit, Holders: Object.fromEntries(holders.map((holder) => [holder, true])) }
    const query = [['cas', String(modifyIndex)] as const, ['flags', semaphoreFlags] as const]
    return ask(this.#options.client, 'PUT', keyPath(this.#options.key), query, utf8(JSON.stringify(list)))
  }

  async #look(index: string, atMostMs = waitMs): Promise<Result<Seen, string>> {
    const wait = [['index', index] as const, ['wait', `${Math.ceil(Math.min(waitMs, atMostMs))}ms`] as const]
    const query = [['recurse', ''] as const, ['consistent', ''] as const, ...(index === '0' ? [] : wait)]
    const answer = await this.#options.client.send('GET', keyPath(this.#prefix), query)
    if (!answer.ok) return answer
    const { status, headers, body } = answer.value
    if (status !== 200 && status !== 404) return err(unexpectedText(answer.value))
    this.#index = headerSaid(headers, 'index') ?? '0'
    const { readEntries } = await import('../api/answers.ts')
    const entries = status === 404 ? [] : readEntries(body)
    return entries === undefined ? err('the answer is not a list of entries') : this.#read(entries)
  }

  async #read(entries: readonly Entry[]): Promise<Result<Seen, string>> {
    const list = entries.find(({ Key }) => Key === this.#options.key)
    if (list === undefined) return ok({ limit: this.#limit, holders: [], modifyIndex: 0 })
    if (String(list.Flags) !== semaphoreFlags) return err('Existing key does not match semaphore use')
    const { readHolders } = await import('../api/answers.ts')
    const read = readHolders(fromBase64(list.Value ?? '') ?? emptyBytes)
    if (read === undefined) return err('the list of holders cannot be read')
    const alive = new Set(entries.flatMap(({ Key, Session }) => (Key === `${this.#prefix}${Session}` ? [Session] : [])))
    const holders = Object.keys(read.Holders ?? {}).filter((holder) => alive.has(holder))
    return ok({ limit: read.Limit, holders: holders.sort(compareText), modifyIndex: list.ModifyIndex })
  }
}
