interface Silence {
  /** When it ended, by the server's own clock. */
  readonly endedMs: number
  readonly ms: number
}

/** The silences of a leader that a server has heard end, for the question which was the longest lately. */
export class Silences {
  readonly #rememberedMs: number
  /** Each longer than those behind it: the first is the longest. */
  readonly #falling: Silence[] = []
  #heardMs: number
  readonly #sinceMs: number

  constructor(rememberedMs: number, nowMs: number) {
    this.#rememberedMs = rememberedMs
    this.#heardMs = nowMs
    this.#sinceMs = nowMs
  }

  heard(nowMs: number): void {
    const ms = nowMs - this.#heardMs
    this.#heardMs = nowMs
    for (let last = this.#falling.at(-1); last !== undefined && last.ms <= ms; last = this.#falling.at(-1)) {
      this.#falling.pop()
    }
    this.#falling.push({ endedMs: nowMs, ms })
    while ((this.#falling[0]?.endedMs ?? nowMs) < nowMs - this.#rememberedMs) this.#falling.shift()
  }

  /** The longest one that ended lately; undefined: the leader has not been heard for as long as that. */
  get longestMs(): number | undefined {
    const [longest] = this.#falling
    return this.#heardMs - this.#sinceMs < this.#rememberedMs ? undefined : longest?.ms
  }
}
