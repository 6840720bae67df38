import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import { makeOpenDirectory } from './directories.ts'
import { messageOf } from './system-error.ts'

/**
 * Writes the number of this process, without line feed, in place of an earlier one; no reader ever sees half of it.
 * Parent directories are created. `close` removes the file, if it is still this process's. The error says why it cannot
 * be written. Source: configuration 3.
 */
export function holdPidFile(path: string, complain: (text: string) => void): Result<Closable, string> {
  const own = String(process.pid)
  const half = `${path}.${own}.new`
  try {
    makeOpenDirectory(dirname(path))
    rmSync(half, { force: true })
    writeFileSync(half, own, { flag: 'wx', mode: 0o644 })
    // Independent of the umask, because the supervisor may be another user.
    chmodSync(half, 0o644)
    renameSync(half, path)
  } catch (cause) {
    remove(half, complain)
    return err(messageOf(cause))
  }
  return ok({
    close: () => {
      if (contentOf(path) === own) remove(path, complain)
    },
  })
}

/** Undefined if it cannot be read: then it is not ours to remove. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause
    return undefined
  }
}

function remove(path: string, complain: (text: string) => void): void {
  try {
    rmSync(path, { force: true })
  } catch (cause) {
    complain(`${path} cannot be removed: ${messageOf(cause)}`)
  }
}
