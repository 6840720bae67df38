/**
 * Writers of keys, each with keys of its own, and the ledger of what was acknowledged: at any time a consistent read must
 * show it. A write that an announced restart cut off is in doubt, and its key is left alone until that is settled.
 */
import { nameOf } from './cluster.mjs'

const keysEach = 40
/** A write that was cut off has happened by then, or never will. */
const doubtMs = 30_000

export class KeyWriter {
  #operations
  #record
  #number
  #next = 0
  #sequence = 0
  /** The value that was acknowledged last, undefined for none; and until when the key is left alone. */
  #keys = Array.from({ length: keysEach }, () => ({ isKnown: true, value: undefined, untilMs: 0 }))

  constructor(number, operations, record) {
    this.#number = number
    this.#operations = operations
    this.#record = record
  }

  path(key) {
    return `/v1/kv/soak/keys/${this.#number}/${key}`
  }

  /** Writes or deletes one key, and reads another one. */
  async step() {
    const key = this.#next++ % keysEach
    const kept = this.#keys[key]
    if (performance.now() >= kept.untilMs) await this.#change(key, kept)
    await this.check(Math.floor(Math.random() * keysEach))
  }

  async #change(key, kept) {
    const at = this.#operations.somewhere()
    const isDeleted = Math.random() < 0.15
    const value = isDeleted ? undefined : `${++this.#sequence} ${'x'.repeat(Math.floor(Math.random() * 300))}`
    const [kind, method] = isDeleted ? ['kv delete', 'DELETE'] : ['kv put', 'PUT']
    const then = ({ text }) => (text.trim() === 'true' ? undefined : `${kind}: ${text}`)
    kept.isKnown = await this.#operations.ask(kind, at, method, this.path(key), value, { then })
    if (kept.isKnown) kept.value = value
    else kept.untilMs = performance.now() + doubtMs
  }

  /** Reads a key whose value is known, consistently. */
  async check(key) {
    const kept = this.#keys[key]
    if (!kept.isKnown) return
    const expected = kept.value
    const at = this.#operations.somewhere()
    await this.#operations.do('kv read', at, async () => {
      const { status, text } = await this.#operations.call(at, 'GET', `${this.path(key)}?raw&consistent`)
      if (status !== 200 && status !== 404) return `GET ${this.path(key)}: ${status} ${text}`
      const found = status === 404 ? undefined : text
      if (found !== expected) this.#lost(key, at, found, expected)
      return undefined
    })
  }

  #lost(key, at, found, expected) {
    const [is, was] = [found, expected].map((value) => (value === undefined ? 'nothing' : `"${value.slice(0, 20)}"`))
    this.#record.violation(`${this.path(key)} read at ${nameOf(at)} is ${is}, acknowledged was ${was}`)
  }

  /** Looks at all keys. Returns how many had a known value. */
  async checkAll() {
    for (let key = 0; key < keysEach; key++) await this.check(key)
    return this.#keys.filter(({ isKnown }) => isKnown).length
  }
}
