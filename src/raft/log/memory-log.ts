import { noIndex } from '../../model/log-position.ts'
import type { DurableLog, LogChange, LogListener } from './durable-log.ts'

/** The log of an agent that keeps nothing: it takes everything for durable. What it would hold, the core holds. */
export class MemoryLog implements DurableLog {
  #waiting: (() => void)[] = []
  readonly #listener: Pick<LogListener, 'batchDurable'>
  readonly pendingBytes = 0
  readonly durableIndex = noIndex
  readonly isFull = false

  constructor(listener: Pick<LogListener, 'batchDurable'>) {
    this.#listener = listener
  }

  write(_change: LogChange, durable: () => void): void {
    this.#waiting.push(durable)
  }

  flush(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const durable of waiting) durable()
    this.#listener.batchDurable()
  }

  compact(): void {}

  async close(): Promise<void> {
    this.flush()
  }
}
