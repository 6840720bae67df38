import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { textOf } from '../../base/bytes.ts'
import { tooDeepAt } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { checkedConfiguration } from '../core/configuration.ts'
import type { Configuration, Server, ServerId } from '../core/types.ts'
import { type RaftOpenFailure, unusableFile } from '../log/open-failure.ts'
import { isNamedById } from '../protocol.ts'

/** Positions of the values in the text. */
interface Place {
  readonly file: string
  readonly text: string
  /** What to write instead. */
  readonly remedy: string
}

/** The server that reads the file: its Raft server ID, and the Raft protocol that determines it. */
interface Reader {
  readonly id: ServerId
  readonly protocol: number
}

/**
 * Parses the configuration that an operator wants after an outage. From Raft protocol 3 on that is
 * `[{"id","address","non_voter"}]`, the last optional; before, a list of addresses, `["10.0.0.1:8300"]`, all with a
 * vote. Strict, because a mistake here decides which servers vote: no unknown keys, no duplicates, and server `own`
 * must be named. Reference: configuration.md#peers-file.
 */
export function readPeers(file: string, bytes: Uint8Array, own: Reader): Result<Configuration, RaftOpenFailure> {
  const place = { file, text: textOf(bytes), remedy: isNamedById(own.protocol) ? remedyByIds : remedyByAddresses }
  const root = listIn(place)
  if (!root.ok) return root
  const servers: Server[] = []
  for (const node of root.value.children ?? []) {
    const server = isNamedById(own.protocol) ? serverAt(place, node) : serverByAddress(place, node, own.protocol)
    if (!server.ok) return server
    const { id, address } = server.value
    if (servers.some((other) => other.address === address)) {
      return refused(place, node, `the address "${address}" is named twice`)
    }
    if (servers.some((other) => other.id === id)) return refused(place, node, `the id "${id}" is named twice`)
    servers.push(server.value)
  }
  if (!servers.some(({ id }) => id === own.id)) {
    const what = isNamedById(own.protocol) ? 'id' : 'address'
    return refused(place, root.value, `the ${what} of this server, "${own.id}", is not in the list`)
  }
  const configuration = checkedConfiguration(servers)
  return configuration.ok ? configuration : refused(place, root.value, configuration.error)
}

function listIn(place: Place): Result<Node, RaftOpenFailure> {
  const tooDeep = tooDeepAt(place.text)
  if (tooDeep !== undefined) return refused(place, { offset: tooDeep }, 'lists are nested too deep')
  const errors: ParseError[] = []
  const root = parseTree(place.text, errors, { disallowComments: true, allowTrailingComma: false })
  if (place.text.trim() === '') return refused(place, undefined, 'the file is empty')
  if (root === undefined || errors[0] !== undefined) return refused(place, errors[0], 'not JSON')
  if (root.type !== 'array') return refused(place, root, 'not a list of servers')
  return root.children?.[0] === undefined ? refused(place, root, 'no server is named') : ok(root)
}

function serverByAddress(place: Place, node: Node, protocol: number): Result<Server, RaftOpenFailure> {
  const { value } = node
  if (node.type === 'object') {
    const what = `a list of servers with IDs is the form of Raft protocol 3, and this server speaks ${protocol}`
    return refused(place, node, what)
  }
  if (isAddress(value)) return ok({ id: value, address: value, suffrage: 'voter' })
  return refused(place, node, `${JSON.stringify(getNodeValue(node))} is not an address of the form "10.0.0.1:8300"`)
}

function serverAt(place: Place, node: Node): Result<Server, RaftOpenFailure> {
  if (node.type === 'string') {
    return refused(
      place,
      node,
      'a list of addresses is the form of Raft protocol 2 and before, and this server speaks 3',
    )
  }
  if (node.type !== 'object') return refused(place, node, 'not a server with its "id" and "address"')
  const seen = new Set<string>()
  for (const property of node.children ?? []) {
    const key = String(property.children?.[0]?.value)
    if (!keys.has(key)) return refused(place, property, `unknown key "${key}"`)
    if (seen.has(key)) return refused(place, property, `the key "${key}" occurs twice`)
    seen.add(key)
  }
  const id = findNodeAtLocation(node, ['id'])
  const address = findNodeAtLocation(node, ['address'])
  const nonVoter = findNodeAtLocation(node, ['non_voter'])
  if (typeof id?.value !== 'string' || id.value === '') return refused(place, id ?? node, 'the server has no "id"')
  if (address === undefined) return refused(place, node, 'the server has no "address"')
  if (!isAddress(address.value)) {
    const written = JSON.stringify(getNodeValue(address))
    return refused(place, address, `the address ${written} does not have the form "10.0.0.1:8300"`)
  }
  if (nonVoter !== undefined && nonVoter.type !== 'boolean') {
    return refused(place, nonVoter, '"non_voter" is neither true nor false')
  }
  const suffrage = nonVoter?.value === true ? 'nonvoter' : 'voter'
  return ok({ id: id.value.toLowerCase(), address: address.value, suffrage })
}

const keys: ReadonlySet<string> = new Set(['id', 'address', 'non_voter'])

function isAddress(value: unknown): value is string {
  const port = typeof value === 'string' ? /^(?:\[[0-9A-Fa-f:.%]+\]|[^:\s[\]]+):(\d{1,5})$/.exec(value)?.[1] : undefined
  return port !== undefined && Number(port) > 0 && Number(port) <= 65_535
}

function refused({ file, text, remedy }: Place, at: { readonly offset: number } | undefined, what: string) {
  const line = text.slice(0, at?.offset ?? 0).split('\n').length
  return err(unusableFile(`${file}:${line}`, what, remedy))
}

const remedyByIds =
  'nothing was changed: write [{"id": "<node-id>", "address": "<ip>:<port>", "non_voter": false}] with each server that ' +
  'remains, or remove the file to start without it'

const remedyByAddresses =
  'nothing was changed: write ["<ip>:<port>"] with the address of each server that remains, or remove the file to start ' +
  'without it'
