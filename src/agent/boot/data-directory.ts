import { textOf, utf8 } from '../../base/bytes.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { type OldLogs, refuseOldFormat } from '../../raft/log/old-format.ts'
import type { StartFailure } from './lifecycle.ts'
import { readWholeFile, writeWholeFile } from './whole-file.ts'

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A data directory that this agent holds exclusively. */
export interface DataDirectory {
  readonly path: string
  readonly nodeId: string
  release(): Promise<void>
}

export function drawUuid(env: Env): string {
  return uuidOf(env.crypto.randomBytes(16, 'node id'))
}

/**
 * Opens the data directory and creates it if it is missing: takes its lock, and reads the node ID from the file
 * `node-id`, where `freshId` is written if there is none. Refuses a directory that it cannot use before it writes
 * anything.
 */
export async function openDataDirectory(
  env: Env,
  path: string,
  configuredId: string | undefined,
  freshId: string,
  oldLogs: OldLogs | undefined,
): Promise<Result<DataDirectory, StartFailure>> {
  const { refused, isMissing } = await examined(env.disk, path, oldLogs)
  if (refused !== undefined) return err(refused)
  const made = isMissing ? await makeWithParents(env.disk, path) : await env.disk.makeDirectory(path)
  const named = made.ok ? await syncName(env.disk, path) : made
  if (!named.ok) return err(unusable(named.error))
  const lock = await env.disk.lock(`${path}/lock`)
  if (!lock.ok) return err(unusable(lock.error))
  const nodeId = await keepNodeId(env, path, configuredId, freshId)
  if (!nodeId.ok) {
    await lock.value.close()
    return nodeId
  }
  return ok({ path, nodeId: nodeId.value, release: () => lock.value.close() })
}

/**
 * The node ID that an earlier start stored; undefined: none, or the file has something else, which `openDataDirectory`
 * refuses. A file that cannot be read is no missing one: the agent would appear under another ID. Writes nothing.
 */
export async function storedNodeId(env: Env, path: string): Promise<Result<string | undefined, StartFailure>> {
  const found = await readWholeFile(env.disk, `${path}/node-id`)
  if (!found.ok) return found.error.kind === 'not-found' ? ok(undefined) : err(unusable(found.error))
  const stored = textOf(found.value).trim().toLowerCase()
  return ok(uuidShape.test(stored) ? stored : undefined)
}

async function makeWithParents(disk: Disk, path: string): Promise<Result<undefined, DiskFailure>> {
  const parent = parentOf(path)
  const above = await disk.stat(parent)
  if (!above.ok && above.error.kind === 'not-found' && parent !== '.') {
    const made = await makeWithParents(disk, parent)
    const named = made.ok ? await syncName(disk, parent) : made
    if (!named.ok) return named
  }
  return disk.makeDirectory(path)
}

/**
 * Makes the name of a directory durable: otherwise a power cut soon after the first start could lose all of its
 * content. Where this user may not read the parent, another user has prepared the directory there.
 */
async function syncName(disk: Disk, path: string): Promise<Result<undefined, DiskFailure>> {
  const named = await disk.syncDirectory(parentOf(path))
  return named.ok || named.error.kind !== 'permission' ? named : done
}

function parentOf(path: string): string {
  const bare = path.replace(/\/+$/, '')
  const slash = bare.lastIndexOf('/')
  return slash < 0 ? '.' : bare.slice(0, Math.max(slash, 1))
}

/**
 * Why the directory at this path cannot be used; undefined if it can, or does not exist yet. `oldLogs` says what a
 * server does about the log of an old release; a client has no log.
 */
export async function refuseUnusable(
  disk: Disk,
  path: string,
  oldLogs: OldLogs | undefined,
): Promise<StartFailure | undefined> {
  return (await examined(disk, path, oldLogs)).refused
}

interface Examined {
  readonly refused: StartFailure | undefined
  readonly isMissing: boolean
}

async function examined(disk: Disk, path: string, oldLogs: OldLogs | undefined): Promise<Examined> {
  const entry = await disk.stat(path)
  if (!entry.ok && entry.error.kind === 'not-found') return { refused: undefined, isMissing: true }
  if (!entry.ok) return { refused: unusable(entry.error), isMissing: false }
  if (entry.value.kind !== 'directory') return { refused: noDirectory(path), isMissing: false }
  const names = await disk.list(path)
  if (!names.ok) return { refused: unusable(names.error), isMissing: false }
  const refused = oldLogs === undefined ? undefined : await refuseOldFormat(disk, path, oldLogs)
  return { refused, isMissing: false }
}

function noDirectory(path: string): StartFailure {
  return {
    kind: 'data-directory',
    message: `data_dir "${path}" is not a directory`,
    remedy: 'name a directory with -data-dir',
  }
}

async function keepNodeId(
  env: Env,
  path: string,
  configured: string | undefined,
  fresh: string,
): Promise<Result<string, StartFailure>> {
  const file = `${path}/node-id`
  const found = await readWholeFile(env.disk, file)
  if (!found.ok && found.error.kind !== 'not-found') return err(unusable(found.error))
  const stored = found.ok ? textOf(found.value).trim().toLowerCase() : undefined
  if (configured === undefined && stored !== undefined) {
    if (uuidShape.test(stored)) return ok(stored)
    return err({
      kind: 'data-directory',
      message: `${file} does not hold a UUID`,
      remedy: 'restore the file, or give the ID with -node-id',
    })
  }
  const id = configured ?? fresh
  if (id === stored) return ok(id)
  const written = await writeWholeFile(env.disk, path, 'node-id', utf8(id), 'new')
  return written.ok ? ok(id) : err(unusable(written.error))
}

function unusable(failure: DiskFailure): StartFailure {
  const remedies: Record<DiskFailure['kind'], string> = {
    'not-found': 'create its parent directory, or name another data directory with -data-dir',
    exists: 'move it away, or name another with -data-dir',
    permission: 'give this user the right to read and write it, or name another with -data-dir',
    full: 'free some space on its disk',
    'not-directory': 'name a directory with -data-dir',
    'is-directory': 'move the directory away',
    locked: 'another agent uses this data directory: stop it, or name another with -data-dir',
    'no-descriptor': 'raise the limit of open files (ulimit -n, or LimitNOFILE of systemd)',
    io: 'check the disk',
  }
  return {
    kind: 'data-directory',
    message: `data_dir: ${failure.path}: ${failure.message}`,
    remedy: remedies[failure.kind],
  }
}
