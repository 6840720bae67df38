import type { Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Mark, Watermark } from './watermark.ts'

/**
 * Lets the watermark follow the log, beside the batches: one write at a time, and whatever becomes due meanwhile is one
 * more write. A write that finds no room is tried again when the next is due.
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

  /** Writes the mark as it is now, durably, after a write that is under way. */
  writeNow(): Promise<Result<undefined, DiskFailure>> {
    return this.#watermark.write(this.#markNow())
  }

  /** Nothing becomes due any more. */
  stop(): void {
    this.#stopped = true
  }

  close(): Promise<void> {
    return this.#watermark.close()
  }
}
