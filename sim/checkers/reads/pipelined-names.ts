/** The answer that a message on a connection must have. */
export type WantedReply =
  /** A name's records. */
  | 'answer'
  /** FORMERR: the message is a question that cannot be read. */
  | 'malformed'
  /** Nothing: it is an answer itself, or shorter than a header. */
  | 'nothing'

/** Messages that were sent over one connection without waiting for answers, and what came back. */
export interface PipelinedNames {
  readonly agent: string
  /** By number: the numbers of one connection differ. */
  readonly sent: readonly { readonly id: number; readonly wants: WantedReply }[]
  readonly replies: readonly { readonly id: number; readonly rcode: string; readonly isFor: string }[]
  /** The name in the questions. */
  readonly name: string
  /** The agent ended the connection in order, after the client had sent all. */
  readonly isWhole: boolean
}
