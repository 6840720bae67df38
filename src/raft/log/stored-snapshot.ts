import { type LogIndex, logIndexOf, type Term, termOf } from '../../model/log-position.ts'
import type { SnapshotMeta } from '../core/types.ts'
import type { SnapshotOrigin } from './snapshot-file.ts'

/** A complete snapshot on disk. */
export interface StoredSnapshot {
  readonly meta: SnapshotMeta
  /** Size of the part that a leader sends: the file has some more bytes, for this server alone. */
  readonly sizeBytes: number
  /** Undefined: written by a release that did not record it. */
  readonly origin: SnapshotOrigin | undefined
}

/** Number of kept snapshots, the newest of all: a follower may still be reading the previous one. */
export const keptMax = 2

/** Number of older ones that are kept while they are sent: otherwise a slow transfer would begin anew for ever. */
export const sentMax = 2

/** Files of another ending are not complete. */
export const snapshotSuffix = '.snapshot'

export function snapshotName({ index, term }: Pick<SnapshotMeta, 'index' | 'term'>): string {
  return `${String(term).padStart(10, '0')}-${String(index).padStart(15, '0')}${snapshotSuffix}`
}

/** `undefined`: the name is not that of a snapshot. */
export function snapshotOfName(name: string): Pick<SnapshotMeta, 'index' | 'term'> | undefined {
  const parts = /^([0-9]{10,15})-([0-9]{15})\.snapshot$/.exec(name)
  return parts === null ? undefined : { term: termOf(Number(parts[1])), index: logIndexOf(Number(parts[2])) }
}

/** Whether both are the same snapshot: equal logs give one snapshot at an index and term. */
export function isSame(a: { readonly index: LogIndex; readonly term: Term }, b: typeof a): boolean {
  return a.index === b.index && a.term === b.term
}
