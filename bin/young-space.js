import { setFlagsFromString } from 'node:v8'

const growthFlag = '--semi-space-growth-factor'
/** V8's own. */
const usualGrowth = 2

/** Longer than an agent takes to start, except on a very slow machine; the work that follows finds the usual growth. */
const startMs = 5_000

/**
 * Keeps V8's young space from growing while an agent starts. Nearly all that is made then is kept: V8 sees that nearly
 * everything survives, and makes the young space larger, up to 16 MB. An idle agent fills each of its pages before V8 takes
 * them back, half a minute later or more. Afterwards the young space grows with the work, as it always does.
 *
 * V8 reads this flag at each collection. It refuses kept code if the flag has another value than when the code was kept, so
 * code is kept, and read, while the young space is held. A value that was given to Node stays.
 */
export class YoungSpace {
  #isFree = !process.execArgv.some((word) => word.startsWith(growthFlag))

  holdForStart() {
    if (!this.#isFree) return
    this.#hold()
    setTimeout(() => this.#release(), startMs).unref()
  }

  /** Returns what `work` returns. */
  held(work) {
    if (!this.#isFree) return work()
    this.#hold()
    try {
      return work()
    } finally {
      this.#release()
    }
  }

  #hold() {
    this.#isFree = false
    setFlagsFromString(`${growthFlag}=1`)
  }

  #release() {
    this.#isFree = true
    setFlagsFromString(`${growthFlag}=${usualGrowth}`)
  }
}
