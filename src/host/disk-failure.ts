import { err, type Result } from '../base/result.ts'
import type { DiskFailure, DiskFailureKind } from '../env/disk.ts'
import { codeOf, messageOf } from './system-error.ts'

const kinds: ReadonlyMap<string, DiskFailureKind> = new Map([
  ['ENOENT', 'not-found'],
  ['EEXIST', 'exists'],
  ['EACCES', 'permission'],
  ['EPERM', 'permission'],
  ['EROFS', 'permission'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['ENOTDIR', 'not-directory'],
  ['EISDIR', 'is-directory'],
])

function diskFailure(path: string, cause: unknown): DiskFailure {
  return { kind: kinds.get(codeOf(cause)) ?? 'io', path, message: messageOf(cause) }
}

export function isWithoutRoom(cause: unknown): boolean {
  return kinds.get(codeOf(cause)) === 'full'
}

/** Whatever error the operating system reports, the content of the disk is unknown now. */
export function failedSync(path: string, cause: unknown): Result<never, DiskFailure> {
  return err({ kind: 'io', path, message: messageOf(cause) })
}

/** Runs file work; a rejection of Node becomes a value. */
export async function attempt<T>(
  path: string,
  work: () => Promise<Result<T, DiskFailure>>,
): Promise<Result<T, DiskFailure>> {
  try {
    return await work()
  } catch (cause) {
    return err(diskFailure(path, cause))
  }
}
