import { z } from 'zod'
import { compareText } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { serverIdFor } from '../../raft/protocol.ts'

/**
 * Maximum number of servers that one server knows. More than any sane cluster has; the limit keeps strangers from
 * filling memory.
 */
const knownServersMax = 256

/** A server's description of itself, which servers exchange when they introduce themselves. */
export const serverRecordSchema = z.object({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(256),
  /** Address of its RPC listener. */
  address: z.string().min(1).max(320),
  datacenter: z.string().min(1).max(128),
  raftProtocol: z.number().int(),
  /** How many servers it waits for before it forms a cluster; 0: it joins an existing one. */
  expect: z.number().int(),
  /** Whether it holds Raft state, so that its cluster exists. */
  bootstrapped: z.boolean(),
  /**
   * Names in Raft of the servers of its datacenter that it knows to wait for a number of servers, and its own, sorted.
   * Earlier builds name servers that wait for none, too: a server that knows one then forms no cluster.
   */
  known: z.array(z.string().max(320)).max(knownServersMax),
  lastIndex: z.number().int(),
  lastTerm: z.number().int(),
  /** Time since it heard from the leader; -1: never. */
  lastContactMs: z.number(),
})

export type ServerRecord = z.infer<typeof serverRecordSchema>

/**
 * A record as it came from another server, or why it cannot be read. A server without a readable record is left out:
 * neither a first configuration nor the leader takes account of it.
 */
export function readRecord(body: unknown): Result<ServerRecord, string> {
  const read = serverRecordSchema.safeParse(body)
  if (read.success) return ok(read.data)
  const [issue] = read.error.issues
  const place = issue?.path.join('.') ?? ''
  return err(`its server record is malformed${place === '' ? '' : ` at ${place}`}: ${issue?.message ?? 'not a record'}`)
}

/** The server's name in Raft. */
export function nameOf({ raftProtocol, id, address }: ServerRecord): string {
  return serverIdFor(raftProtocol, id, address)
}

/** The servers of this datacenter that have introduced themselves and are alive in the pool, in order of ID. */
export class ServerDirectory {
  readonly #self: string
  readonly #datacenter: string
  readonly #alive: () => ReadonlySet<string>
  readonly #records = new Map<string, ServerRecord>()

  /** `alive` returns the IDs of the servers that the pool considers alive now. */
  constructor(self: string, datacenter: string, alive: () => ReadonlySet<string>) {
    this.#self = self
    this.#datacenter = datacenter
    this.#alive = alive
  }

  /** Returns false if the record is of another datacenter, of this server itself, or exceeds the limit. */
  learn(record: ServerRecord): boolean {
    if (record.datacenter !== this.#datacenter || record.id === this.#self) return false
    if (!this.#records.has(record.id) && this.#records.size >= knownServersMax - 1) this.#forgetGone()
    if (!this.#records.has(record.id) && this.#records.size >= knownServersMax - 1) return false
    this.#records.set(record.id, record)
    return true
  }

  get(id: string): ServerRecord | undefined {
    return this.#records.get(id)
  }

  all(): readonly ServerRecord[] {
    const alive = this.#alive()
    const present = [...this.#records.values()].filter(({ id }) => alive.has(id))
    return present.sort((a, b) => compareText(a.id, b.id))
  }

  /** Whether the pool considers the server alive now. */
  isAlive(id: string): boolean {
    return this.#alive().has(id)
  }

  forget(id: string): void {
    this.#records.delete(id)
  }

  /** Names in Raft of the known servers that wait for a number of them, and of this one, `own`, sorted. */
  namesOfWaiting(own: string): readonly string[] {
    const waiting = this.all().filter(({ expect }) => expect > 0)
    return [own, ...waiting.map(nameOf)].sort(compareText)
  }

  #forgetGone(): void {
    const alive = this.#alive()
    for (const id of [...this.#records.keys()]) if (!alive.has(id)) this.#records.delete(id)
  }
}
