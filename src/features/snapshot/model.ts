import { z } from 'zod'
import { utf8 } from '../../base/bytes.ts'
import { jsonOrUndefined } from '../../base/json.ts'
import type { ReadTransaction, StateEvent } from '../../store/types.ts'

/** Names of the files in an archive, in their order. Reference: operator.md#snapshot-archive. */
export const archiveFiles = { meta: 'meta.json', state: 'state.bin', sums: 'SHA256SUMS' } as const

/** Of one that is sent to an agent, and of what an agent makes: it is held in memory while it is read. */
export const archiveBytesMax = 192 << 20

/** A state of more is neither packed nor taken in. A few megabytes of an archive can hold any number of equal bytes. */
export const stateBytesMax = 1 << 30

/** Bytes that a leader draws for a restore. */
export const drawnBytes = 16

/**
 * Another state is about to take the place of this one, as a part of the same command. Hooks still read the one before, and what
 * they write is kept in tables of the cluster itself (`ofCluster`) alone: all others are as the restored state has them. For what
 * must not be forgotten over a restore, or not come again after it.
 */
export const stateReplaced: StateEvent<StateReplaced> = { name: 'snapshot.state-replaced' }

export interface StateReplaced {
  /** From which on the other is the state: above every index of both. */
  readonly index: number
  /** The leader's wall clock. */
  readonly nowMs: number
  /** Drawn by the leader (`drawnBytes`): unlike what any other restore had, in this cluster or in one that has the same archive. */
  readonly drawn: Uint8Array
  /** The state to come. */
  readonly coming: ReadTransaction
}

/** What an archive says of itself. */
export interface ArchiveMeta {
  /** `TERM-INDEX-MILLIS`. */
  readonly id: string
  /** Of the state, as results of reads have it. */
  readonly index: number
  readonly term: number
  /** Of `state.bin`. */
  readonly sizeBytes: number
  readonly configurationIndex: number
  /** The servers at that time, for people to read: a restore never changes the set of servers. */
  readonly servers: readonly ArchivedServer[]
}

export interface ArchivedServer {
  readonly id: string
  readonly address: string
  readonly voter: boolean
}

const metaVersion = 1

const metaJson = z.object({
  Version: z.number(),
  ID: z.string(),
  Index: z.number().int().nonnegative(),
  Term: z.number().int().nonnegative(),
  Size: z.number().int().nonnegative(),
  ConfigurationIndex: z.number().int().nonnegative(),
  Configuration: z.object({
    Servers: z.array(z.object({ Suffrage: z.number(), ID: z.string(), Address: z.string() })).nullable(),
  }),
})

export function metaBytes(meta: ArchiveMeta): Uint8Array {
  const servers = meta.servers.map(({ id, address, voter }) => ({ Suffrage: voter ? 0 : 1, ID: id, Address: address }))
  const json = {
    Version: metaVersion,
    ID: meta.id,
    Index: meta.index,
    Term: meta.term,
    Configuration: { Servers: servers },
    ConfigurationIndex: meta.configurationIndex,
    Size: meta.sizeBytes,
  }
  return utf8(`${JSON.stringify(json)}\n`)
}

/** Undefined: it is not what archives of this format say. */
export function metaFrom(bytes: Uint8Array): ArchiveMeta | undefined {
  const read = metaJson.safeParse(jsonOrUndefined(bytes)).data
  if (read === undefined || read.Version !== metaVersion) return undefined
  const servers = (read.Configuration.Servers ?? []).map(({ Suffrage, ID, Address }) => {
    return { id: ID, address: Address, voter: Suffrage === 0 }
  })
  const { ID: id, Index: index, Term: term, Size: sizeBytes, ConfigurationIndex: configurationIndex } = read
  return { id, index, term, sizeBytes, configurationIndex, servers }
}
