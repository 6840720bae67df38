import { features } from '../../agent/assembly/features.ts'
import { removeFile, writeWholeFile } from '../../agent/boot/whole-file.ts'
import { hex } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { type ArchiveMeta, archiveBytesMax } from '../../features/snapshot/model.ts'
import { checkArchive } from '../../features/snapshot/transfer.ts'
import { StateRecords } from '../../store/state-records.ts'
import type { Row, TableDefinition } from '../../store/types.ts'
import type { TellBytes } from '../progress.ts'

/** The part of a state that one type of record takes. */
export interface TypeSize {
  readonly type: string
  readonly rows: number
  readonly bytes: number
}

/**
 * Reads the metadata of an archive and the sizes of its types, the largest first. `told` hears how many bytes of the
 * state were read. The error is one line.
 */
export async function readArchive(
  env: Env,
  archive: Uint8Array,
  told?: TellBytes,
): Promise<Result<{ readonly meta: ArchiveMeta; readonly types: readonly TypeSize[] }, string>> {
  const sizes = new Map<string, { rows: number; bytes: number }>()
  let doneBytes = 0
  const meta = await eachRecord(env, archive, (table, record) => {
    const size = sizes.get(table) ?? { rows: 0, bytes: 0 }
    sizes.set(table, { rows: size.rows + 1, bytes: size.bytes + record.length })
    doneBytes += record.length
    told?.(doneBytes)
  })
  if (!meta.ok) return meta
  const types = [...sizes].map(([type, size]) => ({ type, ...size }))
  return ok({ meta: meta.value, types: types.sort((a, b) => b.bytes - a.bytes || (a.type < b.type ? -1 : 1)) })
}

export interface TypeChanges {
  readonly type: string
  readonly added: number
  readonly removed: number
  readonly changed: number
}

/** The effect of replacing `now` by `next`, by type in order of name, including unchanged types. */
export async function compareArchives(
  env: Env,
  now: Uint8Array,
  next: Uint8Array,
): Promise<Result<readonly TypeChanges[], string>> {
  const tables = new Map(features.flatMap((feature) => feature.tables ?? []).map((table) => [table.name, table]))
  const digest = (record: Uint8Array): string => hex(env.crypto.sha256(record))
  const before = new Map<string, Map<string, string>>()
  const faults: string[] = []
  const keyed = (table: string, record: Uint8Array): string => {
    const key = keyOf(tables.get(table), record)
    if (key === undefined && faults.length === 0) faults.push(`a row of ${table} cannot be read`)
    return key ?? ''
  }
  const first = await eachRecord(env, now, (table, record) => {
    const rows = before.get(table) ?? new Map<string, string>()
    before.set(table, rows.set(keyed(table, record), digest(record)))
  })
  if (!first.ok) return first
  const changes = new Map<string, { added: number; changed: number }>()
  for (const type of before.keys()) changes.set(type, { added: 0, changed: 0 })
  const second = await eachRecord(env, next, (table, record) => {
    const counts = changes.get(table) ?? { added: 0, changed: 0 }
    changes.set(table, counts)
    const [rows, key] = [before.get(table), keyed(table, record)]
    const known = rows?.get(key)
    if (known === undefined) counts.added++
    else if (known !== digest(record)) counts.changed++
    rows?.delete(key)
  })
  if (!second.ok) return second
  if (faults[0] !== undefined) return err(faults[0])
  const types = [...changes].sort(([a], [b]) => (a < b ? -1 : 1))
  return ok(types.map(([type, { added, changed }]) => ({ type, added, removed: before.get(type)?.size ?? 0, changed })))
}

async function eachRecord(
  env: Env,
  archive: Uint8Array,
  use: (table: string, record: Uint8Array) => void,
): Promise<Result<ArchiveMeta, string>> {
  const records = new StateRecords(use)
  const meta = await checkArchive(env, archive, (bytes) => records.write(bytes))
  if (!meta.ok) return meta
  const state = records.finish()
  return state.ok ? meta : state
}

/** The key of a row; undefined: this release has no such table, or cannot read the row. */
function keyOf(table: TableDefinition<Row> | undefined, record: Uint8Array): string | undefined {
  const row = table === undefined ? undefined : StateRecords.row(table, record)
  return row === undefined ? undefined : table?.key(row)
}

/** The error is one line. */
export async function readArchiveFile(disk: Disk, path: string): Promise<Result<Uint8Array, string>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err(`open ${path}: ${file.error.message}`)
  const bytes = await file.value.read(0, archiveBytesMax + 1)
  await file.value.close()
  if (!bytes.ok) return err(`read ${path}: ${bytes.error.message}`)
  return bytes.value.length > archiveBytesMax ? err(`${path} exceeds ${archiveBytesMax} bytes`) : bytes
}

/**
 * Writes a temporary file, syncs it and renames it, so the path has the earlier file or the whole archive. Only the
 * owner may read it.
 */
export async function writeArchiveFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
): Promise<Result<undefined, string>> {
  const slash = path.lastIndexOf('/')
  const directory = slash < 0 ? '.' : path.slice(0, Math.max(slash, 1))
  const written = await writeWholeFile(disk, directory, path.slice(slash + 1), bytes, 'new')
  if (written.ok) return written
  // The operator's next attempt may have another name: what has been written would keep its secrets, and its place.
  await removeFile(disk, directory, `${path.slice(slash + 1)}.tmp`, false)
  return err(`write ${path}: ${written.error.message}`)
}
