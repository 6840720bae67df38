import { Absences } from './absences.ts'
import { lineFields } from './line-fields.ts'
import { type TraceKind, traceKindNames, traceKinds } from './trace-kinds.ts'
import {
  type Caused,
  type CauseList,
  cut,
  type MeaningReader,
  merged,
  type RecordKind,
  type TraceRecord,
} from './trace-record.ts'

/**
 * Maximum number of waits of one continuation that are remembered, the nearest first: each began in a turn of its own.
 */
const waitsMax = 4
/** A cause of the turn that is this near need not be named again. */
const impliedSteps = 6
/** Maximum number of causes of the rest of a turn, besides its delivery. */
const alsoMax = 48

/** Events after which earlier facts about a machine may be outdated. */
const lifeKinds: ReadonlySet<RecordKind> = new Set(['boot', 'crash', 'pause', 'resume', 'clock'])

/** The turns in which a continuation waited: numbers of their events, the nearest first. */
export type Wait = readonly number[]

interface NextEvent {
  /** The causes that replace those of its turn. */
  readonly causes?: CauseList | undefined
  /** One further cause; 0: none. */
  readonly more?: number
  readonly fields?: object | undefined
}

/**
 * The events of a trace with their causes, for readers; a run without readers keeps none of this. Every line is caused
 * by the event that delivered its turn, by further causes that the turn names, and by the turns in which its code began
 * to wait. Neither the run nor its hash depends on whether there is a reader.
 */
export class EventTeller {
  readonly absences = new Absences()
  readonly #onRecord: (record: TraceRecord) => void
  readonly #nameOf: (node: number) => string
  readonly #meaning: MeaningReader | undefined
  #unread: TraceRecord[] = []
  /** The causes of the turn that begins, until its first line. */
  #delivery: CauseList | undefined
  #turn = 0
  /** The last event that the turn has reached, such as a quorum, which has all the causes. 0: none. */
  #outcome = 0
  #also: number[] = []
  #wait: Wait | undefined
  #begun: { readonly turn: number; readonly wait: Wait | undefined; readonly made: Wait } | undefined
  #next: NextEvent | undefined
  /** By object that waits for others, its causes at that time. */
  readonly #parts = new WeakMap<object, CauseList>()

  constructor(
    onRecord: (record: TraceRecord) => void,
    nameOf: (node: number) => string,
    meaning: MeaningReader | undefined,
  ) {
    this.#onRecord = onRecord
    this.#nameOf = nameOf
    this.#meaning = meaning
  }

  /** A turn begins with an event of these causes. */
  begin(causes: CauseList): void {
    this.#delivery = causes
    this.#turn = causes[0] ?? 0
    this.#outcome = 0
    this.#also = []
  }

  /** From here on, everything is caused by this event, until the next turn begins. */
  stand(event: number): void {
    this.#delivery = undefined
    this.#turn = event
    this.#outcome = 0
    this.#also = []
  }

  /** The causes of present actions. */
  get now(): CauseList {
    if (this.#also.length === 0 && this.#wait === undefined) return this.#turn === 0 ? [] : [this.#turn]
    return merged([[this.#turn], this.#also, this.#notImplied(this.#wait ?? [])])
  }

  /** Later actions of this turn have these causes, too. */
  also(causes: CauseList): void {
    for (const cause of causes) {
      if (cause !== this.#turn && this.#also.length < alsoMax && !this.#also.includes(cause)) this.#also.push(cause)
    }
  }

  /** The turn has reached this event, which is also a cause of its later actions. */
  comesTo(event: number): void {
    this.#outcome = event
    this.also([event])
  }

  /** The event to name for a fact that is true now. */
  get fact(): number {
    return this.#outcome === 0 ? this.#turn : this.#outcome
  }

  /** The next line has these causes in place of its turn's, and these fields besides those of its kind. */
  next(next: NextEvent): void {
    this.#next = next
  }

  /** The next line is the end of a wait: lost messages that it waited for are causes of it, too. */
  timeout({ cause, causes }: Caused, node: string, waits: string, fields?: object): void {
    const known = causes ?? [cause]
    this.#next = { causes: merged([known, this.absences.of(waits, node, known[0] ?? 0)]), fields }
  }

  /** An object begins to wait for others, to continue with them in `together`. */
  waits(part: object): void {
    this.#parts.set(part, this.now)
  }

  /** These objects continue as one: each is a cause of the turn's later actions. */
  together(parts: readonly object[]): void {
    for (const part of parts) this.also(this.#parts.get(part) ?? [])
  }

  /** Work is scheduled to continue; it may have been scheduled before. */
  woken(work: object): void {
    const known = this.#parts.get(work) ?? []
    if (known.length < alsoMax) this.#parts.set(work, merged([known, this.now]))
  }

  /**
   * The work continues. Returns the causes if something scheduled it that did not lead to this turn by itself;
   * otherwise undefined.
   */
  goesOn(work: object): CauseList | undefined {
    const { now } = this
    const wakes = this.#notImplied(this.#parts.get(work) ?? []).filter((cause) => !now.includes(cause))
    this.#parts.delete(work)
    return wakes.length === 0 ? undefined : merged([now, wakes])
  }

  /** The causes, besides its wake-up, of a continuation that begins to wait now. */
  beginWait(): Wait {
    const [turn, wait] = [this.fact, this.#wait]
    if (this.#begun?.turn === turn && this.#begun.wait === wait) return this.#begun.made
    const made = turn === 0 ? (wait ?? []) : [turn, ...this.#notImplied(wait ?? [])].slice(0, waitsMax)
    this.#begun = { turn, wait, made }
    return made
  }

  /** A continuation resumes; undefined: it has ended. */
  continues(wait: Wait | undefined): void {
    this.#wait = wait === undefined || wait.length === 0 ? undefined : wait
  }

  /** The meaning of bytes; undefined: there is no decoder. */
  meaningOf(...given: Parameters<MeaningReader>): ReturnType<MeaningReader> | undefined {
    const means = this.#meaning?.(...given)
    return means === undefined || means.length === 0 ? undefined : means
  }

  line(
    n: number,
    t: number,
    kind: TraceKind,
    node: number,
    values: readonly [number, number, number],
    size: number,
    text: string,
  ): void {
    const name = traceKindNames.get(kind) as Exclude<RecordKind, 'note'>
    const [a, b, c] = values
    const fields = (lineFields as Readonly<Record<string, (line: object) => object>>)[name]?.({
      a,
      b,
      c,
      size,
      text,
      nameOf: this.#nameOf,
    })
    this.#emit(n, t, name, node, fields ?? {})
    if (kind === traceKinds.segment || (kind === traceKinds.datagram && text === '')) this.#arrived(n)
    else if (kind === traceKinds.crash || kind === traceKinds.pause) this.absences.fellSilent(n, this.#nameOf(node))
    this.#lost(n, kind, b)
  }

  /** Writes an event that the hash does not include. */
  tell(n: number, t: number, kind: RecordKind, node: number, fields: object, causes?: CauseList): void {
    if (causes !== undefined) this.#next = { causes }
    this.#emit(n, t, kind, node, fields)
    if (kind === 'lost') this.#lostAs(n)
  }

  /** The machines of the events that no reader has received yet. */
  get machines(): ReadonlySet<string> {
    return new Set(this.#unread.map(({ node }) => node))
  }

  /**
   * Among the events that no reader has received yet, whether one begins or ends a process or a part of it on this
   * machine.
   */
  hasLifeOf(machine: string): boolean {
    return this.#unread.some(({ node, kind }) => node === machine && lifeKinds.has(kind))
  }

  /** The changes of a machine by the end of this turn, which its last event reports. */
  changed(machine: string, state: Readonly<Record<string, unknown>>): void {
    const record = this.#unread.findLast(({ node }) => node === machine)
    if (record !== undefined) Object.assign(record, { state })
  }

  /** Passes new events to the reader. Called between turns. */
  flush(): void {
    if (this.#unread.length === 0) return
    const unread = this.#unread
    this.#unread = []
    for (const record of unread) this.#onRecord(record)
  }

  /** Without causes that led to the turn by themselves: a loop that waits repeatedly has them in a row. */
  #notImplied(wait: Wait): Wait {
    return wait.filter((event) => !this.absences.descends(this.#turn, event, impliedSteps))
  }

  #emit(n: number, t: number, kind: RecordKind, node: number, fields: object): void {
    const next = this.#next
    this.#next = undefined
    const isDelivery = this.#delivery !== undefined && kind in lineFields && next?.causes === undefined
    const causes = next?.causes ?? (isDelivery ? (this.#delivery ?? []) : this.now)
    const record = {
      n,
      t,
      node: this.#nameOf(node),
      kind,
      causes: cut(next?.more === undefined ? causes : [...causes, next.more], n),
      ...fields,
      ...next?.fields,
    }
    this.#unread.push(record as TraceRecord)
    this.absences.happened(n, record.causes[0] ?? 0)
    if (this.#delivery === undefined || !(kind in lineFields)) return
    this.#delivery = undefined
    this.#turn = n
  }

  #arrived(n: number): void {
    const record = this.#unread.at(-1)
    if (record?.kind === 'segment' || record?.kind === 'datagram') {
      this.absences.arrived(n, record.from, record.node, record.means)
    }
  }

  #lost(n: number, kind: TraceKind, fate: number): void {
    if (kind === traceKinds.segmentLost || (kind === traceKinds.datagramSent && fate >= 1 && fate <= 3)) this.#lostAs(n)
    else if (kind === traceKinds.datagram) {
      const record = this.#unread.at(-1)
      if (record?.kind !== 'datagram' || record.fate === 'arrives') return
      this.absences.dropped({ event: n, from: record.from, to: record.node, means: record.means })
    }
  }

  #lostAs(n: number): void {
    const record = this.#unread.at(-1)
    if (record === undefined || !('to' in record)) return
    const means = 'means' in record ? record.means : undefined
    this.absences.dropped({ event: n, from: record.node, to: record.to, means })
  }
}
