/** Blocking reads at every agent, and how long after a write each of them has it. */
import { pause } from '../children.mjs'
import { agents } from './cluster.mjs'

const watched = [
  '/v1/health/service/web?passing&',
  '/v1/health/service/churn?',
  '/v1/catalog/services?',
  '/v1/kv/soak/keys/0?keys&',
  '/v1/connect/ca/roots?',
]
const waits = 'wait=20s'
/** An agent adds up to a sixteenth. */
const waitsS = 21.25
const timeoutMs = 35_000
const lagKey = '/v1/kv/soak/lag'

export class Watching {
  #cluster
  #operations
  #lagsMs = new Map(agents.map((at) => [at, []]))

  constructor(cluster, operations) {
    this.#cluster = cluster
    this.#operations = operations
  }

  /** All of its loops, each of which ends with the operations. */
  loops() {
    const mine = agents.flatMap((at) => [
      ...watched.map((target) => this.#watch(at, target, () => undefined)),
      this.#watch(at, `${lagKey}?raw&`, (text) => this.#noticed(at, text)),
    ])
    return [...mine, this.#operations.repeat(2000, () => this.#write())]
  }

  /** One blocking read after the other, each of which begins where the last one ended. */
  async #watch(at, target, changed) {
    let index = 0
    while (!this.#operations.isOver) {
      if (this.#cluster.isAway(at)) {
        index = 0
        await pause(500)
        continue
      }
      const isWaiting = index !== 0
      const act = async () => {
        const path = `${target}index=${index}&${waits}`
        const { status, text, headers } = await this.#cluster.call(at, 'GET', path, undefined, { timeoutMs })
        if (status !== 200 && status !== 404) {
          index = 0
          return `GET ${path}: ${status} ${text}`
        }
        const now = Number(headers['x-svc-index'])
        if (index !== 0 && now !== index) changed(text)
        index = now
        return undefined
      }
      const isDone = await this.#operations.do('watch', at, act, isWaiting ? waitsS : 0)
      if (!isDone) index = 0
    }
  }

  async #write() {
    const at = this.#operations.somewhere()
    await this.#operations.ask('lag put', at, 'PUT', lagKey, `${performance.now()}`)
  }

  #noticed(at, text) {
    this.#lagsMs.get(at).push(performance.now() - Number(text))
  }

  /** Milliseconds from the sending of a write to the answer of the watcher at that agent, since the last call. */
  takeLags(at) {
    return this.#lagsMs.get(at).splice(0)
  }
}
