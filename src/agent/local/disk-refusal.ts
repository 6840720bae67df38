import type { DiskFailure } from '../../env/disk.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { StartFailure } from '../agent.ts'

/** A change that could not be written to disk. */
export function diskRefusal(failure: DiskFailure): Failure {
  return { kind: 'refused', message: `data_dir: ${failure.path}: ${failure.message}` }
}

/** Stored data cannot be read; no definition is at fault. */
export function unreadable(failure: Failure): StartFailure {
  const remedy = 'mend the disk, or let this user read the data directory'
  return { kind: 'data-directory', message: failureText(failure), remedy }
}
