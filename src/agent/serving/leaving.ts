export interface Caller {
  onAbort?(use: () => void): void
}

/** Whether the caller of a read has gone, registered once although the read may be parked several times. */
export class Leaving {
  gone = false
  tell: (() => void) | undefined

  constructor(caller: Caller) {
    caller.onAbort?.(() => {
      this.gone = true
      this.tell?.()
    })
  }
}
