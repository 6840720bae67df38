/** Something of a process that the machine must clear away when the process ends: a socket, a listener, a lock. */
export interface ProcessPart {
  /** `loud`: the machine is still there and tells the peers. */
  processEnded(loud: boolean): void
}

/** One life of a process: from `boot` to its crash. A restart on the same machine is a new one, with the next number. */
export class Boot {
  /** Number and name of its machine. */
  readonly node: number
  readonly name: string
  readonly number: number
  alive = true
  paused = false
  /** The turn in which it died: what its own code still does in that turn is no sign of life. */
  endedInTurn = -1
  readonly parts = new Set<ProcessPart>()

  constructor(node: number, name: string, number: number) {
    this.node = node
    this.name = name
    this.number = number
  }
}
