import { InvariantViolation } from '../../base/invariant.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { RaftLimits, RaftTiming } from '../core/options.ts'
import type { ServerId } from '../core/types.ts'
import type { LogListener } from '../log/durable-log.ts'
import type { OldLogs } from '../log/old-format.ts'
import { missingFiles, type RaftOpenFailure } from '../log/open-failure.ts'
import type { SegmentedLogOptions } from '../log/segmented-log.ts'
import { KeptPeers } from '../opening/outage.ts'
import { openStorage } from '../opening/storage.ts'
import type { Raft, RaftObserver, RaftTransport, StateMachine } from '../raft.ts'
import { RaftServer } from './raft-server.ts'

export interface RaftOptions {
  /** This server's Raft server ID, as its protocol defines it. */
  readonly id: ServerId
  /** Its Raft protocol, which decides the form of `peers.json`. */
  readonly protocol?: number
  /** As in releases before 0.7: `peers.json` is a list of addresses, always kept, and not for recovery. */
  readonly peersAreKept?: boolean
  /** What to do about a log of releases before 0.5.1: refused if absent, as since 0.6. */
  readonly oldLogs?: OldLogs
  /** Continue with a damaged log, without the lost part, if no other server votes (accepted-loss.ts). */
  readonly acceptLostLog?: boolean
  /** Undefined: everything is kept in memory. */
  readonly dataDir: string | undefined
  readonly timing: Omit<RaftTiming, 'clockRateBound'> & Partial<Pick<RaftTiming, 'clockRateBound'>>
  readonly limits?: Partial<RaftLimits>
  /** An empty state machine, into which the newest snapshot is restored. */
  readonly stateMachine: StateMachine
  readonly transport: RaftTransport
  readonly observer?: RaftObserver
  readonly snapshotThreshold?: number
  readonly snapshotIntervalMs?: number
  readonly trailingLogs?: number
  readonly logBytesMax?: number
  readonly log?: Partial<SegmentedLogOptions>
  /** Called once if this server cannot continue (a broken invariant, a failed disk). It has already stopped. */
  readonly onFatal: (failure: Error) => void
}

export const defaultLimits: RaftLimits = {
  appendEntriesMax: 64,
  appendBytesMax: 256 << 10,
  appendsInFlightMax: 64,
  appendBytesInFlightMax: 8 << 20,
  uncommittedEntriesMax: 8192,
  snapshotChunkBytes: 256 << 10,
  pendingReadsMax: 8192,
  persistsMax: 1024,
  heldMessagesMax: 4096,
}

/** Maximum difference of two clocks' rates, as a fraction; far more than that of crystals. */
const defaultClockRateBound = 0.05

/**
 * Opens this server's files and starts its part in Raft. Everything that may be wrong with its files is found before
 * any of them is changed.
 */
export async function openRaft(env: Env, options: RaftOptions): Promise<Result<Raft, RaftOpenFailure>> {
  const { id, dataDir, stateMachine, transport, observer, onFatal, log } = options
  const late = new LateListener()
  const storage = await openStorage(env, {
    id,
    protocol: options.protocol ?? 3,
    peersAreKept: options.peersAreKept === true,
    oldLogs: options.oldLogs ?? 'refused',
    acceptLostLog: options.acceptLostLog === true,
    dataDir,
    stateMachine,
    listener: late,
    ...(log === undefined ? {} : { log }),
  })
  if (!storage.ok) return storage
  try {
    const server = new RaftServer(env, {
      id,
      timing: { clockRateBound: defaultClockRateBound, ...options.timing },
      limits: { ...defaultLimits, ...options.limits },
      storage: storage.value,
      stateMachine,
      transport,
      observer,
      keptPeers:
        options.peersAreKept === true && dataDir !== undefined ? new KeptPeers(env, `${dataDir}/raft`) : undefined,
      policy: {
        snapshotThreshold: options.snapshotThreshold ?? 16_384,
        snapshotIntervalMs: options.snapshotIntervalMs ?? 30_000,
        trailingLogs: options.trailingLogs ?? 10_240,
        logBytesMax: options.logBytesMax ?? 64 << 20,
      },
      onFatal,
    })
    server.start()
    late.serves(server)
    return ok(server)
  } catch (cause) {
    if (!(cause instanceof InvariantViolation)) throw cause
    await storage.value.log.close()
    return err(missingFiles(dataDir ?? 'raft', `the files do not form a valid server state: ${cause.message}`))
  }
}

/**
 * The log is opened before its server exists. What it reports until then, while other files are still written, is
 * reported to the server when that has started: a log that failed takes no change, and says so only once.
 */
class LateListener implements LogListener {
  #server: RaftServer | undefined
  #failure: DiskFailure | Error | undefined
  #full: DiskFailure | undefined
  #notRemoved: DiskFailure | undefined

  serves(server: RaftServer): void {
    this.#server = server
    if (this.#notRemoved !== undefined) server.notRemoved(this.#notRemoved)
    if (this.#full !== undefined) server.full(this.#full)
    if (this.#failure !== undefined) server.failed(this.#failure)
  }

  batchDurable(): void {
    this.#server?.batchDurable()
  }

  full(failure: DiskFailure): void {
    this.#full = failure
    this.#server?.full(failure)
  }

  room(): void {
    this.#full = undefined
    this.#server?.room()
  }

  delayed(failure: DiskFailure): void {
    this.#server?.delayed(failure)
  }

  notRemoved(failure: DiskFailure): void {
    this.#notRemoved = failure
    this.#server?.notRemoved(failure)
  }

  failed(failure: DiskFailure | Error): void {
    this.#failure = failure
    this.#server?.failed(failure)
  }
}
