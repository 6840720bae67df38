import type { Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Mark, Watermark } from './watermark.ts'

/**
 * Makes the watermark follow the log, in parallel with the batches: one write at a time, and everything that becomes
 * due meanwhile is one more write. A write without space is retried when the next is due.
 */
export class WatermarkWriter {
  readonly #watermark: Watermark
  readonly #markNow: () => Mark
  readonly #failed: (failure: DiskFailure) => void
  #isDue = false
  #isWriting = false
  #stopped = false

  /** `markNow`: the mark after the last durable batch. `failed`: a write failed for another reason than a full disk. */
  constructor(watermark: Watermark, markNow: () => Mark, failed: (failure: DiskFailure) => void) {
    this.#watermark = watermark
    this.#markNow = markNow
    this.#failed = failed
  }

  async advance(): Promise<void> {
    this.#isDue = true
    if (this.#isWriting) return
    this.#isWriting = true
    while (this.#isDue && !this.#stopped) {
      this.#isDue = false
      const written = await this.#watermark.write(this.#markNow())
      if (!written.ok && written.error.kind !== 'full') this.#failed(written.error)
    }
    this.#isWriting = false
  }

  /** Writes the present mark durably, after a write that is under way. */
  writeNow(): Promise<Result<undefined, DiskFailure>> {
    return this.#watermark.write(this.#markNow())
  }

  /** No further write becomes due. */
  stop(): void {
    this.#stopped = true
  }

  close(): Promise<void> {
    return this.#watermark.close()
  }
}
