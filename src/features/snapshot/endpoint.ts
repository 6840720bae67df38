import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { firstChange, greater } from '../../model/log-position.ts'
import { asks, refusedUnlessAllowed } from '../contract/access.ts'
import type { ServerEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { bytes, count } from '../contract/fields.ts'
import type { ReadMeta } from '../contract/reading.ts'
import { nothingReply, readMeta } from '../contract/reply.ts'
import type { WithConsensus, WithProposals, WithState, WithWholeState } from '../contract/server-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import {
  pieceBytesMax,
  type RestoreOutcome,
  restoreAbandon,
  restoreBegin,
  restorePiece,
  restoreTake,
  type StepOutcome,
  superseded,
} from './commands.ts'
import { type ArchivedServer, drawnBytes, stateBytesMax } from './model.ts'
import { comingState } from './views.ts'

/** The part of the server that these endpoints use. */
type SnapshotServer = WithEnv & WithState & WithProposals & WithWholeState & WithConsensus

/** An opened state, and the metadata of its archive. */
export interface OpenedArchive {
  readonly id: string
  readonly meta: ReadMeta
  readonly term: number
  readonly configurationIndex: number
  readonly servers: readonly ArchivedServer[]
}

const openedArchive = z.object({
  id: z.string(),
  meta: readMeta,
  term: count,
  configurationIndex: count,
  servers: z.array(z.object({ id: z.string(), address: z.string(), voter: z.boolean() })),
})

/** Requires management rights: the whole state contains every secret. */
const manages = asks<unknown>((authorizer) => refusedUnlessAllowed(authorizer, 'acl', '', 'write'))

const openArgs = z.object({ stale: z.boolean() })

/** The present state: the leader's or, if it may be stale, that of the asked server. */
export const openEndpoint: ServerEndpoint<z.infer<typeof openArgs>, OpenedArchive, WithWholeState & WithConsensus> = {
  method: 'Snapshot.Open',
  kind: 'server',
  args: openArgs,
  reply: openedArchive,
  access: manages,
  leader: true,
  serve: async (server, { stale }) => {
    const leads = stale ? ok(undefined) : await server.leads()
    if (!leads.ok) return leads
    const opened = server.archives.open()
    if (!opened.ok) return opened
    const { term, leader, role, lastContactMs, configuration, configurationIndex } = server.raft.status()
    return ok({
      id: opened.value.id,
      meta: {
        index: greater(firstChange, opened.value.index),
        knownLeader: leader !== undefined,
        lastContactMs: role === 'leader' ? 0 : Math.round(lastContactMs ?? 0),
      },
      term,
      configurationIndex,
      servers: configuration.servers.map(({ id, address, suffrage }) => ({ id, address, voter: suffrage === 'voter' })),
    })
  },
}

const nextArgs = z.object({ id: z.string(), offset: count })

/** The bytes from there on, about 128 KiB; none at the end. Must be sent to the server that opened the state. */
export const nextEndpoint: ServerEndpoint<z.infer<typeof nextArgs>, Uint8Array, WithWholeState> = {
  method: 'Snapshot.Next',
  kind: 'server',
  args: nextArgs,
  reply: bytes,
  access: manages,
  leader: true,
  serve: (server, { id, offset }) => Promise.resolve(server.archives.next(id, offset)),
}

const closeArgs = z.object({ id: z.string() })

/** The caller has finished. Must be sent to the server that opened the state. */
export const closeEndpoint: ServerEndpoint<z.infer<typeof closeArgs>, null, WithWholeState> = {
  method: 'Snapshot.Close',
  kind: 'server',
  args: closeArgs,
  reply: nothingReply,
  access: manages,
  leader: true,
  serve: (server, { id }) => {
    server.archives.close(id)
    return Promise.resolve(ok(null))
  },
}

const restoreArgs = z.strictObject({})

/** Whether the caller may replace the state there: asked before anything of the archive is looked at. */
export const mayRestoreEndpoint: ServerEndpoint<z.infer<typeof restoreArgs>, null, unknown> = {
  method: 'Snapshot.MayRestore',
  kind: 'server',
  args: restoreArgs,
  reply: nothingReply,
  access: manages,
  leader: true,
  serve: () => Promise.resolve(ok(null)),
}

const id = z.string().min(1).max(64)
const beginArgs = z.object({ id, sizeBytes: count.max(stateBytesMax) })

export const beginEndpoint: WriteEndpoint<z.infer<typeof beginArgs>, null, WithProposals> = {
  method: 'Snapshot.RestoreBegin',
  kind: 'write',
  args: beginArgs,
  reply: nothingReply,
  access: manages,
  serve: async (server, args, identity) => stepped(await server.propose(restoreBegin, args, identity)),
}

const pieceArgs = z.object({
  id,
  offset: count,
  bytes: bytes.refine((piece) => piece.length <= pieceBytesMax, 'too long'),
})

export const pieceEndpoint: WriteEndpoint<z.infer<typeof pieceArgs>, null, WithProposals & WithWholeState> = {
  method: 'Snapshot.RestorePiece',
  kind: 'write',
  args: pieceArgs,
  reply: nothingReply,
  access: manages,
  serve: async (server, args, identity) => {
    const put = stepped(await server.propose(restorePiece, args, identity))
    const fault = put.ok ? server.coming.fault() : undefined
    return fault === undefined ? put : err({ kind: 'bad-request', message: fault })
  },
}

const endArgs = z.object({ id })

/**
 * Returns the index at which the state was replaced. A state that this server cannot read is not committed
 * (commands.ts).
 */
export const commitEndpoint: WriteEndpoint<z.infer<typeof endArgs>, number, SnapshotServer> = {
  method: 'Snapshot.RestoreCommit',
  kind: 'write',
  args: endArgs,
  reply: count,
  access: manages,
  serve: async (server, args, identity) => {
    // A new leader has all the pieces only after it has applied the first entry of its own term: before that it might
    // check an incomplete state.
    const leads = await server.leads()
    if (!leads.ok) return leads
    if (comingState(server.read())?.id === args.id) {
      const checked = await server.coming.check()
      if (!checked.ok) return err({ kind: 'bad-request', message: checked.error })
    }
    const { clock, crypto } = server.env
    const by = { nowMs: clock.wallMs(), drawn: crypto.randomBytes(drawnBytes, 'restore') }
    const outcome = await server.propose(restoreTake, { ...args, by }, identity)
    if (!outcome.ok) return outcome
    return taken(outcome.value)
  },
  // The state that takes the place of this one may not have the caller's token.
  repeated: (server, _args, identity) => {
    const before = server.earlier(restoreTake, identity)
    return before?.ok === true ? taken(before.value) : undefined
  },
}

function taken(outcome: RestoreOutcome): Result<number, Failure> {
  return outcome.kind === 'replaced' ? ok(outcome.index) : err({ kind: 'bad-request', message: outcome.message })
}

export const abandonEndpoint: WriteEndpoint<z.infer<typeof endArgs>, null, WithProposals> = {
  method: 'Snapshot.RestoreAbandon',
  kind: 'write',
  args: endArgs,
  reply: nothingReply,
  access: manages,
  serve: (server, args, identity) => server.propose(restoreAbandon, args, identity),
}

function stepped(outcome: Result<StepOutcome, Failure>): Result<null, Failure> {
  if (!outcome.ok) return outcome
  if (outcome.value === 'done') return ok(null)
  return err({ kind: 'refused', message: outcome.value === 'gap' ? 'a piece of the snapshot is missing' : superseded })
}
