/**
 * What a search needs to know of a protocol: a few nodes that take events one at a time and say words. A word that was
 * said stays said: it may be heard later, repeatedly, after later ones, or never, so loss, duplication and reordering
 * are no steps of their own.
 */

/** Places of nodes: `order[0]` is the place that node 0 takes. */
export type Order = readonly number[]

/**
 * A message, or a claim: what the run has shown to be so, which nobody hears. Equal words have equal texts. Two claims
 * about the same thing must agree; otherwise the law is broken.
 */
export interface Word<Content> {
  readonly from: number
  /** Undefined: nobody hears it. */
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
 * What a step of one node has said; `broken`: a law of one node alone is broken, or the core has thrown; `beyond`: the
 * step leads out of the bounds, and is not taken.
 */
export interface Said<Content> {
  readonly words: readonly Word<Content>[]
  readonly broken: string | undefined
  readonly beyond?: boolean
}

/** What the node does by itself, by its place in `Protocol.acts`; or the word that it hears. */
export type NodeEvent<Content> = { readonly act: number } | { readonly hears: Word<Content> }

/**
 * `Node` is one running node, which `take` changes. `Durable` is what it can be started from: whatever happened before
 * is without effect then, so that states after a restart need no longer history. `Seen` is what laws look at.
 */
export interface Protocol<Node, Durable, Content, Seen> {
  readonly names: readonly string[]
  /** What nodes do beside hearing: their texts. */
  readonly acts: readonly string[]
  /** The acts that exchange their places where nodes do. */
  actIn(act: number, order: Order): number
  begin(place: number): Node
  from(place: number, durable: Durable): Node
  /** The acts that are possible in this state. */
  possible(node: Node): readonly number[]
  take(node: Node, event: NodeEvent<Content>): Said<Content>
  /** Where the step that was just taken was a restart. */
  restartedFrom(node: Node): Durable | undefined
  /** Equal texts: what follows is equal. */
  fingerprint(node: Node): string
  seen(node: Node): Seen
  /** The law that this state of all nodes breaks; `before` is what the node at `place` was before the last step. */
  judge(nodes: readonly Seen[], place: number, before: Seen): string | undefined
  contentIn(content: Content, order: Order): Content
  durableIn(durable: Durable, order: Order): Durable
  claimIn(claim: Claim, order: Order): Claim
  textOf(content: Content): string
  tell(seen: Seen): string
}
