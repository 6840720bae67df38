import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { RaftLimits, RaftTiming } from '../../../src/raft/core/options.ts'
import type { Entry, Server, ServerId } from '../../../src/raft/core/types.ts'
import type { WorldCore } from '../../property/raft-core/world.ts'
import { ScriptServer } from './script-server.ts'
import { messageText, statusText } from './words.ts'

interface Letter {
  readonly from: ServerId
  readonly to: ServerId
  readonly message: RaftMessage
}

const electoral: ReadonlySet<RaftMessage['kind']> = new Set(['vote-request', 'vote-response'])

/** Deliveries of one command, after which servers are said not to stop talking. */
const deliveriesMax = 1000

/**
 * The servers of a script and what lies between them. Nothing happens by itself: messages lie on the wire until they
 * are delivered, a clock stands until it is moved, and disks write at once unless they are told to be slow.
 */
export class ScriptWorld {
  readonly servers = new Map<ServerId, ScriptServer>()
  readonly #core: WorldCore
  #wire: Letter[] = []
  readonly #cuts = new Set<string>()
  #lines: string[] = []
  /** Tells no message that is delivered. */
  #isQuiet = false
  #isStarted = false

  constructor(core: WorldCore) {
    this.#core = core
  }

  /** What was told since the last time. */
  takeLines(): readonly string[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }

  tell(line: string): void {
    this.#lines.push(line)
  }

  server(id: string | undefined): ScriptServer {
    const server = this.servers.get(id ?? '')
    if (server === undefined) throw new Error(`there is no server '${id}'`)
    return server
  }

  /** `cluster 3 spare 1 batch 2 lease 900 chunk 8`: servers 1 to 3 are voters, 4 is no member yet. */
  found(count: number, options: ReadonlyMap<string, number>): void {
    const timing: RaftTiming = {
      heartbeatTimeoutMs: 1000,
      electionTimeoutMs: 1000,
      leaderLeaseMs: options.get('lease') ?? 500,
      clockRateBound: 0.1,
    }
    const limits: RaftLimits = {
      appendEntriesMax: options.get('batch') ?? 8,
      appendBytesMax: 1000,
      appendsInFlightMax: 4,
      appendBytesInFlightMax: 1 << 20,
      uncommittedEntriesMax: 20,
      snapshotChunkBytes: options.get('chunk') ?? 1000,
      pendingReadsMax: 10,
      persistsMax: 1024,
      heldMessagesMax: 4096,
    }
    const setting = { core: this.#core, timing, limits }
    const ids = Array.from({ length: count + (options.get('spare') ?? 0) }, (_, i) => String(i + 1))
    const first = this.#core.bootstrapped({
      servers: ids.slice(0, count).map((id): Server => ({ id, address: `${id}:8300`, suffrage: 'voter' })),
    })
    if (!first.ok) throw new Error(first.error)
    for (const [i, id] of ids.entries()) {
      const server = new ScriptServer(
        id,
        setting,
        (line) => this.tell(this.#isDelivering ? `  ${line}` : line),
        (from, to, message) => this.#send({ from, to, message }),
      )
      if (i < count) {
        server.disk.hardState = first.value.hardState
        server.disk.entries = [...first.value.entries]
      }
      this.servers.set(id, server)
    }
  }

  /** The servers boot, the first time that anything is to happen. */
  begin(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    for (const server of this.servers.values()) server.start()
    this.#lines = []
  }

  /**
   * `log 2 1 1 2`: the terms of the entries of server 2; its first is of term 1. `term 3` behind: the term it knows.
   */
  past(id: string, words: readonly string[]): void {
    if (this.#isStarted) throw new Error('logs are given before anything happens')
    const { disk } = this.server(id)
    const at = words.indexOf('term')
    const terms = words.slice(0, at === -1 ? words.length : at).map(Number)
    const first = disk.entries[0]
    if (first === undefined || terms[0] !== 1) throw new Error('the first entry is of term 1')
    const payload = (i: number) => new TextEncoder().encode(`${'abcdefghijklmnop'[i]}${terms[i]}`)
    const rest = terms.slice(1).map(
      (term, i): Entry => ({
        index: logIndexOf(i + 2),
        term: termOf(term),
        kind: 'command',
        payload: payload(i + 1),
      }),
    )
    disk.entries = [first, ...rest]
    disk.hardState = { term: termOf(at === -1 ? (terms.at(-1) ?? 1) : Number(words[at + 1])), votedFor: undefined }
  }

  #isDelivering = false

  #send(letter: Letter): void {
    if (!this.#cuts.has(`${letter.from}->${letter.to}`)) this.#wire.push(letter)
  }

  #hand(letter: Letter): void {
    const { from, to, message } = letter
    const { raft } = this.server(to)
    if (!this.#isQuiet)
      this.tell(`${from}->${to} ${messageText(message)}${raft === undefined ? ' (nobody there)' : ''}`)
    this.#isDelivering = !this.#isQuiet
    this.server(to).step({ kind: 'message-received', from, message })
    this.#isDelivering = false
  }

  #take(letter: Letter): Letter {
    this.#wire = this.#wire.filter((other) => other !== letter)
    return letter
  }

  /** The messages meant by `1->2`, `1->2 first`, `1->2 last`, or all. */
  #meant([link, which]: readonly string[]): readonly Letter[] {
    const on = this.#wire.filter(({ from, to }) => link === undefined || link === 'all' || link === `${from}->${to}`)
    if (on.length === 0) throw new Error('there is no such message on the wire')
    if (which === 'first') return on.slice(0, 1)
    if (which === 'last') return on.slice(-1)
    if (which !== undefined) throw new Error(`'${which}': first or last`)
    return on
  }

  deliver(words: readonly string[]): void {
    if (words.length === 0) return this.deliverAll()
    for (const letter of this.#meant(words)) this.#hand(this.#take(letter))
  }

  /** What lies on the wire, and what follows from it, until nothing is left. */
  deliverAll(): void {
    for (let i = 0; this.#wire.length > 0; i++) {
      if (i >= deliveriesMax) throw new Error('the servers do not stop talking')
      this.#hand(this.#take(this.#wire[0] as Letter))
    }
  }

  /** As `deliver`, reporting only what follows from it. */
  settle(): void {
    this.#isQuiet = true
    this.deliverAll()
    this.#isQuiet = false
  }

  drop(words: readonly string[]): void {
    for (const letter of this.#meant(words)) {
      const { from, to, message } = this.#take(letter)
      this.tell(`lost: ${from}->${to} ${messageText(message)}`)
    }
  }

  duplicate(words: readonly string[]): void {
    for (const letter of this.#meant(words)) {
      this.#wire.push({ ...letter })
      this.tell(`twice: ${letter.from}->${letter.to} ${messageText(letter.message)}`)
    }
  }

  wire(): void {
    for (const { from, to, message } of this.#wire) this.tell(`${from}->${to} ${messageText(message)}`)
    if (this.#wire.length === 0) this.tell('nothing is on the wire')
  }

  /** `cut 1`: from all others; `cut 1->2`: one way; `cut 1-2`: both ways. What is on the wire arrives. */
  cut(what: string): void {
    const [a = '', b] = what.split(/->?/)
    this.server(a)
    for (const other of b === undefined ? this.servers.keys() : [b]) {
      this.#cuts.add(`${a}->${other}`)
      if (!what.includes('>')) this.#cuts.add(`${other}->${a}`)
    }
  }

  heal(): void {
    this.#cuts.clear()
  }

  /** Clocks go on by `ms`, and timers fire in the order in which they are due. */
  tick(ids: readonly ServerId[], ms: number): void {
    const left = new Map(ids.map((id) => [id, ms]))
    for (;;) {
      const waits = ids.map((id) => Math.max(0, this.server(id).nextTimerMs - this.server(id).clockMs))
      const shortest = Math.min(left.get(ids[0] as ServerId) ?? 0, ...waits)
      for (const id of ids) {
        this.server(id).clockMs += shortest
        left.set(id, (left.get(id) ?? 0) - shortest)
      }
      for (const id of ids) this.server(id).fireDue()
      if ((left.get(ids[0] as ServerId) ?? 0) <= 0) return
    }
  }

  /**
   * Lets every voter's election timeout pass and the server be a candidate, up to three times (the first may only teach
   * it the present term), and delivers the messages of the election. Returns the leader, or what became of the server.
   */
  win(id: string): void {
    this.#isQuiet = true
    for (let round = 0; round < 3 && this.server(id).raft?.role.kind !== 'leader'; round++) {
      for (const server of this.servers.values()) server.jump(2000)
      this.server(id).timeOut()
      for (;;) {
        const letter = this.#wire.find(({ message }) => electoral.has(message.kind))
        if (letter === undefined) break
        this.#hand(this.#take(letter))
      }
    }
    this.#isQuiet = false
    const told = this.#lines
    this.#lines = told.filter((line) => line.includes(' leads ') || line.includes(' STOPS'))
    if (this.#lines.length === 0) this.status([id])
  }

  /** As `win`, and what the new leader then says is delivered, too. */
  elect(id: string): void {
    this.win(id)
    const told = [...this.#lines]
    this.settle()
    this.#lines = [...told, ...this.#lines.slice(told.length).filter((line) => line.includes(' STOPS'))]
  }

  status(ids: readonly string[]): void {
    for (const id of ids.length === 0 ? this.servers.keys() : ids) {
      const { raft } = this.server(id)
      this.tell(raft === undefined ? `${id} down` : `${id} ${statusText(raft)}`)
    }
  }
}
