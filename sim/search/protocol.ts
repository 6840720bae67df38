/**
 * What a search needs to know of a protocol: a few nodes that take events one at a time and send messages. A message
 * that was sent stays available: it may be received later, repeatedly, after later ones, or never. So loss, duplication
 * and reordering are no steps of their own.
 */

/** Places of nodes: `order[0]` is the place that node 0 takes. */
export type Order = readonly number[]

/**
 * A message; or a claim, a fact that the run has shown, which no node receives. Equal words have equal texts. Two
 * claims about the same thing must agree; otherwise the law is broken.
 */
export interface Word<Content> {
  readonly from: number
  /** Undefined: no node receives it. */
  readonly to: number | undefined
  readonly content: Content
  readonly claim: Claim | undefined
}

export interface Claim {
  readonly law: string
  readonly about: string
  readonly says: string
}

/**
 * The messages of one node's step. `broken`: a law of one node is broken, or the core has thrown. `beyond`: the step
 * leaves the bounds, and is not taken.
 */
export interface Said<Content> {
  readonly words: readonly Word<Content>[]
  readonly broken: string | undefined
  readonly beyond?: boolean
}

/** An act of the node, by its place in `Protocol.acts`; or the message that it receives. */
export type NodeEvent<Content> = { readonly act: number } | { readonly hears: Word<Content> }

/**
 * `Node` is one running node, which `take` changes. `Durable` is the state from which it can be started: earlier events
 * have no effect then, so that states after a restart need no longer history. `Seen` is the view of laws.
 */
export interface Protocol<Node, Durable, Content, Seen> {
  readonly names: readonly string[]
  /** The texts of acts, which are events other than receiving. */
  readonly acts: readonly string[]
  /** The act that corresponds to this one when nodes exchange places. */
  actIn(act: number, order: Order): number
  begin(place: number): Node
  from(place: number, durable: Durable): Node
  /** The acts that are possible in this state. */
  possible(node: Node): readonly number[]
  take(node: Node, event: NodeEvent<Content>): Said<Content>
  /** The durable state if the last step was a restart. */
  restartedFrom(node: Node): Durable | undefined
  /** Nodes with equal texts behave equally from now on. */
  fingerprint(node: Node): string
  seen(node: Node): Seen
  /** The law that this state of all nodes breaks; `before` is the view of the node at `place` before the last step. */
  judge(nodes: readonly Seen[], place: number, before: Seen): string | undefined
  contentIn(content: Content, order: Order): Content
  durableIn(durable: Durable, order: Order): Durable
  claimIn(claim: Claim, order: Order): Claim
  textOf(content: Content): string
  tell(seen: Seen): string
}
