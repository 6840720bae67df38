import { z } from 'zod'
import { compareText } from '../base/bytes.ts'

/** Servers that one server may know of. More than any sane cluster has; the bound keeps strangers from filling memory. */
const knownServersMax = 256

/** What a server says of itself when it introduces itself to another, and learns in return. */
export const serverRecordSchema = z.object({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(256),
  /** Where its RPC listener is reached. */
  address: z.string().min(1).max(320),
  datacenter: z.string().min(1).max(128),
  raftProtocol: z.number().int(),
  /** How many servers it waits for before it forms a cluster; 0: it joins one. */
  expect: z.number().int(),
  /** It holds Raft state: the cluster it belongs to exists. */
  bootstrapped: z.boolean(),
  /** IDs of the servers of its datacenter that it knows, itself included, sorted. */
  known: z.array(z.string().max(64)).max(knownServersMax),
  lastIndex: z.number().int(),
  lastTerm: z.number().int(),
  /** Since it heard from the leader; -1: never. */
  lastContactMs: z.number(),
})

export type ServerRecord = z.infer<typeof serverRecordSchema>

export interface HeardRecord {
  readonly record: ServerRecord
  /** Monotonic time of this server when it was heard. */
  readonly heardMs: number
}

/** The servers of the own datacenter that have introduced themselves. In order of ID. */
export class ServerDirectory {
  readonly #self: string
  readonly #datacenter: string
  readonly #records = new Map<string, HeardRecord>()

  constructor(self: string, datacenter: string) {
    this.#self = self
    this.#datacenter = datacenter
  }

  /** False when the record is of another datacenter, of this server itself, or beyond the bound. */
  learn(record: ServerRecord, nowMs: number): boolean {
    if (record.datacenter !== this.#datacenter || record.id === this.#self) return false
    if (!this.#records.has(record.id) && this.#records.size >= knownServersMax - 1) return false
    this.#records.set(record.id, { record, heardMs: nowMs })
    return true
  }

  get(id: string): HeardRecord | undefined {
    return this.#records.get(id)
  }

  all(): readonly HeardRecord[] {
    return [...this.#records.values()].sort((a, b) => compareText(a.record.id, b.record.id))
  }

  /** IDs of all servers known, the own one included, sorted. */
  ids(): readonly string[] {
    return [this.#self, ...this.#records.keys()].sort(compareText)
  }
}
