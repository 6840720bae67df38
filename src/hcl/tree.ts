/** A value with its position: an offset in UTF-16 units. */
export type HclNode = HclScalar | HclList | HclBlock

export interface HclScalar {
  readonly kind: 'scalar'
  readonly offset: number
  readonly value: string | number | boolean
}

/** `[…]`, or the list of repeated blocks of one name. */
export interface HclList {
  readonly kind: 'list'
  readonly offset: number
  readonly items: readonly HclNode[]
  /** Whether it began as a block: only blocks may be merged into it. */
  readonly ofBlocks: boolean
}

/** `{…}`. Its members are lists where the text has blocks: each name may be repeated. */
export interface HclBlock {
  readonly kind: 'block'
  readonly offset: number
  /**
   * In the order of first occurrence, each name once. A list rather than a map: most blocks of a large text have one
   * member, and a map for each of thousands would be most of the cost of parsing them.
   */
  readonly members: readonly HclMember[]
}

export interface HclMember {
  readonly name: string
  /** Offset of the name's first occurrence. */
  readonly offset: number
  readonly node: HclNode
}

/** The plain value: blocks become objects, in the field's form. */
export function plainValue(node: HclNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(plainValue)
    case 'block':
      return Object.fromEntries(node.members.map((member) => [member.name, plainValue(member.node)]))
  }
}
