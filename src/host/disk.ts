import { constants } from 'node:fs'
import { mkdir, open, readdir, realpath, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { compareText } from '../base/bytes.ts'
import { done, err, ok, type Result } from '../base/result.ts'
import type { Disk, DiskEntry, DiskFailure, DiskFile, Readers } from '../env/disk.ts'
import { attempt, failedSync } from './disk-failure.ts'
import { HostDiskFile } from './disk-file.ts'
import { takeLock } from './disk-lock.ts'
import { codeOf } from './system-error.ts'

/** Only the agent's own user may read its files, because they contain keys and tokens. */
const fileModes: Readonly<Record<Readers, number>> = { owner: 0o600, everybody: 0o644 }
const directoryMode = 0o700
/** Of a file's mode: users other than its owner and its group may read it. */
const othersRead = 0o004

const openFlags = {
  read: constants.O_RDONLY,
  create: constants.O_RDWR | constants.O_CREAT,
  'create-new': constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
} as const

export const hostDisk: Disk = {
  open: openFile,
  list: (path) => attempt(path, async () => ok((await readdir(path)).sort(compareText))),
  makeDirectory: (path) =>
    attempt(path, async () => {
      await makeWithParents(path)
      return done
    }),
  syncDirectory,
  rename: (from, to) =>
    attempt(from, async () => {
      await rename(from, to)
      return done
    }),
  remove: (path) => attempt(path, () => remove(path)),
  stat: (path) => attempt(path, async () => ok(await entryAt(path))),
  realPath: (path) => attempt(path, async () => ok(await realpath(path))),
  lock: (path) => attempt(path, () => takeLock(path)),
}

function openFile(
  path: string,
  mode: 'read' | 'create' | 'create-new',
  readers: Readers = 'owner',
): Promise<Result<DiskFile, DiskFailure>> {
  return attempt(path, async () => {
    const handle = await open(path, openFlags[mode], fileModes[readers])
    if (mode === 'read' && (await handle.stat()).isDirectory()) {
      await handle.close()
      return err({ kind: 'is-directory', path, message: 'illegal operation on a directory' })
    }
    return ok(new HostDiskFile(handle, path, mode !== 'read'))
  })
}

function syncDirectory(path: string): Promise<Result<undefined, DiskFailure>> {
  return attempt(path, async () => {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      await handle.sync()
      return done
    } catch (cause) {
      return failedSync(path, cause)
    } finally {
      await handle.close()
    }
  })
}

async function remove(path: string): Promise<Result<undefined, DiskFailure>> {
  try {
    await unlink(path)
  } catch (cause) {
    // Linux reports EISDIR, POSIX EPERM.
    const code = codeOf(cause)
    if (code !== 'EISDIR' && !(code === 'EPERM' && (await stat(path)).isDirectory())) throw cause
    await rmdir(path)
  }
  return done
}

async function entryAt(path: string): Promise<DiskEntry> {
  const found = await stat(path)
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other'
  return { kind, sizeBytes: found.size, ...((found.mode & othersRead) === 0 ? {} : { readers: 'everybody' }) }
}

/**
 * One directory after another, because Node's own way (`recursive`) retries for ever where nothing can be created, as
 * below /proc.
 */
async function makeWithParents(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: directoryMode })
  } catch (cause) {
    const parent = dirname(path)
    const code = codeOf(cause)
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || parent === path || (await isThere(parent))) throw cause
    await makeWithParents(parent)
    await mkdir(path, { mode: directoryMode })
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return false
    throw cause
  }
}
