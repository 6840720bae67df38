import sortedBTree from 'sorted-btree'
import { compareText } from '../base/bytes.ts'

const BTree = sortedBTree.default

/**
 * An ordered map from byte strings, in byte order. `clone` costs next to nothing: the copies share nodes until one of
 * them changes. Only a transaction that has not ended may change one.
 */
export type Tree<V> = InstanceType<typeof BTree<string, V>>

export function emptyTree<V>(): Tree<V> {
  return new BTree<string, V>(undefined, compareText)
}

/** Values whose key begins with `prefix`, in key order. The tree must not change until the iteration is over. */
export function valuesUnder<V>(tree: Tree<V>, prefix: string): Iterable<V> {
  return { [Symbol.iterator]: () => iterateUnder(tree, prefix) }
}

function* iterateUnder<V>(tree: Tree<V>, prefix: string): Generator<V, void> {
  const pair: [string, V] = ['', undefined as V]
  for (const [key, value] of tree.entries(prefix, pair) as Iterable<[string, V]>) {
    if (!key.startsWith(prefix)) return
    yield value
  }
}

/**
 * Key of a row in an index: the index key, then the primary key, so that rows are found by the first and ordered by both.
 * A zero byte inside the index key is written as 0,1 and its end as 0,0: no index key is then the beginning of another,
 * and their order stays.
 */
export function indexEntryKey(indexKey: string, primaryKey: string): string {
  return indexEntryPrefix(indexKey) + primaryKey
}

/** The common prefix of all entries with exactly this index key. */
export function indexEntryPrefix(indexKey: string): string {
  return `${indexKey.includes('\0') ? indexKey.replaceAll('\0', '\0\x01') : indexKey}\0\0`
}
