import type { EventTeller } from '../../report/event-teller.ts'
import type { Meaning } from '../../report/meaning.ts'
import type { Trace } from '../../report/trace.ts'
import type { CauseList } from '../../report/trace-record.ts'
import type { Link } from './link.ts'

/** A segment for readers of a trace. */
export interface Told {
  /** Causes of each write of which it carries a part. */
  readonly causes: CauseList
  /** Meanings of the writes that end in it. */
  readonly means: readonly Meaning[] | undefined
}

interface Write extends Told {
  /** Position in the stream after its last byte. */
  readonly end: number
}

/** The facts of a segment for readers: its size in bytes, and its meaning. */
interface ToldSegment {
  readonly bytes: Uint8Array
  readonly told: Told | undefined
}

/**
 * One direction of a connection for readers of a trace: its unsent writes, with the causes of each, and its losses. It
 * exists only if there is a reader.
 */
export class ToldPipe {
  readonly #trace: Trace
  readonly #teller: EventTeller
  readonly #link: Link
  readonly #stream: { readonly port: number; readonly number: number }
  #writes: Write[] = []
  #written = 0
  #sent = 0
  /** Readers know up to here of what is held back. */
  #heldBack = 0

  constructor(
    trace: Trace,
    teller: EventTeller,
    link: Link,
    stream: { readonly port: number; readonly number: number },
  ) {
    this.#trace = trace
    this.#teller = teller
    this.#link = link
    this.#stream = stream
  }

  wrote(payload: Uint8Array): void {
    this.#written += payload.length
    const [{ from, to }, { port, number: stream }] = [this.#link, this.#stream]
    const means = this.#teller.meaningOf({ from: from.name, to: to.name, port, stream, kind: 'segment', payload })
    this.#writes.push({ end: this.#written, causes: this.#teller.now, means })
  }

  /** The next bytes are sent. */
  take(length: number): Told {
    if (length === 0) return { causes: this.#teller.now, means: undefined }
    const to = this.#sent + length
    const told = this.#of(this.#sent, to)
    this.#sent = to
    this.#writes = this.#writes.filter(({ end }) => end > to)
    return told
  }

  /** The next line is about this segment: each write that it carries is a cause. */
  next({ told }: ToldSegment, more = 0): void {
    if (told === undefined) return
    const { cause } = this.#trace
    const causes = told.causes.includes(cause) ? told.causes : [cause, ...told.causes]
    this.#teller.next({ causes, more, fields: told.means === undefined ? {} : { means: told.means } })
  }

  /** A segment is lost under way. The event that reports it causes what follows. */
  lost({ bytes, told }: ToldSegment, causes: CauseList): void {
    if (told !== undefined) this.#trace.stand(this.#tellLost('under way', bytes.length, told, causes))
  }

  /** Bytes written since the last call cannot be sent now, because of this event. */
  tellHeldBack(because: number): void {
    const from = Math.max(this.#heldBack, this.#sent)
    this.#heldBack = this.#written
    if (from === this.#written) return
    const told = this.#of(from, this.#written)
    this.#tellLost('held back', this.#written - from, told, [...told.causes, because])
  }

  #tellLost(how: 'under way' | 'held back', size: number, { means }: Told, causes: CauseList): number {
    const { from, to } = this.#link
    const meant = means === undefined ? {} : { means: [...means] }
    return this.#trace.tell(
      'lost',
      from.number,
      { to: to.name, stream: this.#stream.number, size, how, ...meant },
      causes,
    )
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
