import { HclError } from './problem.ts'
import type { Token } from './token.ts'
import type { HclList, HclMember, HclNode } from './tree.ts'

/** `a "b" { … }` has two keys, `a = 1` has one. */
type Key = Pick<Token, 'offset' | 'value'>

export interface Item {
  readonly keys: readonly [Key, ...Key[]]
  readonly value: HclNode
}

/**
 * Items by their names. What the field's decoder makes of them:
 * 1. A block is a list of one block, and blocks of one name are a list of them in their order.
 * 2. Further names of an item are blocks in blocks: `service "web" { … }` is `service: [{ web: [{ … }] }]`.
 * 3. Lists of one name are one list; of scalars the last wins.
 * 4. Values of different kinds under one name are an error, and so is what is no block after a block.
 */
export function members(items: readonly Item[]): ReadonlyMap<string, HclMember> {
  const found = new Map<string, HclMember>()
  // Lists that were made here may be pushed to: a copy for each of many items would cost their square.
  let own: Map<string, HclNode[]> | undefined
  for (const { keys, value } of items) {
    const [key, ...labels] = keys
    const name = String(key.value)
    const before = found.get(name)
    const node = labelled(labels, value)
    const list = own?.get(name)
    if (list !== undefined && before?.node.kind === 'list' && node.kind === 'list' && mayJoin(before.node, node)) {
      for (const each of node.items) list.push(each)
      continue
    }
    if (before === undefined) {
      found.set(name, { offset: key.offset, node })
      continue
    }
    // Made only where a name is repeated: most of many blocks have none.
    own ??= new Map()
    found.set(name, { offset: before.offset, node: joined(name, before.node, node, key.offset, own) })
  }
  return found
}

function labelled(labels: readonly Key[], value: HclNode): HclNode {
  let node = asList(value)
  for (const label of labels.toReversed()) {
    const member = { offset: label.offset, node }
    node = asList({ kind: 'block', offset: label.offset, members: new Map([[String(label.value), member]]) })
  }
  return node
}

function asList(node: HclNode): HclNode {
  return node.kind === 'block' ? { kind: 'list', offset: node.offset, items: [node], ofBlocks: true } : node
}

function joined(name: string, before: HclNode, node: HclNode, offset: number, own: Map<string, HclNode[]>): HclNode {
  if (before.kind === 'list' && node.kind === 'list' && mayJoin(before, node)) {
    const items = [...before.items, ...node.items]
    own.set(name, items)
    return { ...before, items }
  }
  const isSame = before.kind === 'scalar' && node.kind === 'scalar' && typeof before.value === typeof node.value
  if (isSame) return node
  throw new HclError(offset, `'${name}' is of one kind in one place and of another in another`)
}

function mayJoin(before: HclList, more: HclList): boolean {
  return !before.ofBlocks || more.items.every(({ kind }) => kind === 'block')
}
