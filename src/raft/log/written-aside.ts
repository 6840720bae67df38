import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { removeFiles } from './disk-steps.ts'
import { logChange } from './durable-log.ts'
import { diskFailureText, diskTrouble, missingFiles, type RaftOpenFailure } from './open-failure.ts'
import { createLog } from './opening.ts'
import { recoverLog } from './recovery.ts'
import type { ReplayedLog } from './replay.ts'
import type { LogFormat } from './segment-file.ts'
import { defaultLogOptions, SegmentedLog } from './segmented-log.ts'

type Step = Promise<Result<undefined, RaftOpenFailure>>

/** Number of entries written at a time. */
const sliceEntries = 64

/**
 * Writes a log with this content into a directory, and replaces what an earlier attempt left there. Durable on success,
 * except for the directory's own name.
 */
export async function writeLogAside(
  env: Pick<Env, 'disk' | 'crypto' | 'deferred' | 'timers' | 'clock'>,
  directory: string,
  { hardState, baseIndex, entries }: Pick<ReplayedLog, 'hardState' | 'baseIndex' | 'entries'>,
  format: LogFormat,
): Step {
  const emptied = await emptyDirectory(env, directory)
  if (!emptied.ok) return emptied
  const options = { ...defaultLogOptions, format }
  const created = await createLog(env, directory, options, { hardState, lastIndex: baseIndex })
  if (!created.ok) return err(diskTrouble(created.error))
  const recovered = await recoverLog(env.disk, directory, format)
  if (!recovered.ok) return recovered
  const isGone = err(missingFiles(directory, 'the log that was just written is not there'))
  if (recovered.value === undefined) return isGone
  let failure: RaftOpenFailure | undefined
  const listener = {
    batchDurable: () => {},
    // The directory was emptied before, and no entry is compacted here.
    notRemoved: () => {},
    room: () => {},
    // No change waits for space or descriptors here: the log is closed, and begun anew at the next start.
    full: (full: Parameters<typeof diskTrouble>[0]) => {
      failure = diskTrouble(full)
    },
    delayed: (lack: Parameters<typeof diskTrouble>[0]) => {
      failure = diskTrouble(lack)
    },
    failed: (cause: Parameters<typeof diskTrouble>[0] | Error) => {
      const text = cause instanceof Error ? cause.message : diskFailureText(cause)
      failure = { kind: 'io', message: text, remedy: 'check the disk' }
    },
  }
  const opened = await SegmentedLog.open(env, directory, recovered.value, undefined, options, listener)
  if (!opened.ok) return err(diskTrouble(opened.error))
  let durable = 0
  for (let at = 0; at < entries.length; at += sliceEntries) {
    const slice = entries.slice(at, at + sliceEntries)
    opened.value.write(logChange({ entries: slice }), () => {
      durable += slice.length
    })
  }
  opened.value.flush()
  await opened.value.close()
  if (failure !== undefined) return err(failure)
  return durable === entries.length ? ok(undefined) : isGone
}

async function emptyDirectory({ disk }: Pick<Env, 'disk'>, directory: string): Step {
  const made = await disk.makeDirectory(directory)
  const names = made.ok ? await disk.list(directory) : made
  if (!names.ok) return err(diskTrouble(names.error))
  const paths = names.value.map((name) => `${directory}/${name}`)
  const removed = await removeFiles(disk, directory, paths)
  return removed.ok ? ok(undefined) : err(diskTrouble(removed.error))
}
