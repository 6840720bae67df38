/** Two workers that lock one key in turns: as long as one of them holds it, the other one must not be told that it does. */
import { pause } from '../children.mjs'
import { nameOf } from './cluster.mjs'

const key = '/v1/kv/soak/lock'
/** A holder relies on its lock for much less than its session lives. */
const ttl = '60s'
const holdMs = 1500

/** Which worker holds the lock, as far as it was told and may rely on it. */
export class LockHeld {
  by
}

export class LockWorker {
  #operations
  #record
  #held

  constructor(held, operations, record) {
    this.#held = held
    this.#operations = operations
    this.#record = record
  }

  async step() {
    const at = this.#operations.somewhere()
    const session = await this.#open(at)
    if (session === undefined) return
    if (await this.#acquire(at, session)) await this.#release(at, session)
    await this.#destroy(at, session)
  }

  /** Where the answer to a first try was lost, the session is gone already. */
  #destroy(at, session) {
    return this.#operations.do('session destroy', at, async () => {
      const { status, text } = await this.#operations.call(at, 'PUT', `/v1/session/destroy/${session}`)
      return status === 200 || text.startsWith('Unknown session') ? undefined : `session destroy: ${status} ${text}`
    })
  }

  async #open(at) {
    let session
    const then = ({ text }) => {
      session = JSON.parse(text).ID
    }
    await this.#operations.ask(
      'session create',
      at,
      'PUT',
      '/v1/session/create',
      { TTL: ttl, LockDelay: '0s' },
      { then },
    )
    return session
  }

  async #acquire(at, session) {
    let isMine = false
    const then = ({ text }) => {
      isMine = text.trim() === 'true'
    }
    const asked = await this.#operations.ask('lock acquire', at, 'PUT', `${key}?acquire=${session}`, nameOf(at), {
      then,
    })
    if (!asked || !isMine) return false
    if (this.#held.by !== undefined && !this.#operations.isAway(this.#held.by.at)) {
      this.#record.violation(`two hold the lock: sessions ${session} and ${this.#held.by.session}`)
    }
    this.#held.by = { at, session }
    return true
  }

  /** From the moment at which the release is sent, another worker may have the lock. So it may when the node of the session goes. */
  async #release(at, session) {
    await pause(holdMs)
    if (this.#held.by?.session === session) this.#held.by = undefined
    await this.#operations.ask('lock release', at, 'PUT', `${key}?release=${session}`, nameOf(at))
  }
}
