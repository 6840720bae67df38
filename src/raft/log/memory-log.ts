import type { DurableLog, LogChange } from './durable-log.ts'

/** The log of an agent that keeps nothing: it takes everything for durable. What it would hold, the core holds. */
export class MemoryLog implements DurableLog {
  #waiting: (() => void)[] = []
  readonly pendingBytes = 0

  write(_change: LogChange, durable: () => void): void {
    this.#waiting.push(durable)
  }

  flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const durable of waiting) durable()
  }

  compact(): void {}

  async close(): Promise<void> {
    this.flush()
  }
}
