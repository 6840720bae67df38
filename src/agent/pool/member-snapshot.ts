import { textOf, utf8 } from '../../base/bytes.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText } from '../../env/net.ts'
import type { Pool } from '../../gossip/pool.ts'
import { parseEndpoint } from '../../rpc/address.ts'
import { type AfterPowerCut, readWholeFile, writeWholeFile } from '../boot/whole-file.ts'
import type { AgentConfig } from '../settings/agent-config.ts'

/** Names of the two pools of an agent, in the data directory and in its log. */
export interface PoolFiles {
  readonly pool: 'LAN' | 'WAN'
  readonly snapshot: string
  readonly keyring: string
}

/** The pool of all agents of the datacenter. Names of files as in the field. */
export const lanFiles: PoolFiles = { pool: 'LAN', snapshot: 'local.snapshot', keyring: 'local.keyring' }

/** The pool of the servers of all datacenters. */
export const wanFiles: PoolFiles = { pool: 'WAN', snapshot: 'remote.snapshot', keyring: 'remote.keyring' }

const directory = 'serf'
/**
 * Changes within this time are written together; in a large pool one millisecond per member, because every write
 * rewrites the whole file.
 */
const settleMinMs = 500
/** The last line of the file of an agent that left: it does not rejoin by itself. Source: serf, snapshot. */
const leaveLine = 'leave'
const aliveLine = /^alive: (.+) (\S+)$/

export interface KnownMember {
  readonly name: string
  readonly at: Endpoint
}

/**
 * The members of the pool, stored in the data directory, so that a restarted agent finds its pool without configured
 * addresses. Lines have the field's form, `alive: name host:port`, with failed members last. The field leaves failed
 * ones out, so that an agent that was partitioned from all others when it stopped would know no member. The file is
 * always rewritten as a whole, so that its size is bounded by the pool's. A power cut leaves it as it was before the
 * last changes, or after them: the first member that answers tells again what was lost. That this agent has left is not
 * lost, as in the field.
 */
export class MemberSnapshot {
  readonly #env: Env
  readonly #path: string
  readonly #file: string
  readonly #rejoinAfterLeave: boolean
  /** Members at the last write, alive ones first, without this agent. */
  readonly known: readonly KnownMember[]
  #pool: Pool | undefined
  #watching: Closable | undefined
  #timer: Closable | undefined
  /** The write under way: one at a time. */
  #writing: Promise<void> | undefined
  #isStopped = false
  /** Whether this agent had company since its start. */
  #hasMet = false
  #leaving: Promise<void> | undefined

  private constructor(
    env: Env,
    at: { readonly path: string; readonly file: string },
    rejoinAfterLeave: boolean,
    known: readonly KnownMember[],
  ) {
    this.#env = env
    this.#path = at.path
    this.#file = at.file
    this.#rejoinAfterLeave = rejoinAfterLeave
    this.known = known
  }

  /**
   * Undefined without a data directory. A part of the file that cannot be read is ignored. `ownName` is this agent's
   * name in the pool.
   */
  static async open(
    env: Env,
    { dataDir, nodeName, pool }: Pick<AgentConfig, 'dataDir' | 'nodeName' | 'pool'>,
    { snapshot: file }: PoolFiles = lanFiles,
    ownName = nodeName,
  ): Promise<MemberSnapshot | undefined> {
    if (dataDir === undefined) return undefined
    const path = `${dataDir}/${directory}`
    const found = await readWholeFile(env.disk, `${path}/${file}`)
    if (!found.ok && found.error.kind !== 'not-found') {
      env.log.write('warn', 'serf', 'cannot read the members that were in the pool', {
        path,
        reason: found.error.message,
      })
    }
    const text = found.ok ? textOf(found.value) : ''
    const known = membersOf(text, pool.rejoinAfterLeave).filter(({ name }) => name !== ownName)
    return new MemberSnapshot(env, { path, file }, pool.rejoinAfterLeave, known)
  }

  /** Records the living members from now on, whenever they change. */
  follow(pool: Pool): void {
    this.#pool = pool
    this.#watching = pool.onChange(() => this.#later())
  }

  /** Notes that this agent has left: once, also where it was told to leave by a signal and over HTTP. */
  left(): Promise<void> {
    this.#leaving ??= this.#leave()
    return this.#leaving
  }

  async #leave(): Promise<void> {
    this.stop()
    await this.settled()
    if (!this.#rejoinAfterLeave) await this.#write(`${leaveLine}\n`, 'new')
  }

  /** Settles when the write under way is done. */
  async settled(): Promise<void> {
    await this.#writing
  }

  stop(): void {
    this.#isStopped = true
    this.#watching?.close()
    this.#timer?.close()
  }

  #later(): void {
    if (this.#timer !== undefined || this.#isStopped) return
    const members = this.#pool?.stats().members ?? 0
    this.#timer = this.#env.timers.after(Math.max(settleMinMs, members), () => {
      this.#timer = undefined
      if (this.#writing !== undefined) return this.#later()
      const lines = this.#lines()
      this.#hasMet ||= lines !== ''
      // Alone since its start, as in a partition, it may find the former members at its next start; its own new tags are
      // a change of the pool, too.
      if (!this.#hasMet && this.known.length > 0) return
      this.#writing = this.#write(lines, 'old or new')
      this.#env.detach(this.#writing)
    })
  }

  /** A name with a line feed, as only a hostile member has one, would be read as lines of its own. */
  #lines(): string {
    const self = this.#pool?.self().name
    const others = (this.#pool?.members() ?? []).filter(({ name }) => name !== self && !name.includes('\n'))
    const living = others.filter(({ status }) => status === 'alive')
    const failed = others.filter(({ status }) => status === 'failed')
    return [...living, ...failed].map(({ name, endpoint }) => `alive: ${name} ${endpointText(endpoint)}\n`).join('')
  }

  async #write(text: string, leaves: AfterPowerCut): Promise<void> {
    const { disk } = this.#env
    const made = await disk.makeDirectory(this.#path)
    const written = made.ok ? await writeWholeFile(disk, this.#path, this.#file, utf8(text), leaves) : made
    this.#writing = undefined
    if (written.ok) return
    const fields = { path: this.#path, reason: written.error.message }
    this.#env.log.write('warn', 'serf', 'cannot store the members of the pool', fields)
  }
}

/**
 * The members of the file: none for an agent that left, unless it is configured to rejoin. Malformed lines are
 * skipped.
 */
export function membersOf(text: string, rejoinAfterLeave: boolean): readonly KnownMember[] {
  const members = new Map<string, KnownMember>()
  for (const line of text.split('\n')) {
    if (line === leaveLine && !rejoinAfterLeave) members.clear()
    const [, name, address] = aliveLine.exec(line) ?? []
    const at = address === undefined ? undefined : parseEndpoint(address)
    if (name !== undefined && at !== undefined) members.set(name, { name, at })
  }
  return [...members.values()]
}
