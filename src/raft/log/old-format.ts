import type { Disk } from '../../env/disk.ts'
import { diskTrouble, type RaftOpenFailure } from './open-failure.ts'

/**
 * What a server does about a log in `mdb`, where releases before 0.5.1 kept it in their own format: these releases keep
 * it there, those before 0.6 migrate it at their start, and later ones refuse it. Source: release notes, 0.5.1 and 0.6.
 */
export type OldLogs = 'kept' | 'migrated' | 'refused'

export const oldLogName = 'mdb'

/** Refuses a data directory whose storage was written in a form that must not be touched. Nothing is changed. */
export async function refuseOldFormat(
  disk: Disk,
  dataDir: string,
  oldLogs: OldLogs,
): Promise<RaftOpenFailure | undefined> {
  for (const { name, refusedBy, message, remedy } of formats) {
    if (!refusedBy.includes(oldLogs)) continue
    const found = await disk.stat(`${dataDir}/${name}`)
    if (found.ok) return { kind: 'old-format', message: message(`${dataDir}/${name}`), remedy }
    const { kind } = found.error
    if (kind !== 'not-found' && kind !== 'not-directory') return diskTrouble(found.error)
  }
  return undefined
}

interface ForeignFormat {
  readonly name: string
  readonly refusedBy: readonly OldLogs[]
  message(path: string): string
  readonly remedy: string
}

const formats: readonly ForeignFormat[] = [
  {
    name: oldLogName,
    refusedBy: ['refused'],
    message: (path) => `CRITICAL: Deprecated data folder found at "${path}"!`,
    remedy: 'this release cannot read it: migrate it with a 0.5.1 release first, or start with an empty data directory',
  },
  {
    // Without this file, the server would begin with an empty log, and could vote a second time in a term.
    name: 'raft/log',
    refusedBy: ['kept'],
    message: (path) => `"${path}" is a log in the format of a later release`,
    remedy: 'start the release that wrote it, or start with an empty data directory',
  },
  {
    name: 'raft/raft.db',
    refusedBy: ['kept', 'migrated', 'refused'],
    message: (path) => `"${path}" is a log in a format that this release does not read`,
    remedy:
      'let this server join the others with an empty data directory; to bring the data over, take a snapshot with the ' +
      'release that wrote it and restore that',
  },
]
