import { z } from 'zod'
import { byteString } from '../../base/bytes.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { TableDefinition } from '../../store/types.ts'
import { count } from '../contract/fields.ts'
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

const rootRow = z.object({
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

/** What the active root signs with. It holds private keys: nothing of it is in any answer. */
export interface SignerRow extends z.infer<typeof signerRow> {}

const signerRow = z.object({ rootId: z.string(), ownIntermediates: pemList, chainEndMs: moment, ...keptState })

export const signersTable: TableDefinition<SignerRow> = {
  name: 'connect-signers',
  key: (row) => byteString(row.rootId),
  decode: (row) => signerRow.parse(row),
  stamps: [],
}

const leavesRow = z.object({ rootId: z.string(), datacenter: z.string(), expiresMs: moment })

/** Apart from the roots, for it changes with every leaf, and every agent waits for the roots to change. */
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
  /** `index` of the restore from whose number on it counts; 0: it counts from 1. */
  readonly since: number
}

const serialRow = z.object({ next: serial, since: count.default(0) })

/** Serial numbers of all that is signed here, roots and crossings too: none is given twice, restored or not (`restoring.ts`). */
export const serialsTable: TableDefinition<SerialRow> = {
  name: 'connect-serials',
  key: () => onlyKey,
  decode: (row) => serialRow.parse(row),
  stamps: [],
}

/** What is kept since a snapshot took the place of the state: the last time that one did. */
export interface RestoredRow extends z.infer<typeof restoredRow> {}

const restoredRow = z.object({
  /** From which on the snapshot is the state. */
  index: count,
  /** No leaf lives longer that was signed before. */
  leavesUntilMs: moment,
  /** From which on serial numbers are given since. */
  serial,
  /** IDs of roots that were there before, and are not in the snapshot. */
  lost: z.array(z.string()).readonly(),
})

/** It is in no snapshot that could be put back, and stays when one is. */
export const restoredTable: TableDefinition<RestoredRow> = {
  name: 'connect-restored',
  key: () => onlyKey,
  decode: (row) => restoredRow.parse(row),
  stamps: ['index'],
  ofCluster: true,
}

/** A rotation, where it stands. One that has ended is kept for a while, without secrets, for who asks how it ended. */
export interface RotationRow extends z.infer<typeof rotationRow> {}

const rotationRow = z.object({
  /** The index at which it began. */
  id: count,
  /**
   * `begun`: the new root is to be had. `requested`: its provider has given its certificate as an authority. `crossed`: the old
   * root has signed that. The rest are ends.
   */
  step: z.enum(['begun', 'requested', 'crossed', 'activated', 'given-up', 'refused']),
  /** Of one that was refused by the new provider: why. */
  why: z.string(),
  /** What the configuration will be. */
  provider: z.string(),
  options,
  startedMs: moment,
  /** The operator does without the old root's signature. */
  uncrossed: z.boolean().default(false),
  root: z.object(rootFacts).nullable(),
  crossing: z.object(crossingFacts).nullable(),
  modifyIndex: count,
})

export const rotationsTable: TableDefinition<RotationRow> = {
  name: 'connect-rotations',
  key: (row) => orderedKey(row.id),
  decode: (row) => rotationRow.parse(row),
  stamps: ['id', 'modifyIndex'],
}

/** Of those that have ended. Part of what commands mean: servers that differ in it would diverge. */
export const endedRotationsMax = 8
