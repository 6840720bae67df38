import type { DiskFailure } from '../../env/disk.ts'

/** Why a server's part in Raft could not be opened. Each failure is one line; `remedy` says what to do about it. */
export interface RaftOpenFailure {
  readonly kind: 'damaged-log' | 'old-format' | 'configuration' | 'io'
  readonly message: string
  readonly remedy: string
}

const rejoinRemedy =
  'nothing was changed: if other servers are well, remove this one from the cluster and let it join again as a new server, ' +
  'with an empty data directory, never with an older copy of this one; if it is the only voter, bring a snapshot into an ' +
  'empty data directory, or start it once with -accept-lost-log, which continues without what is lost'

/** Bytes that were durable once and differ from what was written. `offset` is the place in the file. */
export function damagedAt(path: string, offset: number, what: string): RaftOpenFailure {
  return { kind: 'damaged-log', message: `${path} is damaged at offset ${offset}: ${what}`, remedy: rejoinRemedy }
}

/** Files that should exist are missing. */
export function missingFiles(path: string, what: string): RaftOpenFailure {
  return { kind: 'damaged-log', message: `${path}: ${what}`, remedy: rejoinRemedy }
}

export function unknownFormat(path: string, what: string): RaftOpenFailure {
  const remedy = 'start the release that wrote it, or start with an empty data directory'
  return { kind: 'old-format', message: `${path}: ${what}`, remedy }
}

/** A file that an operator wrote cannot be followed. `place` is `file:line`. */
export function unusableFile(place: string, what: string, remedy: string): RaftOpenFailure {
  return { kind: 'configuration', message: `${place}: ${what}`, remedy }
}

export function diskTrouble(failure: DiskFailure): RaftOpenFailure {
  return { kind: 'io', message: diskFailureText(failure), remedy: diskRemedies[failure.kind] }
}

/** For people: the operation that failed, and the path. */
export function diskFailureText(failure: DiskFailure): string {
  const what = failure.kind === 'full' ? 'no space left on the disk' : failure.message
  return `${failure.path}: ${what}`
}

const diskRemedies: Record<DiskFailure['kind'], string> = {
  'not-found': 'create its parent directory, or name another data directory with -data-dir',
  exists: 'move it away',
  permission: 'give this user the right to read and write it',
  full: 'free some space on its disk and start again',
  'not-directory': 'move away the file in the place of the directory',
  'is-directory': 'move the directory away',
  locked: 'stop the agent that uses it',
  'no-descriptor': 'raise the limit of open files (ulimit -n, or LimitNOFILE of systemd) and start again',
  io: 'check the disk',
}
