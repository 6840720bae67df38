export interface Caller {
  onAbort?(use: () => void): void
}

/** Whether the caller of a read has gone, asked once for all the times that the read is parked. */
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
