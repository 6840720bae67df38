import { utf8 } from '../../base/bytes.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { Configuration, Recovered, ServerId } from '../core/types.ts'
import { placeFile, removeFiles } from '../log/disk-steps.ts'
import { diskFailureText, diskTrouble, type RaftOpenFailure, unusableFile } from '../log/open-failure.ts'
import { type Forced, forceConfiguration, isForced } from './forced-configuration.ts'
import { readPeers } from './peers-json.ts'

const peersName = 'peers.json'
const markerName = 'peers.info'
/** Maximum size; a larger file is not a list of servers. */
const peersBytesMax = 1 << 20

/** For a release that always keeps `peers.json`, the file has no meaning. */
export const noOutage: Outage = { marked: true, file: undefined, wanted: undefined, forced: undefined }

/** What an operator left for this start. */
export interface Outage {
  /** An earlier start wrote the marker: `peers.json` is meant for a recovery. */
  readonly marked: boolean
  /** The content of `peers.json`. Undefined: there is no such file, or it must not be read. */
  readonly file: Uint8Array | undefined
  /** The configuration in it. */
  readonly wanted: Configuration | undefined
  /** The configuration that the log must take before anything else. */
  readonly forced: Forced | undefined
}

/**
 * Looks for `peers.json` in the directory `raft` and refuses one that cannot be followed. Changes nothing. Without the
 * marker, the file is one that a release before 0.7 always kept, and is not read. Source: release notes, 0.7.
 */
export async function findOutage(
  disk: Disk,
  directory: string,
  own: { readonly id: ServerId; readonly protocol: number },
  recovered: Recovered,
): Promise<Result<Outage, RaftOpenFailure>> {
  const marked = await isThere(disk, `${directory}/${markerName}`)
  if (!marked.ok) return marked
  const path = `${directory}/${peersName}`
  const bytes = marked.value ? await readPeersFile(disk, path) : ok(undefined)
  if (!bytes.ok) return bytes
  const file = bytes.value
  if (file === undefined) return ok({ ...noOutage, marked: marked.value })
  const wanted = readPeers(path, file, own)
  if (!wanted.ok) return wanted
  if (isForced(recovered, wanted.value)) return ok({ marked: true, file, wanted: wanted.value, forced: undefined })
  const forced = forceConfiguration(recovered, wanted.value)
  if (!forced.ok) return err(unusableFile(`${path}:1`, forced.error, freshRemedy))
  return ok({ marked: true, file, wanted: wanted.value, forced: forced.value })
}

const freshRemedy =
  'nothing was changed: remove the file, and let this server join those that remain with an empty data directory'

async function isThere(disk: Disk, path: string): Promise<Result<boolean, RaftOpenFailure>> {
  const found = await disk.stat(path)
  if (found.ok) return ok(true)
  return found.error.kind === 'not-found' ? ok(false) : err(diskTrouble(found.error))
}

async function readPeersFile(disk: Disk, path: string): Promise<Result<Uint8Array | undefined, RaftOpenFailure>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return file.error.kind === 'not-found' ? ok(undefined) : err(diskTrouble(file.error))
  const bytes = await file.value.read(0, peersBytesMax)
  await file.value.close()
  return bytes.ok ? bytes : err(diskTrouble(bytes.error))
}

/**
 * Finishes what `findOutage` found, once the log has `forced`. If the power fails at any time:
 * 1. The forced entry and the new term are one batch of the log: there as a whole or not at all.
 * 2. `peers.json` is deleted only when that batch is durable; if it is found again after that, its entry identifies it.
 *    That holds only while the log ends with this entry. So if it is not certain that the file is gone for good, it is
 *    put back, and the server does not start: the next start removes it again.
 * 3. A file that must not be read is durably removed before the marker exists that would have it read.
 */
export async function settleOutage(
  env: Pick<Env, 'disk' | 'log'>,
  directory: string,
  { marked, file }: Outage,
): Promise<Result<undefined, DiskFailure>> {
  const { disk, log } = env
  const path = `${directory}/${peersName}`
  if (marked && file === undefined) return done
  if (marked) {
    const removed = await removeFiles(disk, directory, [path])
    if (removed.ok) log.write('info', 'raft', 'deleted peers.json file after successful recovery')
    else if (file !== undefined) await placeFile(disk, directory, peersName, file)
    return removed
  }
  const stale = await disk.stat(path)
  if (stale.ok) log.write('warn', 'raft', 'deleting peers.json file unread, see peers.info for details')
  const cleared = await removeFiles(disk, directory, [path])
  return cleared.ok ? placeMarker(disk, directory) : cleared
}

/**
 * A new marker also renews the names beside it, of which a start that failed before may not have been sure: those of
 * the log and of the snapshots. So one that may not be durable must not stay.
 */
async function placeMarker(disk: Disk, directory: string): Promise<Result<undefined, DiskFailure>> {
  const placed = await placeFile(disk, directory, markerName, utf8(howTo))
  if (!placed.ok) await disk.remove(`${directory}/${markerName}`)
  return placed
}

const howTo = `peers.json is there for recovery after an outage alone: when so many servers are lost for good that the rest
cannot elect a leader. It is no longer kept while servers run. This file marks that a peers.json found beside it is meant;
without this file one would be deleted unread, as a leftover of an old release. Leave it where it is.

What to do:
1. Stop all servers that remain. Make sure that those which are lost never start again with their old data.
2. Write peers.json beside this file, the same on every server that remains, with exactly those servers: their node IDs
   (file node-id in the data directory) and the addresses of their server ports:

   [
     { "id": "adf4238a-882b-9ddc-4a9d-5b6758e4159e", "address": "10.1.0.1:8300", "non_voter": false },
     { "id": "8b6dda82-3103-11e7-93ae-92361f002671", "address": "10.1.0.2:8300", "non_voter": false }
   ]

   A server that is started with raft_protocol 2 or less is named by its address, and takes a list of addresses alone:

   ["10.1.0.1:8300", "10.1.0.2:8300"]

3. Start them. Each follows the file once, and deletes it.

Writes that only lost servers had are lost.
`

/**
 * The list of addresses that releases before 0.7 always kept in `peers.json`. Nothing reads it here: a later release
 * finds it when it starts for the first time, and must not mistake it for a recovery. Spec: RFT-015.
 */
export class KeptPeers {
  readonly #env: Pick<Env, 'disk' | 'log' | 'detach'>
  readonly #directory: string
  #wanted: Configuration | undefined
  #writing = false

  constructor(env: Pick<Env, 'disk' | 'log' | 'detach'>, directory: string) {
    this.#env = env
    this.#directory = directory
  }

  /** Writes it, and after that only the newest configuration that came meanwhile. */
  keep(configuration: Configuration): void {
    this.#wanted = configuration
    if (this.#writing) return
    this.#writing = true
    this.#env.detach(this.#write())
  }

  async #write(): Promise<void> {
    while (this.#wanted !== undefined) {
      const text = JSON.stringify(this.#wanted.servers.map(({ address }) => address))
      this.#wanted = undefined
      const placed = await placeFile(this.#env.disk, this.#directory, peersName, utf8(text))
      if (placed.ok) continue
      this.#env.log.write('warn', 'raft', 'peers.json is no longer kept up to date: see peers.info', {
        why: diskFailureText(placed.error),
      })
    }
    this.#writing = false
  }
}
