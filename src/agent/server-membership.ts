import type { Closable } from '../env/async.ts'
import type { LeaderDuty, ServerContext } from '../features/manifest.ts'
import type { ConfigurationChange, Server } from '../raft/core/types.ts'
import type { AutopilotConfig } from './agent-config.ts'
import type { Introductions } from './introductions.ts'
import type { ServerDirectory, ServerRecord } from './server-directory.ts'

/** How often the leader looks after its servers. Reference: configuration 2, server health poll. */
const pollMs = 2_000

/**
 * The leader's care for the members of the consensus group: a server that has introduced itself is added without a vote,
 * and given one when it has been healthy for the stabilization time; a server that came back under another address is
 * entered with it. Nobody is removed here.
 */
export function serverMembership(
  directory: ServerDirectory,
  introductions: Introductions,
  autopilot: AutopilotConfig,
): LeaderDuty {
  return {
    name: 'server-membership',
    start(server) {
      const duty = new ServerMembership(server, directory, introductions, autopilot)
      duty.poll()
      return duty
    },
  }
}

class ServerMembership implements Closable {
  readonly #server: ServerContext
  readonly #directory: ServerDirectory
  readonly #introductions: Introductions
  readonly #autopilot: AutopilotConfig
  readonly #healthySinceMs = new Map<string, number>()
  /** Changes that can never be made as they are, by server: told once. At most one for each known server. */
  readonly #impossible = new Map<string, string>()
  #timer: Closable | undefined
  #closed = false

  constructor(
    server: ServerContext,
    directory: ServerDirectory,
    introductions: Introductions,
    autopilot: AutopilotConfig,
  ) {
    this.#server = server
    this.#directory = directory
    this.#introductions = introductions
    this.#autopilot = autopilot
  }

  poll(): void {
    this.#server.env.detach(this.#pollAndRest())
  }

  async #pollAndRest(): Promise<void> {
    await this.#pollOnce()
    if (!this.#closed) this.#timer = this.#server.env.timers.after(pollMs, () => this.poll())
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  async #pollOnce(): Promise<void> {
    const { servers } = this.#server.raft.status().configuration
    const members = new Map(servers.map((server) => [server.id, server]))
    for (const record of this.#directory.all()) {
      const member = members.get(record.id)
      if (member?.suffrage === 'voter' && member.address === record.address) continue
      await this.#consider(record, member)
      if (this.#closed) return
    }
  }

  /** At most one change for each server and poll: Raft takes one at a time. */
  async #consider(known: ServerRecord, member: Server | undefined): Promise<void> {
    const record = await this.#introductions.introduceTo(known.address)
    if (this.#closed || record === undefined || record.id !== known.id) return
    const { id, address } = record
    if (member === undefined) return this.#change({ kind: 'add-nonvoter', id, address })
    if (member.address !== address) {
      return this.#change({ kind: member.suffrage === 'voter' ? 'add-voter' : 'add-nonvoter', id, address })
    }
    if (this.#stable(record)) await this.#change({ kind: 'add-voter', id, address })
  }

  #stable(record: ServerRecord): boolean {
    const status = this.#server.raft.status()
    const { lastContactThresholdMs, maxTrailingLogs, serverStabilizationMs } = this.#autopilot
    const healthy =
      record.lastTerm === status.lastTerm &&
      record.lastContactMs >= 0 &&
      record.lastContactMs <= lastContactThresholdMs &&
      record.lastIndex + maxTrailingLogs >= status.lastIndex
    const now = this.#server.env.clock.monoMs()
    if (!healthy) {
      this.#healthySinceMs.delete(record.id)
      return false
    }
    const since = this.#healthySinceMs.get(record.id) ?? now
    this.#healthySinceMs.set(record.id, since)
    return now - since >= serverStabilizationMs
  }

  async #change(change: ConfigurationChange): Promise<void> {
    const result = await this.#server.raft.changeConfiguration(change)
    const fields = { change: change.kind, id: change.id }
    const { log } = this.#server.env
    if (result.ok) {
      this.#impossible.delete(change.id)
      return log.write('info', 'autopilot', 'changed the Raft configuration', fields)
    }
    if (result.error.kind !== 'invalid-change') {
      return log.write('debug', 'autopilot', 'change refused for now', { ...fields, why: result.error.kind })
    }
    const { message } = result.error
    if (this.#impossible.get(change.id) === message) return
    this.#impossible.set(change.id, message)
    log.write('warn', 'autopilot', 'a server waits, for the Raft configuration cannot be changed so', {
      ...fields,
      why: message,
    })
  }
}
