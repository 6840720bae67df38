import { concatBytes } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'
import { pause } from '../../model/pause.ts'
import type { CallOptions } from '../contract/call.ts'
import type { ReadMeta, ReadOptions } from '../contract/reading.ts'
import type { WithServerCalls, WithWrites } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { ArchiveReader, ArchiveWriter } from './archive.ts'
import { pieceBytesMax } from './commands.ts'
import {
  abandonEndpoint,
  beginEndpoint,
  closeEndpoint,
  commitEndpoint,
  nextEndpoint,
  openEndpoint,
  pieceEndpoint,
} from './endpoint.ts'
import { type ArchiveMeta, archiveBytesMax, stateBytesMax } from './model.ts'

/** A complete archive of the state, and where it was taken. */
export interface Saved {
  readonly archive: Uint8Array
  readonly meta: ReadMeta
}

/** Reads the state from the server that opened it, and compresses it. All of it is of one index. */
export async function saveState(
  context: WithEnv & WithServerCalls,
  read: ReadOptions,
  call: CallOptions,
): Promise<Result<Saved, Failure>> {
  const { env } = context
  const stale = read.consistency === 'stale'
  const opened = await context.ask(openEndpoint, { stale }, read, call)
  if (!opened.ok) return opened
  const { id, term, meta, configurationIndex, servers } = opened.value
  const packed = await packState(context, id, read, call)
  if (!packed.ok) {
    const closed = await context.ask(closeEndpoint, { id }, read, whereOf(call))
    if (!closed.ok) env.log.write('debug', 'snapshot', 'a snapshot is left to be closed', { id })
    return packed
  }
  const wallMs = Math.trunc(env.clock.wallMs())
  const told = { id: `${term}-${meta.index}-${wallMs}`, index: meta.index, term, configurationIndex, servers }
  return ok({ archive: await inOne(env, packed.value.finish(told, Math.trunc(wallMs / 1_000))), meta })
}

/** Reads an opened state to its end, or until the caller has gone. */
async function packState(
  context: WithEnv & WithServerCalls,
  id: string,
  read: ReadOptions,
  call: CallOptions,
): Promise<Result<ArchiveWriter, Failure>> {
  const { env } = context
  const writer = new ArchiveWriter(env.crypto)
  const gone = goneOf(call)
  for (let offset = 0; ; ) {
    if (gone()) return err({ kind: 'cancelled' })
    const piece = await context.ask(nextEndpoint, { id, offset }, read, call)
    if (!piece.ok) return piece
    if (piece.value.length === 0) return ok(writer)
    // If this agent is the server, it has just worked on the piece: yield.
    await pause(env, 0)
    offset += piece.value.length
    if (offset > stateBytesMax) return err({ kind: 'too-large', message: `the state exceeds ${stateBytesMax} bytes` })
    for (let at = 0; at < piece.value.length; at += sliceBytes) {
      writer.state(piece.value.subarray(at, at + sliceBytes))
      await pause(env, 0)
    }
    if (writer.writtenBytes > archiveBytesMax) return err({ kind: 'too-large', message: tooLarge })
  }
}

/** Number of bytes copied before yielding: new memory costs more than the copy. */
const copiedBytes = 1 << 20

async function inOne(env: Env, parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  let turnAt = copiedBytes
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
    if (at < turnAt) continue
    turnAt = at + copiedBytes
    await pause(env, 0)
  }
  return whole
}

/** Returns whether the caller has gone. */
function goneOf(call: CallOptions): () => boolean {
  let gone = false
  call.onAbort?.(() => {
    gone = true
  })
  return () => gone
}

/** Number of bytes processed before yielding: a millisecond or two. */
const sliceBytes = 64 << 10
const tooLarge = `the snapshot exceeds ${archiveBytesMax} bytes`

/**
 * Checks an archive from beginning to end, then uploads it piece by piece, and replaces the state. A failure, or a
 * caller that leaves, before the last step has changed nothing.
 */
export async function restoreState(
  context: WithEnv & WithWrites,
  archive: Uint8Array,
  call: CallOptions,
): Promise<Result<number, Failure>> {
  const gone = goneOf(call)
  const checked = await checkArchive(context.env, archive, undefined, gone)
  if (gone()) return err({ kind: 'cancelled' })
  if (!checked.ok) return err({ kind: 'bad-request', message: checked.error })
  const { sizeBytes } = checked.value
  const id = uuidOf(context.env.crypto.randomBytes(16, 'transfer'))
  const begun = await context.write(beginEndpoint, { id, sizeBytes }, call)
  if (!begun.ok) return begun
  const brought = await bring(context, archive, id, call, gone)
  const replaced = brought.ok ? await context.write(commitEndpoint, { id }, call) : brought
  if (replaced.ok) return replaced
  const abandoned = await context.write(abandonEndpoint, { id }, whereOf(call))
  if (!abandoned.ok) context.env.log.write('debug', 'snapshot', 'a restore is left to be given up', { id })
  return replaced
}

/** The same datacenter and token, without the caller's cancellation. */
function whereOf({ datacenter, token }: CallOptions): CallOptions {
  return { ...(datacenter === undefined ? {} : { datacenter }), ...(token === undefined ? {} : { token }) }
}

/** The metadata of the archive, if it is valid. The error is one line. */
export async function checkArchive(
  env: Env,
  archive: Uint8Array,
  state?: (bytes: Uint8Array) => void,
  gone?: () => boolean,
): Promise<Result<ArchiveMeta, string>> {
  const reader = new ArchiveReader(env.crypto, archive, state)
  for (;;) {
    const read = reader.step()
    if (read !== undefined) return read
    if (gone?.() === true) return err('no caller waits for it any more')
    await pause(env, 0)
  }
}

/** Reads the archive a second time, so that its whole state need not be held in memory. */
async function bring(
  context: WithEnv & WithWrites,
  archive: Uint8Array,
  id: string,
  call: CallOptions,
  gone: () => boolean,
): Promise<Result<undefined, Failure>> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let offset = 0
  const reader = new ArchiveReader(context.env.crypto, archive, (bytes) => {
    held.push(bytes)
    heldBytes += bytes.length
  })
  for (;;) {
    const read = reader.step()
    const isOver = read !== undefined
    while (heldBytes >= pieceBytesMax || (isOver && heldBytes > 0)) {
      const all = concatBytes(held)
      const bytes = all.subarray(0, pieceBytesMax)
      held = [all.subarray(bytes.length)]
      heldBytes -= bytes.length
      const put = await context.write(pieceEndpoint, { id, offset, bytes }, call)
      if (!put.ok) return put
      offset += bytes.length
    }
    if (gone()) return err({ kind: 'cancelled' })
    if (isOver) return read.ok ? ok(undefined) : err({ kind: 'bad-request', message: read.error })
    await pause(context.env, 0)
  }
}
