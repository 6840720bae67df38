import type { OwnTree } from './own-tree.ts'
import type { Expected, ExpectedRow } from './own-words.ts'

/** One operation of a transaction, as a client requests it. */
export interface OwnVerb {
  readonly verb: string
  readonly key: string
  readonly value: string
  readonly flags: string
  readonly index: number
  readonly session: string
}

/** The rows that the operation returns; undefined: it fails. */
type Done = (tree: OwnTree, operation: OwnVerb) => readonly ExpectedRow[] | undefined

const nothing: readonly ExpectedRow[] = []

function bare(tree: OwnTree, key: string): readonly ExpectedRow[] {
  const row = tree.row(key)
  return row === undefined ? nothing : [{ key, row, isBare: true }]
}

/** What each verb does and returns (keys.md#transaction-verbs). */
export const ownVerbs: Readonly<Record<string, Done>> = {
  set: (tree, operation) => {
    tree.put(operation.key, operation)
    return bare(tree, operation.key)
  },
  cas: (tree, operation) => {
    if (!tree.isAt(operation.key, operation.index)) return undefined
    tree.put(operation.key, operation)
    return bare(tree, operation.key)
  },
  lock: (tree, operation) =>
    tree.lock(operation.key, operation, operation.session) === 'held' ? bare(tree, operation.key) : undefined,
  unlock: (tree, operation) =>
    tree.unlock(operation.key, operation, operation.session) ? bare(tree, operation.key) : undefined,
  get: (tree, { key }) => {
    const row = tree.row(key)
    return row === undefined ? undefined : [{ key, row, isBare: false }]
  },
  'get-tree': (tree, { key: prefix }) => tree.under(prefix).map(([key, row]) => ({ key, row, isBare: false })),
  'check-index': (tree, { key, index }) =>
    tree.row(key) !== undefined && tree.isAt(key, index) ? bare(tree, key) : undefined,
  'check-session': (tree, { key, session }) => (tree.row(key)?.session === session ? bare(tree, key) : undefined),
  'check-not-exists': (tree, { key }) => (tree.row(key) === undefined ? nothing : undefined),
  delete: (tree, { key }) => {
    tree.remove(key)
    return nothing
  },
  'delete-tree': (tree, { key }) => {
    tree.removeTree(key)
    return nothing
  },
  'delete-cas': (tree, { key, index }) => (tree.removeAt(key, index) ? nothing : undefined),
}

/** The correct answer to a transaction, and the tree after it: either all operations take effect, or none. */
export function ownTransaction(
  before: OwnTree,
  operations: readonly OwnVerb[],
): { readonly expected: Expected; readonly tree: OwnTree } {
  const tree = before.copy()
  tree.begin()
  const rows: ExpectedRow[] = []
  const failed: number[] = []
  for (const [at, operation] of operations.entries()) {
    const given = ownVerbs[operation.verb]?.(tree, operation)
    if (given === undefined) failed.push(at)
    else rows.push(...given)
  }
  if (failed.length > 0) return { expected: { said: `refused for ${failed.join(', ')}`, rows: [] }, tree: before }
  return { expected: { said: 'done', rows }, tree }
}
