/** How an operation of a soak is done: again and again until it succeeds, because what counts is for how long it fails. */
import { pause } from '../children.mjs'
import { nameOf } from './cluster.mjs'

const retryMs = 250
/** An operation that fails for longer is given up, and counts as a violation. */
const givenUpAfterS = 60

export class Operations {
  #cluster
  #record
  #ends = false

  constructor(cluster, record) {
    this.#cluster = cluster
    this.#record = record
  }

  get isOver() {
    return this.#ends
  }

  /** No loop begins anything more. */
  end() {
    this.#ends = true
  }

  /** An agent that must answer, drawn at random. */
  somewhere() {
    const present = this.#cluster.present()
    return present[Math.floor(Math.random() * present.length)]
  }

  isAway(at) {
    return this.#cluster.isAway(at)
  }

  /**
   * Calls `act`, which returns why it failed, until it returns undefined. `waitsS`: for how long the agent may let it wait.
   * False: the agent went away in an announced restart, or the operation was given up.
   */
  async do(kind, at, act, waitsS = 0) {
    const beganS = this.#record.atS
    let why
    for (let tries = 1; ; tries++) {
      const failed = await act()
      why = failed ?? why
      const tookS = Math.max(0, this.#record.atS - beganS - waitsS)
      if (failed === undefined) {
        this.#record.count(kind, 'done')
        if (tries > 1) this.#tell({ kind, at, beganS, tookS, tries, why })
        return true
      }
      if (this.#cluster.isAway(at)) {
        this.#record.count(kind, 'excused')
        return false
      }
      if (tookS > givenUpAfterS) return this.#giveUp({ kind, at, beganS, tookS, tries, why })
      await pause(retryMs)
    }
  }

  #giveUp(failing) {
    this.#record.count(failing.kind, 'given-up')
    this.#tell(failing)
    this.#record.violation(`${failing.kind} at ${nameOf(failing.at)} fails for ${givenUpAfterS} s: ${failing.why}`)
    return false
  }

  #tell({ kind, at, beganS, tookS, tries, why }) {
    this.#record.failing({ kind, agent: nameOf(at), fromS: beganS, tookS, tries, why: why.slice(0, 200) })
  }

  /** One request with all rights, whatever comes of it. */
  call(...request) {
    return this.#cluster.call(...request)
  }

  /**
   * An operation that is one request, which must be answered with 200. `body` may be a function, which makes one for each
   * try. `then` looks at the answer, and returns what is wrong with it.
   */
  ask(kind, at, method, path, body, { then, ...options } = {}) {
    return this.do(kind, at, async () => {
      const sent = typeof body === 'function' ? body() : body
      const answer = await this.call(at, method, path, sent, options)
      if (answer.status !== 200) return `${method} ${path}: ${answer.status} ${answer.text}`
      return then?.(answer)
    })
  }

  /** Runs `act` about each `everyMs` until the end. */
  async repeat(everyMs, act) {
    while (!this.#ends) {
      await act()
      await pause(everyMs * (0.5 + Math.random()))
    }
  }
}
