import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { Entry } from '../core/types.ts'
import { makeDirectories, renewNames, syncFiles } from './disk-steps.ts'
import { oldLogName } from './old-format.ts'
import { diskTrouble, type RaftOpenFailure } from './open-failure.ts'
import { recoverLog } from './recovery.ts'
import type { ReplayedLog } from './replay.ts'
import { logFormats } from './segment-file.ts'
import { writeLogAside } from './written-aside.ts'

type Step<T = undefined> = Promise<Result<T, RaftOpenFailure>>
type MigrationEnv = Pick<Env, 'disk' | 'crypto' | 'deferred' | 'timers' | 'clock' | 'log'>

const asideName = 'log.migrating'
const backupName = `${oldLogName}.backup`

/**
 * Migrates a log in `mdb` to `raft/log`, as 0.5.1 did at its start. If the power fails at any time:
 * 1. The old log is first made durable as it was read. A killed process leaves writes that can be read and are not
 *    durable yet; without this step, a power cut could remove them from the old log when the new one already has them.
 * 2. The new log is written to a separate directory. Until it has its name, which it gets in one step when all of it is
 *    durable, the old one counts, and the separate one is begun anew.
 * 3. Then both exist and have the same content: only renaming the old one remains, once the name of the new one is
 *    durable, of which a start that finds both cannot be sure.
 * 4. When that is durable, there is nothing to migrate.
 * Two logs with different content are not an interrupted migration, and are refused.
 */
export async function migrateOldLog(env: MigrationEnv, dataDir: string): Step {
  const old = `${dataDir}/${oldLogName}`
  const found = await env.disk.stat(old)
  if (!found.ok) return found.error.kind === 'not-found' ? ok(undefined) : err(diskTrouble(found.error))
  const startedMs = env.clock.monoMs()
  const before = await recoverLog(env.disk, old, logFormats.mdb)
  if (!before.ok) return before
  if (before.value !== undefined) {
    const brought = await bringOver(env, dataDir, before.value.log)
    if (!brought.ok) return brought
  }
  const laidAway = await layAway(env.disk, dataDir)
  if (laidAway.ok) {
    const tookMs = env.clock.monoMs() - startedMs
    env.log.write('info', 'raft', `==> Successfully migrated raft data in ${tookMs}ms`)
  }
  return laidAway
}

async function bringOver(env: MigrationEnv, dataDir: string, log: ReplayedLog): Step {
  const raft = `${dataDir}/raft`
  const there = await recoverLog(env.disk, `${raft}/log`)
  if (!there.ok) return there
  if (there.value !== undefined)
    return isSame(there.value.log, log) ? sureOfName(env.disk, raft) : err(twoLogs(dataDir))
  const durable = await syncFiles(env.disk, `${dataDir}/${oldLogName}`)
  if (!durable.ok) return err(diskTrouble(durable.error))
  const made = await makeDirectories(env.disk, dataDir, ['raft'])
  if (!made.ok) return err(diskTrouble(made.error))
  const aside = `${raft}/${asideName}`
  const written = await writeLogAside(env, aside, log, logFormats.segments)
  if (!written.ok) return written
  const renamed = await env.disk.rename(aside, `${raft}/log`)
  const named = renamed.ok ? await env.disk.syncDirectory(raft) : renamed
  return named.ok ? ok(undefined) : err(diskTrouble(named.error))
}

async function sureOfName(disk: Disk, raft: string): Step {
  const renewed = await renewNames(disk, raft)
  return renewed.ok ? ok(undefined) : err(diskTrouble(renewed.error))
}

/** Later starts find no old log; it is kept under another name. */
async function layAway(disk: Disk, dataDir: string): Step {
  const away = await disk.rename(`${dataDir}/${oldLogName}`, `${dataDir}/${backupName}`)
  const named = away.ok ? await disk.syncDirectory(dataDir) : away
  return named.ok ? ok(undefined) : err(diskTrouble(named.error))
}

function isSame(one: ReplayedLog, other: ReplayedLog): boolean {
  const { hardState, baseIndex, entries } = other
  if (one.hardState.term !== hardState.term || one.hardState.votedFor !== hardState.votedFor) return false
  if (one.baseIndex !== baseIndex || one.entries.length !== entries.length) return false
  // Equal index and term: the same entry, and the same before it.
  return sameEntry(one.entries.at(-1), entries.at(-1))
}

function sameEntry(one: Entry | undefined, other: Entry | undefined): boolean {
  return one?.index === other?.index && one?.term === other?.term
}

function twoLogs(dataDir: string): RaftOpenFailure {
  return {
    kind: 'old-format',
    message: `${dataDir}: there are two logs, in ${oldLogName} and in raft/log, and they differ`,
    remedy: 'nothing was changed: move the obsolete one away',
  }
}
