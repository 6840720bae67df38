import type { Disk } from '../../env/disk.ts'
import { diskTrouble, type RaftOpenFailure } from './open-failure.ts'

/**
 * Whether the data directory was written by another kind of storage, which must not be touched: `mdb` (before 0.6,
 * REL-0.6-3), or a `raft/raft.db`. Nothing is changed.
 */
export async function refuseOldFormat(disk: Disk, dataDir: string): Promise<RaftOpenFailure | undefined> {
  for (const { name, message, remedy } of oldFormats) {
    const found = await disk.stat(`${dataDir}/${name}`)
    if (found.ok) return { kind: 'old-format', message: message(`${dataDir}/${name}`), remedy }
    const { kind } = found.error
    if (kind !== 'not-found' && kind !== 'not-directory') return diskTrouble(found.error)
  }
  return undefined
}

const oldFormats = [
  {
    name: 'mdb',
    message: (path: string) => `CRITICAL: Deprecated data folder found at "${path}"!`,
    remedy: 'this release cannot read it: migrate it with a 0.5.1 release first, or start with an empty data directory',
  },
  {
    name: 'raft/raft.db',
    message: (path: string) => `"${path}" is a log in a format that this release does not read`,
    remedy:
      'let this server join the others with an empty data directory; to bring the data over, take a snapshot with the ' +
      'release that wrote it and restore that',
  },
] as const
