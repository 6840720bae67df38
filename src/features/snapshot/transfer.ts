import { concatBytes } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'
import type { AgentContext } from '../contract/agent-context.ts'
import type { CallOptions } from '../contract/call.ts'
import type { ReadMeta, ReadOptions } from '../contract/reading.ts'
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

/** An archive of the state, whole, and where it was taken. */
export interface Saved {
  readonly archive: Uint8Array
  readonly meta: ReadMeta
}

/** Reads the state from the server that opened it, and packs it. All of it stands for one index. */
export async function saveState(
  agent: AgentContext,
  read: ReadOptions,
  call: CallOptions,
): Promise<Result<Saved, Failure>> {
  const { env } = agent
  const stale = read.consistency === 'stale'
  const opened = await agent.ask(openEndpoint, { stale }, read, call)
  if (!opened.ok) return opened
  const { id, term, meta, configurationIndex, servers } = opened.value
  const packed = await packState(agent, id, read, call)
  if (!packed.ok) {
    const closed = await agent.ask(closeEndpoint, { id }, read, whereOf(call))
    if (!closed.ok) env.log.write('debug', 'snapshot', 'a snapshot is left to be closed', { id })
    return packed
  }
  const wallMs = Math.trunc(env.clock.wallMs())
  const told = { id: `${term}-${meta.index}-${wallMs}`, index: meta.index, term, configurationIndex, servers }
  return ok({ archive: await inOne(env, packed.value.finish(told, Math.trunc(wallMs / 1_000))), meta })
}

/** Reads an opened state to its end, or until its caller has gone. */
async function packState(
  agent: AgentContext,
  id: string,
  read: ReadOptions,
  call: CallOptions,
): Promise<Result<ArchiveWriter, Failure>> {
  const { env } = agent
  const writer = new ArchiveWriter(env.crypto)
  const gone = goneOf(call)
  for (let offset = 0; ; ) {
    if (gone()) return err({ kind: 'cancelled' })
    const piece = await agent.ask(nextEndpoint, { id, offset }, read, call)
    if (!piece.ok) return piece
    if (piece.value.length === 0) return ok(writer)
    // Where this agent is the server, it has worked on the piece until now.
    await turn(env)
    offset += piece.value.length
    if (offset > stateBytesMax) return err({ kind: 'too-large', message: `the state exceeds ${stateBytesMax} bytes` })
    for (let at = 0; at < piece.value.length; at += sliceBytes) {
      writer.state(piece.value.subarray(at, at + sliceBytes))
      await turn(env)
    }
    if (writer.writtenBytes > archiveBytesMax) return err({ kind: 'too-large', message: tooLarge })
  }
}

/** Bytes that are copied before others get their turn: new memory costs more than the copy. */
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
    await turn(env)
  }
  return whole
}

/** Says whether the caller has gone. */
function goneOf(call: CallOptions): () => boolean {
  let gone = false
  call.onAbort?.(() => {
    gone = true
  })
  return () => gone
}

/** Bytes worked on before others get their turn: a millisecond or two. */
const sliceBytes = 64 << 10
const tooLarge = `the snapshot exceeds ${archiveBytesMax} bytes`

/** Lets whatever else is due have its turn. */
async function turn(env: Env): Promise<void> {
  const deferred = env.deferred<void>()
  env.timers.after(0, () => deferred.resolve())
  await deferred.promise
}

/**
 * Checks an archive from its beginning to its end, then brings it piece by piece, and has it take the place of the state. What
 * fails before the last step has changed nothing, and so has what a caller left before it.
 */
export async function restoreState(
  agent: AgentContext,
  archive: Uint8Array,
  call: CallOptions,
): Promise<Result<number, Failure>> {
  const gone = goneOf(call)
  const checked = await checkArchive(agent.env, archive, undefined, gone)
  if (gone()) return err({ kind: 'cancelled' })
  if (!checked.ok) return err({ kind: 'bad-request', message: checked.error })
  const { sizeBytes } = checked.value
  const id = uuidOf(agent.env.crypto.randomBytes(16))
  const begun = await agent.write(beginEndpoint, { id, sizeBytes }, call)
  if (!begun.ok) return begun
  const brought = await bring(agent, archive, id, call, gone)
  const replaced = brought.ok ? await agent.write(commitEndpoint, { id }, call) : brought
  if (replaced.ok) return replaced
  const abandoned = await agent.write(abandonEndpoint, { id }, whereOf(call))
  if (!abandoned.ok) agent.env.log.write('debug', 'snapshot', 'a restore is left to be given up', { id })
  return replaced
}

/** The same datacenter and the same rights, though the caller may have gone. */
function whereOf({ datacenter, token }: CallOptions): CallOptions {
  return { ...(datacenter === undefined ? {} : { datacenter }), ...(token === undefined ? {} : { token }) }
}

/** What the archive says of itself, if it is whole. The error is one line. */
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
    if (gone?.() === true) return err('nobody waits for it')
    await turn(env)
  }
}

/** The archive is read a second time rather than its state held all at once. */
async function bring(
  agent: AgentContext,
  archive: Uint8Array,
  id: string,
  call: CallOptions,
  gone: () => boolean,
): Promise<Result<undefined, Failure>> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let offset = 0
  const reader = new ArchiveReader(agent.env.crypto, archive, (bytes) => {
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
      const put = await agent.write(pieceEndpoint, { id, offset, bytes }, call)
      if (!put.ok) return put
      offset += bytes.length
    }
    if (gone()) return err({ kind: 'cancelled' })
    if (isOver) return read.ok ? ok(undefined) : err({ kind: 'bad-request', message: read.error })
    await turn(agent.env)
  }
}
