import { z } from 'zod'
import { utf8 } from '../../base/bytes.ts'
import { jsonOrUndefined } from '../../base/json.ts'
import type { ReadTransaction, StateEvent } from '../../store/types.ts'

/** Names of the files in an archive, in their order. Reference: operator.md#snapshot-archive. */
export const archiveFiles = { meta: 'meta.json', state: 'state.bin', sums: 'SHA256SUMS' } as const

/** Maximum size of an archive that an agent receives or makes: it is held in memory. */
export const archiveBytesMax = 192 << 20

/**
 * Maximum size of a state that is saved or restored. A few megabytes of an archive can contain any number of equal
 * bytes.
 */
export const stateBytesMax = 1 << 30

/** Number of random bytes that a leader draws for a restore. */
export const drawnBytes = 16

/**
 * Another state is about to replace this one, as part of the same command. Hooks still read the former one, and may
 * write only to tables of the cluster itself (`ofCluster`): all others will have the restored state. For facts that a
 * restore must not lose, or must not repeat.
 */
export const stateReplaced: StateEvent<StateReplaced> = { name: 'snapshot.state-replaced' }

export interface StateReplaced {
  /** The index since which the other is the state: greater than every index of both. */
  readonly index: number
  /** The leader's wall clock. */
  readonly nowMs: number
  /**
   * Drawn by the leader (`drawnBytes`): different in every restore, in this cluster or in another one with the same
   * archive.
   */
  readonly drawn: Uint8Array
  /** The new state. */
  readonly coming: ReadTransaction
}

/** Metadata of an archive. */
export interface ArchiveMeta {
  /** `TERM-INDEX-MILLIS`. */
  readonly id: string
  /** The index of the state, as in results of reads. */
  readonly index: number
  readonly term: number
  /** Size of `state.bin`. */
  readonly sizeBytes: number
  readonly configurationIndex: number
  /** The servers at that time, for information only: a restore never changes the set of servers. */
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

/** Undefined: the bytes are not metadata in this format. */
export function metaFrom(bytes: Uint8Array): ArchiveMeta | undefined {
  const read = metaJson.safeParse(jsonOrUndefined(bytes)).data
  if (read === undefined || read.Version !== metaVersion) return undefined
  const servers = (read.Configuration.Servers ?? []).map(({ Suffrage, ID, Address }) => {
    return { id: ID, address: Address, voter: Suffrage === 0 }
  })
  const { ID: id, Index: index, Term: term, Size: sizeBytes, ConfigurationIndex: configurationIndex } = read
  return { id, index, term, sizeBytes, configurationIndex, servers }
}
