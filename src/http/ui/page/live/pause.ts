/** Pauses between the requests of one question. They can be cut short, also before they begin. */
export class Pause {
  #isCut = false
  #end: (() => void) | undefined

  /** There is reason to ask at once: the pause of now ends, or else the next one is left out. */
  cut(): void {
    this.#isCut = true
    this.#end?.()
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isCut) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#end = undefined
    this.#isCut = false
  }
}
