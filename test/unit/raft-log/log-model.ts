import type { Result } from '../../../src/base/result.ts'
import { logIndexOf, noTerm, termOf } from '../../../src/model/log-position.ts'
import type { Entry, HardState } from '../../../src/raft/core/types.ts'
import { type LogChange, logChange } from '../../../src/raft/log/durable-log.ts'
import type { RaftOpenFailure } from '../../../src/raft/log/open-failure.ts'
import { createLog } from '../../../src/raft/log/opening.ts'
import { recoverLog } from '../../../src/raft/log/recovery.ts'
import { logFormats } from '../../../src/raft/log/segment-file.ts'
import { SegmentedLog, type SegmentedLogOptions } from '../../../src/raft/log/segmented-log.ts'
import type { CrashDisk } from './crash-disk.ts'
import { type Draws, type FakeEnv, fakeEnv } from './fake-env.ts'

export const directory = '/data/raft/log'

/** What a log says, in the simplest words. */
export interface LogState {
  readonly hardState: HardState
  readonly baseIndex: number
  readonly entries: readonly Entry[]
}

export const emptyState: LogState = { hardState: { term: noTerm, votedFor: undefined }, baseIndex: 0, entries: [] }

export function afterChange(state: LogState, change: LogChange): LogState {
  const hardState = change.hardState ?? state.hardState
  let { baseIndex, entries } = state
  if (change.resetTo !== undefined) {
    baseIndex = change.resetTo.index
    entries = []
  }
  const { truncateFrom } = change
  if (truncateFrom !== undefined) entries = entries.filter(({ index }) => index < truncateFrom)
  return { hardState, baseIndex, entries: [...entries, ...change.entries] }
}

/** The entries from `first` on, as text: what a comparison shows. */
export function shown(state: LogState, first = 1): string {
  const entries = state.entries
    .filter(({ index }) => index >= first)
    .map(({ index, term, kind, payload }) => `${index}:${term}:${kind}:${[...payload].join(',')}`)
  return `${state.hardState.term}/${state.hardState.votedFor ?? ''} ${entries.join(' ')}`
}

export function entryAt(index: number, term: number, bytes: readonly number[] | number = 8): Entry {
  const payload = typeof bytes === 'number' ? new Uint8Array(bytes).fill(index & 255) : Uint8Array.from(bytes)
  return { index: logIndexOf(index), term: termOf(term), kind: 'command', payload }
}

export const smallSegments: SegmentedLogOptions = {
  segmentBytes: 512,
  batchBytes: 1 << 16,
  sealAfterMs: 1000,
  format: logFormats.segments,
}

export interface Opened {
  readonly log: SegmentedLog
  readonly state: LogState
  readonly env: FakeEnv
  readonly failures: unknown[]
  readonly told: readonly ('full' | 'delayed' | 'room')[]
}

/** Opens the log of the disk, making it first if need be. */
export async function openLog(
  disk: CrashDisk,
  options: SegmentedLogOptions = smallSegments,
  seed = 1,
): Promise<Result<Opened, RaftOpenFailure>> {
  const env = fakeEnv(disk, undefined, seed)
  const failures: unknown[] = []
  const told: ('full' | 'delayed' | 'room')[] = []
  await disk.makeDirectory(directory)
  let recovered = await recoverLog(disk, directory)
  if (!recovered.ok) return recovered
  if (recovered.value === undefined) {
    const made = await createLog(env, directory, options)
    if (!made.ok) throw new Error(made.error.message)
    recovered = await recoverLog(disk, directory)
    if (!recovered.ok) return recovered
  }
  if (recovered.value === undefined) throw new Error('a log that was made is found')
  const { log } = recovered.value
  const opened = await SegmentedLog.open(env, directory, recovered.value, undefined, options, {
    batchDurable: () => {},
    notRemoved: () => {},
    full: () => told.push('full'),
    delayed: () => told.push('delayed'),
    room: () => told.push('room'),
    failed: (failure) => failures.push(failure),
  })
  if (!opened.ok) throw new Error(opened.error.message)
  const state = { hardState: log.hardState, baseIndex: log.baseIndex, entries: [...log.entries] }
  return { ok: true, value: { log: opened.value, state, env, failures, told } }
}

/** Makes one change durable. */
export function persist(log: SegmentedLog, change: LogChange): Promise<void> {
  return new Promise((resolve) => {
    log.write(change, resolve)
    log.flush()
  })
}

/** A plausible next change to a log in this state. */
export function drawChange(state: LogState, draws: Draws): LogChange {
  const last = state.entries.at(-1)?.index ?? state.baseIndex
  const { term } = state.hardState
  const kind = draws.below(8)
  if (kind === 0)
    return logChange({ hardState: { term: termOf(term + 1), votedFor: draws.below(2) === 0 ? undefined : 'node-b' } })
  if (kind === 1 && last > state.baseIndex) {
    const from = last - draws.below(Math.min(4, last - state.baseIndex))
    return logChange({
      hardState: { term: termOf(term + 1), votedFor: undefined },
      truncateFrom: logIndexOf(from),
      entries: [drawEntry(from, term + 1, draws)],
    })
  }
  if (kind === 2 && draws.below(4) === 0)
    return logChange({ resetTo: { index: logIndexOf(last + 5), term: termOf(Math.max(1, term)) } })
  const count = 1 + draws.below(3)
  return logChange({
    entries: Array.from({ length: count }, (_, i) => drawEntry(last + 1 + i, Math.max(1, term), draws)),
  })
}

function drawEntry(index: number, term: number, draws: Draws): Entry {
  return entryAt(
    index,
    term,
    Array.from({ length: draws.below(90) }, () => draws.below(256)),
  )
}

/** Where the last batch of a segment ends, which must not end in zeros: the rest was allocated and not used. */
export function contentEnd(bytes: Uint8Array): number {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return end
}

/** The same bytes as if nothing had been written from `end` on. */
export function unwrittenFrom(bytes: Uint8Array, end: number): Uint8Array {
  return bytes.slice().fill(0, end)
}
