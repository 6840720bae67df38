import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { err, ok, type Result } from '../base/result.ts'
import type { DiskFailure } from '../env/disk.ts'
import { isAlive, type LockHolder, parseHolder, thisProcess, writeHolder } from './lock-holder.ts'
import { codeOf } from './system-error.ts'

/** Maximum number of retries when a lock was released or taken over while it was examined. */
const roundsMax = 100
/** Maximum depth: each level is the lock on taking over the level above, whose holder died just while doing that. */
const takeoversMax = 4

type Lock = { close(): Promise<void> }

/**
 * A lock is a file that names its holder: process, start of that process, boot of the machine. Node cannot `flock`, so
 * the argument that two processes never hold it rests on `link` and `rename`:
 * 1. A holder's name is written to a separate file and linked into place. `link` fails if the file exists, so only one
 *    process takes a free lock, and every reader of the file reads all of it. A torn or empty file was left by a power
 *    cut: its holder is dead.
 * 2. A dead holder's file is replaced only by the holder of a second lock, whose name is a digest of that file. Under
 *    that lock the file is read again: if it still has these bytes, no other process may replace it now. (Every holder
 *    writes unique bytes, so a replaced file never looks the same.)
 * 3. Only the holder touches a live holder's file.
 * This holds among processes that see one another's process IDs: containers of one machine must not share a data
 * directory.
 */
export async function takeLock(path: string, depth = 0): Promise<Result<Lock, DiskFailure>> {
  const mine = writeHolder(await thisProcess(randomUUID()))
  for (let round = 0; round < roundsMax; round++) {
    if (await placed(path, mine)) return ok(lockAt(path, mine))
    const found = await contentOf(path)
    if (found === undefined) continue
    const holder = parseHolder(found)
    if (holder !== undefined && (await isAlive(holder))) return err(lockedBy(path, holder))
    if (depth === takeoversMax) break
    const takeover = await takeLock(`${path}.${digestOf(found)}`, depth + 1)
    if (!takeover.ok) return err({ ...takeover.error, path })
    const replaced = (await contentOf(path)) === found
    if (replaced) await place(path, mine, rename)
    await takeover.value.close()
    if (replaced) return ok(lockAt(path, mine))
  }
  return err({ kind: 'locked', path, message: 'other processes keep locking it' })
}

function lockAt(path: string, mine: string): Lock {
  let closing: Promise<void> | undefined
  const release = async (): Promise<void> => {
    if ((await contentOf(path)) === mine) await unlink(path)
  }
  return {
    close: () => {
      // A lock file that cannot be removed names a process that is about to end: the next one finds it free.
      closing ??= release().catch(() => undefined)
      return closing
    },
  }
}

async function placed(path: string, mine: string): Promise<boolean> {
  try {
    await place(path, mine, link)
    return true
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false
    throw cause
  }
}

async function place(path: string, mine: string, put: (from: string, to: string) => Promise<void>): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  await writeFile(aside, mine, { flag: 'wx', mode: 0o600 })
  try {
    await put(aside, path)
  } finally {
    await unlink(aside).catch((cause: unknown) => {
      if (codeOf(cause) !== 'ENOENT') throw cause
    })
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}

function lockedBy(path: string, holder: LockHolder): DiskFailure {
  return { kind: 'locked', path, message: `held by process ${holder.pid}` }
}
