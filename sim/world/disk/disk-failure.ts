import { type Err, err } from '../../../src/base/result.ts'
import type { DiskFailure, DiskFailureKind } from '../../../src/env/disk.ts'

/** The message that an operating system would give. */
const texts: Record<DiskFailureKind, string> = {
  'not-found': 'no such file or directory',
  exists: 'file exists',
  permission: 'permission denied',
  full: 'no space left on device',
  'not-directory': 'not a directory',
  'is-directory': 'illegal operation on a directory',
  locked: 'held by this process',
  'no-descriptor': 'too many open files',
  io: 'input/output error',
}

export function diskFailure(kind: DiskFailureKind, path: string): Err<DiskFailure> {
  return err({ kind, path, message: texts[kind] })
}
