import { itemAt } from '../base/items.ts'
import type { Token } from './lexer.ts'
import { HclError } from './problem.ts'
import type { HclList, HclMember, HclNode } from './tree.ts'

/** `a "b" { … }` has two keys, `a = 1` has one. */
type Key = Pick<Token, 'offset' | 'value'>

export interface Item {
  readonly keys: readonly [Key, ...Key[]]
  readonly value: HclNode
}

/**
 * Groups items by their names, like the field's decoder:
 * 1. A block is a list of one block, and blocks of one name are a list of them in their order.
 * 2. Further names of an item are nested blocks: `service "web" { … }` is `service: [{ web: [{ … }] }]`.
 * 3. Lists of one name are one list; of scalars the last wins.
 * 4. Values of different kinds under one name are an error, and so is a non-block after a block.
 */
export function members(items: readonly Item[]): readonly HclMember[] {
  const [first] = items
  if (first === undefined) return []
  if (items.length === 1) return [memberOf(first)]
  const found = new Members()
  for (const item of items) found.add(memberOf(item))
  return found.all
}

/** Up to this many names are found by a linear scan: a map is for the blocks that have more. */
const scannedMax = 8

class Members {
  readonly all: HclMember[] = []
  /** Made for more names than are scanned. */
  #places: Map<string, number> | undefined
  /**
   * Lists that were made here, to which more may be appended: copying them for each of many items would take quadratic
   * time.
   */
  #own: Map<string, HclNode[]> | undefined

  add(member: HclMember): void {
    const at = this.#placeOf(member.name)
    const before = this.all[at]
    if (before === undefined) this.#append(member)
    else if (!this.#pushed(before, member.node)) this.all[at] = { ...before, node: this.#joined(before, member) }
  }

  #append(member: HclMember): void {
    this.#places?.set(member.name, this.all.length)
    this.all.push(member)
    if (this.all.length === scannedMax) this.#places = new Map(this.all.map(({ name }, at) => [name, at]))
  }

  #placeOf(name: string): number {
    return this.#places === undefined
      ? this.all.findIndex((member) => member.name === name)
      : (this.#places.get(name) ?? -1)
  }

  /** Whether the node's items were appended to a list that was made here. */
  #pushed({ name, node: before }: HclMember, node: HclNode): boolean {
    const list = this.#own?.get(name)
    if (list === undefined || before.kind !== 'list' || node.kind !== 'list' || !mayJoin(before, node)) return false
    for (const each of node.items) list.push(each)
    return true
  }

  #joined({ node: before }: HclMember, { name, offset, node }: HclMember): HclNode {
    if (before.kind === 'list' && node.kind === 'list' && mayJoin(before, node)) {
      const items = [...before.items, ...node.items]
      this.#own ??= new Map()
      this.#own.set(name, items)
      return { ...before, items }
    }
    const isSame = before.kind === 'scalar' && node.kind === 'scalar' && typeof before.value === typeof node.value
    if (isSame) return node
    throw new HclError(offset, `'${name}' is of one kind in one place and of another in another`)
  }
}

/** The member of an item: its value is nested below the labels that follow its first key. */
function memberOf({ keys, value }: Item): HclMember {
  let node = asList(value)
  for (let at = keys.length - 1; at > 0; at--) {
    const { offset, value: label } = itemAt(keys, at)
    node = asList({ kind: 'block', offset, members: [{ name: String(label), offset, node }] })
  }
  const [{ offset, value: name }] = keys
  return { name: String(name), offset, node }
}

function asList(node: HclNode): HclNode {
  return node.kind === 'block' ? { kind: 'list', offset: node.offset, items: [node], ofBlocks: true } : node
}

function mayJoin(before: HclList, more: HclList): boolean {
  return !before.ofBlocks || more.items.every(({ kind }) => kind === 'block')
}
