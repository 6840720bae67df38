import { done, err, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { greater, type LogIndex, noTerm, termAfter } from '../../model/log-position.ts'
import { decodeConfiguration } from '../core/configuration.ts'
import type { Configuration, Entry, ServerId, SnapshotMeta } from '../core/types.ts'
import { renewNames } from '../log/disk-steps.ts'
import type { LogFailure, LogLoss } from '../log/log-loss.ts'
import { diskTrouble, type RaftOpenFailure } from '../log/open-failure.ts'
import { continues, type ReplayedLog } from '../log/replay.ts'
import type { LogFormat } from '../log/segment-file.ts'
import { writeLogAside } from '../log/written-aside.ts'

type Step = Promise<Result<undefined, RaftOpenFailure>>

export interface DamagedLog {
  readonly id: ServerId
  /** The directories of the log and of the snapshots, and the parent of the first. */
  readonly log: string
  readonly parent: string
  readonly format: LogFormat
  readonly snapshots: string
  readonly failure: LogFailure
  readonly snapshot: SnapshotMeta | undefined
}

/**
 * Continues without what a damaged log has lost, because an operator asked for it. A server whose log is shorter than
 * what it once acknowledged must not vote: otherwise a quorum with it could elect a leader without entries that a
 * quorum had accepted. So this is done only if no other server relies on its promises:
 * 1. The newest known configuration, before or after the damage, has this server as its only voter. If a newer one is
 *    known to have existed and cannot be read, nothing is certain.
 * 2. The server continues from the log before the damage, or from the snapshot if that reaches further. Its term
 *    becomes higher than any known from the lost part, so an entry that it writes from now on never has the index and
 *    term of another one.
 * 3. The new log is written to a separate directory, completely and durably, and gets the name `log.accepted`. Then the
 *    damaged one gets another name, under which it stays, and the new one takes its place. If the power fails in
 *    between, `log` is missing and `log.accepted` exists: the next start continues from that (`finishAccepted`).
 */
export async function acceptLoss(env: Env, damaged: DamagedLog): Step {
  const { log, parent, format, failure, snapshot } = damaged
  const plan = planOf(damaged)
  if (typeof plan === 'string')
    return err({ ...failure, message: `${failure.message}; -accept-lost-log is refused: ${plan}` })
  // The new log may rely on a snapshot whose name was never made durable.
  const named = snapshot === undefined ? done : await renewNames(env.disk, damaged.snapshots)
  if (!named.ok) return err(diskTrouble(named.error))
  const aside = `${log}.accepting`
  const written = await writeLogAside(env, aside, plan, format)
  if (!written.ok) return written
  const away = await placeAccepted(env.disk, { log, parent, aside })
  if (!away.ok) return err(diskTrouble(away.error))
  const { lastIndex } = plan
  env.log.write('warn', 'raft', '-accept-lost-log: the log continues without the entries that it has lost', {
    why: failure.message,
    lastIndex: Math.max(lastIndex, snapshot?.index ?? 0),
    term: plan.hardState.term,
    damagedLog: away.value,
  })
  return done
}

/** An accepted log that had not taken its place when the server stopped takes it now. */
export async function finishAccepted(disk: Disk, { log, parent }: Pick<DamagedLog, 'log' | 'parent'>): Step {
  const accepted = await isThere(disk, `${log}.accepted`)
  const present = accepted.ok && accepted.value ? await isThere(disk, log) : accepted
  if (!accepted.ok) return err(diskTrouble(accepted.error))
  if (!present.ok) return err(diskTrouble(present.error))
  if (!accepted.value || present.value) return done
  const placed = await disk.rename(`${log}.accepted`, log)
  const named = placed.ok ? await disk.syncDirectory(parent) : placed
  return named.ok ? done : err(diskTrouble(named.error))
}

type Plan = Pick<ReplayedLog, 'hardState' | 'baseIndex' | 'entries' | 'lastIndex'>

/** The log to continue from, or why there is none: one clause. */
function planOf({ id, failure, snapshot }: DamagedLog): Plan | string {
  const { loss } = failure
  if (loss === undefined) return 'it cannot be determined what it has lost'
  const known = lastConfiguration(loss, snapshot)
  if (known === undefined) return 'no configuration is left that names the voters'
  if (known.index < loss.configurationIndex) {
    return `the configuration of entry ${loss.configurationIndex}, which names the voters, is lost`
  }
  const voters = known.configuration.servers.filter(({ suffrage }) => suffrage === 'voter')
  if (voters.length !== 1 || voters[0]?.id !== id) {
    const names = voters.map((voter) => voter.id).join(', ')
    return `the last known configuration, of entry ${known.index}, has the voters ${names}, and not this server (${id}) alone`
  }
  const { before } = loss
  const term = termAfter(greater(loss.term, snapshot?.term ?? noTerm))
  const hardState = { term, votedFor: undefined }
  const reaches = before !== undefined && before.baseIndex <= (snapshot?.index ?? 0)
  if (reaches && (snapshot === undefined || continues(before, snapshot))) {
    const { baseIndex, entries, lastIndex } = before
    return { hardState, baseIndex, entries, lastIndex }
  }
  if (snapshot === undefined) return 'no readable file reaches back to the beginning of the log'
  return { hardState, baseIndex: snapshot.index, entries: [], lastIndex: snapshot.index }
}

interface Known {
  readonly index: LogIndex
  readonly configuration: Configuration
}

function lastConfiguration(loss: LogLoss, snapshot: SnapshotMeta | undefined): Known | undefined {
  const entries: readonly Entry[] = [...(loss.before?.entries ?? []), ...loss.configurations]
  const known: Known[] = entries.flatMap(({ kind, index, payload }) => {
    const read = kind === 'configuration' ? decodeConfiguration(payload) : undefined
    return read?.ok === true ? [{ index, configuration: read.value }] : []
  })
  if (snapshot !== undefined) known.push({ index: snapshot.configurationIndex, configuration: snapshot.configuration })
  return known.reduce<Known | undefined>((a, b) => (a === undefined || b.index >= a.index ? b : a), undefined)
}

/** Returns the new path of the damaged log. */
async function placeAccepted(
  disk: Disk,
  { log, parent, aside }: { readonly log: string; readonly parent: string; readonly aside: string },
): Promise<Result<string, DiskFailure>> {
  const stale = await removeDirectory(disk, `${log}.accepted`)
  if (!stale.ok) return stale
  const steps: (readonly [string, string])[] = [[aside, `${log}.accepted`]]
  const away = await freeName(disk, `${log}.lost`)
  if (!away.ok) return away
  steps.push([log, away.value], [`${log}.accepted`, log])
  for (const [from, to] of steps) {
    const renamed = await disk.rename(from, to)
    const named = renamed.ok ? await disk.syncDirectory(parent) : renamed
    if (!named.ok) return named
  }
  return ok(away.value)
}

/** Removes a directory left by an interrupted attempt. */
async function removeDirectory(disk: Disk, path: string): Promise<Result<undefined, DiskFailure>> {
  const names = await disk.list(path)
  if (!names.ok) return names.error.kind === 'not-found' ? done : names
  for (const name of [...names.value.map((it) => `${path}/${it}`), path]) {
    const removed = await disk.remove(name)
    if (!removed.ok) return removed
  }
  return done
}

async function freeName(disk: Disk, base: string): Promise<Result<string, DiskFailure>> {
  for (let number = 1; ; number++) {
    const taken = await isThere(disk, `${base}-${number}`)
    if (!taken.ok) return taken
    if (!taken.value) return ok(`${base}-${number}`)
  }
}

async function isThere(disk: Disk, path: string): Promise<Result<boolean, DiskFailure>> {
  const found = await disk.stat(path)
  if (found.ok) return ok(true)
  return found.error.kind === 'not-found' ? ok(false) : found
}
