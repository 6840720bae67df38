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
  ['EMFILE', 'no-descriptor'],
  ['ENFILE', 'no-descriptor'],
])

function diskFailure(path: string, cause: unknown): DiskFailure {
  const kind = kinds.get(codeOf(cause))
  return kind === undefined ? troubled(path, cause) : { kind, path, message: messageOf(cause) }
}

/** The path alone does not say what the disk could not do. */
function troubled(path: string, cause: unknown): DiskFailure {
  const operation =
    cause instanceof Error && 'syscall' in cause && typeof cause.syscall === 'string' ? cause.syscall : ''
  return { kind: 'io', path, message: operation === '' ? messageOf(cause) : `${operation}: ${messageOf(cause)}` }
}

export function isWithoutRoom(cause: unknown): boolean {
  return kinds.get(codeOf(cause)) === 'full'
}

/** Whatever error the operating system reports, the content of the disk is unknown now. */
export function failedSync(path: string, cause: unknown): Result<never, DiskFailure> {
  return err(troubled(path, cause))
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
