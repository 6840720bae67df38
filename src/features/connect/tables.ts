import { z } from 'zod'
import { byteString } from '../../base/bytes.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { TableDefinition } from '../../store/types.ts'
import { count, stateIndex } from '../contract/fields.ts'
import {
  certificateFacts,
  crossingFacts,
  keptState,
  moment,
  options,
  pemList,
  rootFacts,
  serial,
  stamps,
} from './fields.ts'
import type { AuthorityRow, CrossingRow, LeavesRow, RootRow } from './model.ts'

export const onlyKey = 'only'

const authorityRow = z.object({
  provider: z.string(),
  options,
  clusterId: z.string(),
  trustDomain: z.string(),
  primary: z.string(),
  ...stamps,
})

/** One row once the authority has begun. */
export const authorityTable: TableDefinition<AuthorityRow> = {
  name: 'connect-authority',
  key: () => onlyKey,
  decode: (row) => authorityRow.parse(row),
}

export const rootRow = z.object({
  ...certificateFacts,
  clusterId: z.string(),
  of: z.string(),
  active: z.boolean(),
  generation: count,
  replacedMs: moment,
  intermediates: pemList,
  ...stamps,
})

export const rootsTable: TableDefinition<RootRow> = {
  name: 'connect-roots',
  key: (row) => byteString(row.id),
  indexes: { generation: { key: (row) => orderedKey(row.generation) } },
  decode: (row) => rootRow.parse(row),
}

/** The active root's signing state. It contains private keys, and appears in no answer. */
export interface SignerRow extends z.infer<typeof signerRow> {}

const signerRow = z.object({ rootId: z.string(), ownIntermediates: pemList, chainEndMs: moment, ...keptState })

export const signersTable: TableDefinition<SignerRow> = {
  name: 'connect-signers',
  key: (row) => byteString(row.rootId),
  decode: (row) => signerRow.parse(row),
  stamps: [],
}

const leavesRow = z.object({ rootId: z.string(), datacenter: z.string(), expiresMs: moment })

/** Separate from the roots, because it changes with every leaf, while every agent waits for changes of the roots. */
export const leavesTable: TableDefinition<LeavesRow> = {
  name: 'connect-leaves',
  key: ({ rootId, datacenter }) => leavesKey(rootId, datacenter),
  decode: (row) => leavesRow.parse(row),
  stamps: [],
}

export function leavesKey(rootId: string, datacenter: string): string {
  return byteString(`${rootId}\0${datacenter}`)
}

const crossingRow = z.object({
  generation: count,
  byGeneration: count,
  rootId: z.string(),
  byRootId: z.string(),
  ...crossingFacts,
})

export const crossingsTable: TableDefinition<CrossingRow> = {
  name: 'connect-crossings',
  key: (row) => orderedKey(row.generation),
  decode: (row) => crossingRow.parse(row),
  stamps: [],
}

export interface SerialRow {
  /** Decimal. */
  readonly next: string
  /** `index` of the restore since which it counts; 0: it counts from 1. */
  readonly since: number
}

const serialRow = z.object({ next: serial, since: count.default(0) })

/**
 * Serial numbers of everything that is signed here, including roots and crossings: none is used twice, even after a
 * restore (`restoring.ts`).
 */
export const serialsTable: TableDefinition<SerialRow> = {
  name: 'connect-serials',
  key: () => onlyKey,
  decode: (row) => serialRow.parse(row),
  stamps: [],
}

/** What is recorded about the last restore of a snapshot. */
export interface RestoredRow extends z.infer<typeof restoredRow> {}

const restoredRow = z.object({
  /** The index since which the restored snapshot is the state. */
  index: count,
  /** The latest possible expiry of leaves that were signed before. */
  leavesUntilMs: moment,
  /** The first serial number that is used since. */
  serial,
  /** IDs of roots that existed before, and are not in the snapshot. */
  lost: z.array(z.string()).readonly(),
})

/** Not part of snapshots, and kept when one is restored. */
export const restoredTable: TableDefinition<RestoredRow> = {
  name: 'connect-restored',
  key: () => onlyKey,
  decode: (row) => restoredRow.parse(row),
  stamps: ['index'],
  ofCluster: true,
}

/** The state of a rotation. An ended one is kept for a while, without secrets, for callers that ask for its result. */
export interface RotationRow extends z.infer<typeof rotationRow> {}

const rotationRow = z.object({
  /** The index at which it began. */
  id: count,
  /**
   * `begun`: the new root is to be obtained. `requested`: its provider has returned its certificate for signing.
   * `crossed`: the old root has signed it. The rest are ends.
   */
  step: z.enum(['begun', 'requested', 'crossed', 'activated', 'given-up', 'refused']),
  /** Why the new provider refused it. */
  why: z.string(),
  /** The configuration after the rotation. */
  provider: z.string(),
  options,
  startedMs: moment,
  /** The operator omits the old root's signature. */
  uncrossed: z.boolean().default(false),
  root: z.object(rootFacts).nullable(),
  crossing: z.object(crossingFacts).nullable(),
  modifyIndex: stateIndex,
})

export const rotationsTable: TableDefinition<RotationRow> = {
  name: 'connect-rotations',
  key: (row) => orderedKey(row.id),
  decode: (row) => rotationRow.parse(row),
  stamps: ['id', 'modifyIndex'],
}

/**
 * Number of ended rotations that are kept. It affects the replicated state: servers with different values would
 * diverge.
 */
export const endedRotationsMax = 8
