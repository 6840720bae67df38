import { type LogIndex, logIndexOf, type Term, termOf } from '../../model/log-position.ts'
import type { SnapshotMeta } from '../core/types.ts'
import type { SnapshotOrigin } from './snapshot-file.ts'

/** A whole snapshot on disk. */
export interface StoredSnapshot {
  readonly meta: SnapshotMeta
  /** Size of what a leader sends: the file has some more bytes, for this server alone. */
  readonly sizeBytes: number
  /** Undefined: written by a release that did not say. */
  readonly origin: SnapshotOrigin | undefined
}

/** Snapshots kept, the newest of all: a follower may still be reading the one before. */
export const keptMax = 2

export function snapshotName({ index, term }: Pick<SnapshotMeta, 'index' | 'term'>): string {
  return `${String(term).padStart(10, '0')}-${String(index).padStart(15, '0')}.snapshot`
}

/** `undefined`: the name is not that of a snapshot. */
export function snapshotOfName(name: string): Pick<SnapshotMeta, 'index' | 'term'> | undefined {
  const parts = /^([0-9]{10,15})-([0-9]{15})\.snapshot$/.exec(name)
  return parts === null ? undefined : { term: termOf(Number(parts[1])), index: logIndexOf(Number(parts[2])) }
}

/** Whether both are the same snapshot: equal logs give one at an index and term. */
export function isSame(a: { readonly index: LogIndex; readonly term: Term }, b: typeof a): boolean {
  return a.index === b.index && a.term === b.term
}
