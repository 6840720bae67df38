import type { CauseList, EventTeller } from '../../report/event-teller.ts'
import type { Meaning } from '../../report/meaning.ts'
import type { TracedBytes } from '../../report/trace-record.ts'

/** What a segment is to readers of a trace. */
export interface Told {
  /** Of each write that it carries a part of. */
  readonly causes: CauseList
  /** Of the writes that end in it. */
  readonly means: readonly Meaning[] | undefined
}

interface Write extends Told {
  /** Of the stream, after its last byte. */
  readonly end: number
}

/** The writes of one direction of a connection that have not left yet, with what led to each. Kept for readers of a trace alone. */
export class ToldWrites {
  readonly #teller: EventTeller
  readonly #about: Omit<TracedBytes, 'payload' | 'kind'>
  #writes: Write[] = []
  #written = 0
  #sent = 0
  /** Up to here readers know of what is held back. */
  #heldBack = 0

  constructor(teller: EventTeller, about: Omit<TracedBytes, 'payload' | 'kind'>) {
    this.#teller = teller
    this.#about = about
  }

  wrote(payload: Uint8Array): void {
    this.#written += payload.length
    const means = this.#teller.meaningOf({ ...this.#about, kind: 'segment', payload })
    this.#writes.push({ end: this.#written, causes: this.#teller.now, means })
  }

  /** The next bytes leave. */
  take(length: number): Told {
    if (length === 0) return { causes: this.#teller.now, means: undefined }
    const to = this.#sent + length
    const told = this.#of(this.#sent, to)
    this.#sent = to
    this.#writes = this.#writes.filter(({ end }) => end > to)
    return told
  }

  /** What was written since the last call and cannot leave; undefined: nothing. */
  heldBack(): (Told & { readonly size: number }) | undefined {
    const from = Math.max(this.#heldBack, this.#sent)
    this.#heldBack = this.#written
    return from === this.#written ? undefined : { ...this.#of(from, this.#written), size: this.#written - from }
  }

  #of(from: number, to: number): Told {
    const causes = new Set<number>()
    const means: Meaning[] = []
    let begin = from
    for (const write of this.#writes) {
      if (begin < to && write.end > from) for (const cause of write.causes) causes.add(cause)
      if (write.end > from && write.end <= to) means.push(...(write.means ?? []))
      begin = write.end
    }
    return { causes: [...causes], means: means.length === 0 ? undefined : means }
  }
}
