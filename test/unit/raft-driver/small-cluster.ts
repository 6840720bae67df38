import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { done, err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import { decodeMessage, encodeMessage } from '../../../src/raft/codec.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Configuration, Entry } from '../../../src/raft/core/types.ts'
import { openRaft, type RaftOptions } from '../../../src/raft/driver/open-raft.ts'
import type { RaftOpenFailure } from '../../../src/raft/log/open-failure.ts'
import type { Raft, StateMachine, StateRestore, StateSnapshot } from '../../../src/raft/raft.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'
import { type FakeEnv, FakeTime, fakeEnv } from '../raft-log/fake-env.ts'

/** Keeps every command it was given. Its snapshot is all of them, in small pieces. */
export class ListMachine implements StateMachine {
  commands: string[] = []
  lastIndex = 0
  restores = 0
  pieceBytes = 1000
  /** Throws when it meets this command. */
  poison: string | undefined

  apply(entry: Entry): unknown {
    this.lastIndex = entry.index
    if (entry.kind !== 'command') return undefined
    const text = textOf(entry.payload)
    if (text === this.poison) throw new Error(`unknown command ${text}`)
    this.commands.push(text)
    return `did ${text}`
  }

  applied(): void {}

  snapshot(): StateSnapshot {
    const bytes = utf8(JSON.stringify({ commands: this.commands, lastIndex: this.lastIndex }))
    const { pieceBytes } = this
    let at = 0
    return {
      next: () => {
        if (at >= bytes.length) return undefined
        at += pieceBytes
        return bytes.subarray(at - pieceBytes, at)
      },
    }
  }

  restore(): StateRestore {
    let text = ''
    return {
      write: (bytes) => {
        text += textOf(bytes)
        return done
      },
      finish: (): Result<undefined, string> => {
        if (text === '') return err('nothing was written')
        const { commands, lastIndex } = JSON.parse(text) as { commands: string[]; lastIndex: number }
        this.commands = commands
        this.lastIndex = lastIndex
        this.restores++
        return done
      },
    }
  }
}

export interface Running {
  readonly raft: Raft
  readonly machine: ListMachine
  readonly env: FakeEnv
  readonly fatal: Error[]
}

export type Options = Partial<Omit<RaftOptions, 'id' | 'dataDir' | 'stateMachine' | 'transport' | 'onFatal'>>

const timing = { heartbeatTimeoutMs: 1000, electionTimeoutMs: 1000, leaderLeaseMs: 500 }

/** Servers in one process, on one clock; messages travel as bytes and take a millisecond. */
export class SmallCluster {
  readonly time = new FakeTime()
  readonly disks = new Map<string, CrashDisk>()
  readonly running = new Map<string, Running>()
  /** Messages for which this is true are lost. */
  lost: (from: string, to: string, message: RaftMessage) => boolean = () => false
  readonly sent: { readonly from: string; readonly to: string; readonly message: RaftMessage }[] = []
  #seed = 1
  readonly #inMemory: boolean

  constructor({ inMemory = false } = {}) {
    this.#inMemory = inMemory
  }

  diskOf(id: string): CrashDisk {
    const disk = this.disks.get(id) ?? new CrashDisk()
    this.disks.set(id, disk)
    return disk
  }

  async open(id: string, options: Options = {}): Promise<Result<Running, RaftOpenFailure>> {
    const disk = this.diskOf(id)
    await disk.makeDirectory('/data')
    const env = fakeEnv(disk, this.time, this.#seed++)
    const machine = new ListMachine()
    const fatal: Error[] = []
    const raft = await openRaft(env as unknown as Env, {
      timing,
      log: { segmentBytes: 1 << 15 },
      ...options,
      id,
      dataDir: this.#inMemory ? undefined : '/data',
      stateMachine: machine,
      transport: { send: (to, _address, message) => this.#send(id, to, message) },
      onFatal: (failure) => fatal.push(failure),
    })
    if (!raft.ok) return raft
    const running = { raft: raft.value, machine, env, fatal }
    this.running.set(id, running)
    return ok(running)
  }

  async start(id: string, options: Options = {}): Promise<Running> {
    const opened = await this.open(id, options)
    if (!opened.ok) throw new Error(opened.error.message)
    return opened.value
  }

  /** Starts and bootstraps servers of these names; returns the leader's name once there is one. */
  async form(ids: readonly string[], options: Options = {}): Promise<string> {
    for (const id of ids) await this.start(id, options)
    for (const id of ids) {
      const formed = this.of(id).raft.bootstrap(configurationOf(ids))
      await this.time.advance(0)
      if (!(await formed)) throw new Error(`${id} did not form`)
    }
    return this.leader()
  }

  of(id: string): Running {
    const running = this.running.get(id)
    if (running === undefined) throw new Error(`${id} does not run`)
    return running
  }

  /** The power of one server goes: nothing more is heard of it, and its disk is what `choices` leave. */
  crash(id: string, choices?: { below(bound: number): number }): void {
    const disk = this.diskOf(id)
    disk.haltAfter = 0
    this.disks.set(id, choices === undefined ? disk.restarted() : disk.crashed(choices))
    this.running.delete(id)
  }

  /** Waits for a leader that a majority follows. */
  async leader(): Promise<string> {
    return this.until(() => {
      for (const [id, { raft }] of this.running) {
        const { role, term } = raft.status()
        const followers = [...this.running.values()].filter((other) => other.raft.status().leader?.id === id)
        const same = followers.every((other) => other.raft.status().term === term)
        if (role === 'leader' && same && followers.length * 2 > raft.status().configuration.servers.length) return id
      }
      return undefined
    })
  }

  async until<T>(found: () => T | undefined): Promise<T> {
    for (let step = 0; step < 4000; step++) {
      const value = found()
      if (value !== undefined) return value
      await this.time.advance(10)
    }
    throw new Error('it did not come about within 40 s of the fake clock')
  }

  /** Runs time on until the promise is settled. */
  async settled<T>(promise: Promise<T>): Promise<T> {
    let outcome: { readonly value: T } | undefined
    void promise.then((value) => {
      outcome = { value }
    })
    return (await this.until(() => outcome)).value
  }

  propose(id: string, text: string): ReturnType<Raft['propose']> {
    return this.of(id).raft.propose(utf8(text))
  }

  #send(from: string, to: string, message: RaftMessage): void {
    if (this.running.get(from) === undefined && this.sent.length > 0 && this.disks.get(from)?.haltAfter === 0) return
    this.sent.push({ from, to, message })
    if (this.lost(from, to, message)) return
    const bytes = encodeMessage(message)
    this.time.after(1, () => {
      const decoded = decodeMessage(bytes)
      if (!decoded.ok) throw new Error(decoded.error)
      this.running.get(to)?.raft.receive(from, decoded.value)
    })
  }
}

export function configurationOf(ids: readonly string[]): Configuration {
  return { servers: ids.map((id) => ({ id, address: `${id}:8300`, suffrage: 'voter' as const })) }
}
