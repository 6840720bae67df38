import { compareText } from '../../base/bytes.ts'
import { invariant } from '../../base/invariant.ts'
import { itemAt, lastOf } from '../../base/items.ts'
import { pack, unpack } from '../../base/msgpack.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { isList, isRecord } from '../../base/shape.ts'
import { indexAfter, type LogIndex, noIndex, noTerm, type Term, termAfter } from '../../model/log-position.ts'
import type { Configuration, ConfigurationChange, Recovered, RequestRefusal, Server, ServerId } from './types.ts'

/** Maximum number of servers in one configuration, including non-voters. */
const serversMax = 255

export const noServers: Configuration = { servers: [] }

/** The term of a cluster's first configuration, which no election precedes. Elections have greater terms. */
export const bootstrapTerm: Term = termAfter(noTerm)

export function serverIn(configuration: Configuration, id: ServerId): Server | undefined {
  return configuration.servers.find((server) => server.id === id)
}

export function isVoter(configuration: Configuration, id: ServerId): boolean {
  return serverIn(configuration, id)?.suffrage === 'voter'
}

/**
 * The initial state of a server of a new cluster: the first configuration as its only entry. Servers with the same
 * configuration start with the same log, so each may be started by itself, and they find one another. The caller makes
 * it durable, then calls `createRaft` with it. Not for a server that has any state. The error is one clause.
 */
export function bootstrapped(configuration: Configuration): Result<Recovered, string> {
  const checked = checkedConfiguration(configuration.servers)
  if (!checked.ok) return checked
  const payload = encodeConfiguration(checked.value)
  return ok({
    hardState: { term: bootstrapTerm, votedFor: undefined },
    snapshot: undefined,
    snapshotSizeBytes: 0,
    entries: [{ index: indexAfter(noIndex), term: bootstrapTerm, kind: 'configuration', payload }],
  })
}

/** The configuration of these servers, or why a cluster could not work with it: one clause. */
export function checkedConfiguration(servers: readonly Server[]): Result<Configuration, string> {
  const sorted = sortedById(servers)
  const fault = faultOf(sorted)
  return fault === undefined ? ok(sorted) : err(fault)
}

/** The payload of a configuration entry. Equal configurations give equal bytes. */
export function encodeConfiguration(configuration: Configuration): Uint8Array {
  const servers = configuration.servers.map(({ id, address, suffrage }) => ({ id, address, suffrage }))
  return pack({ servers })
}

/** Reads the payload of a configuration entry. The error is one clause. */
export function decodeConfiguration(payload: Uint8Array): Result<Configuration, string> {
  const value = unpack(payload)
  if (!value.ok) return value
  return isConfiguration(value.value) ? ok(value.value) : err('not a configuration of servers sorted by ID')
}

/** Whether a value from outside has the shape of a configuration, with its servers sorted by ID, each once. */
export function isConfiguration(value: unknown): value is Configuration {
  const servers = isRecord(value) ? value['servers'] : undefined
  if (!isList(servers) || servers.length > serversMax || !servers.every(isServer)) return false
  return servers.every((server, i) => i === 0 || itemAt(servers, i - 1).id < server.id)
}

function isServer(value: unknown): value is Server {
  if (!isRecord(value)) return false
  const { id, address, suffrage } = value
  if (typeof id !== 'string' || id === '' || typeof address !== 'string') return false
  return suffrage === 'voter' || suffrage === 'nonvoter'
}

/**
 * The configuration after a change of one server, or why it is impossible. Two successive configurations share a
 * quorum.
 */
export function changed(before: Configuration, change: ConfigurationChange): Result<Configuration, RequestRefusal> {
  const known = serverIn(before, change.id)
  const others = before.servers.filter((server) => server.id !== change.id)
  if (known === undefined && (change.kind === 'demote' || change.kind === 'remove')) {
    return err({ kind: 'unknown-server', id: change.id })
  }
  if (change.kind === 'add-nonvoter' && known?.suffrage === 'voter') {
    return err({ kind: 'invalid-change', message: `server ${change.id} is a voter; demote it instead` })
  }
  const after = sortedById(change.kind === 'remove' ? others : [...others, changedServer(known, change)])
  const fault = faultOf(after)
  return fault === undefined ? ok(after) : err({ kind: 'invalid-change', message: fault })
}

function changedServer(known: Server | undefined, change: Exclude<ConfigurationChange, { kind: 'remove' }>): Server {
  const { id } = change
  if (change.kind === 'demote') return { id, address: known?.address ?? '', suffrage: 'nonvoter' }
  return { id, address: change.address, suffrage: change.kind === 'add-voter' ? 'voter' : 'nonvoter' }
}

function sortedById(servers: readonly Server[]): Configuration {
  return { servers: servers.toSorted((a, b) => compareText(a.id, b.id)) }
}

/** Why a cluster could not work with this configuration. */
function faultOf({ servers }: Configuration): string | undefined {
  if (servers.length > serversMax) return `more than ${serversMax} servers`
  if (!servers.some((server) => server.suffrage === 'voter')) return 'no voter would be left'
  const addresses = new Map<string, ServerId>()
  for (const [i, server] of servers.entries()) {
    if (server.id === '' || server.address === '') return 'a server has no ID or no address'
    if (servers[i - 1]?.id === server.id) return `server ${server.id} is named twice`
    const holder = addresses.get(server.address)
    if (holder !== undefined) return `servers ${holder} and ${server.id} have the same address ${server.address}`
    addresses.set(server.address, server.id)
  }
  return undefined
}

interface Brought {
  readonly configuration: Configuration
  /** Index of its entry; 0 for the empty configuration of a server that knows none. */
  readonly index: LogIndex
}

/**
 * The configurations in the log, oldest first: those before the latest return after a truncation. There are never more
 * than entries in the log, because a snapshot removes all before its own.
 */
export class ConfigurationHistory {
  /** Never empty; indexes ascend. */
  #brought: Brought[]

  constructor(configuration: Configuration, index: LogIndex) {
    this.#brought = [{ configuration, index }]
  }

  get latest(): Brought {
    return lastOf(this.#brought)
  }

  /** The one before the latest, if it is remembered, otherwise the latest. */
  get previous(): Brought {
    return this.#brought.at(-2) ?? this.latest
  }

  /** Whether it is the only voter in every remembered configuration. */
  hasOnlyVoter(id: ServerId): boolean {
    const isAlone = ({ configuration }: Brought): boolean =>
      configuration.servers.every((server) => server.suffrage !== 'voter' || server.id === id)
    return isVoter(this.latest.configuration, id) && this.#brought.every(isAlone)
  }

  append(configuration: Configuration, index: LogIndex): void {
    invariant(index > this.latest.index, 'configurations follow each other', { index, latest: this.latest.index })
    this.#brought.push({ configuration, index })
  }

  /** The log was truncated from `index` on. True if that brought an older configuration back. */
  truncateFrom(index: LogIndex): boolean {
    const before = this.#brought.length
    while (this.#brought.length > 1 && this.latest.index >= index) this.#brought.pop()
    return this.#brought.length < before
  }

  /** The latest configuration at or before `index`; `undefined` if it is forgotten. */
  asOf(index: LogIndex): Brought | undefined {
    return this.#brought.findLast((brought) => brought.index <= index)
  }

  /** Entries up to `index` will not be truncated any more: forgets all configurations up to it but the last. */
  forgetBelow(index: LogIndex): void {
    const last = this.#brought.findLastIndex((brought) => brought.index <= index)
    if (last > 0) this.#brought = this.#brought.slice(last)
  }
}
