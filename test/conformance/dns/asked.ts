/** A question as it is put by every asker of these tests. */
export interface Question {
  readonly name: string
  /** A where nothing is said. */
  readonly type?: string
  /** CH is a class that no client uses. */
  readonly class?: 'CH'
  readonly tcp?: boolean
  /** The size that EDNS offers; without it there is no EDNS. */
  readonly edns?: number
  /** An IPv4 network that the question is asked for, with its prefix: `192.0.2.0/24`. */
  readonly subnet?: string
  readonly rd?: false
  readonly opcode?: number
}

/** An answer in the words of dig, the records of each section in order of their text: their own order is drawn. */
export interface Said {
  /** `NOERROR qr aa rd` */
  readonly head: string
  /** `web.service.svc. 0 A 10.0.0.1` */
  readonly answers: readonly string[]
  readonly authorities: readonly string[]
  readonly additionals: readonly string[]
  /** `udp: 1232`, and the network with its scope behind it; undefined without EDNS. */
  readonly edns: string | undefined
  /** The answers as they came. */
  readonly order: readonly string[]
  readonly bytes: number
}

/** No answer came, or it was not exactly one message. */
export type Unsaid = 'no answer'

/** Puts questions to one agent, one after the other. */
export type Asker = (questions: readonly Question[]) => Promise<readonly (Said | Unsaid)[]>

export function sortedLines(lines: readonly string[]): readonly string[] {
  return [...lines].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** The number of an authority is the time. */
export function withoutTime(line: string): string {
  return line.replace(/( SOA \S+ \S+) \d+ /, '$1 <now> ')
}
