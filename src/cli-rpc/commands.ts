import { z } from 'zod'
import { textOf } from '../base/bytes.ts'
import { unpack } from '../base/msgpack.ts'
import { ipBytes } from '../dns-wire/ip-address.ts'
import { memberJson } from '../features/agent/model.ts'
import type { AgentContext } from '../features/contract/agent-context.ts'
import type { Member } from '../gossip/pool.ts'
import { failureText } from '../model/failure.ts'
import { isAddressText } from '../rpc/address.ts'

/** What a command gave. An empty error says that it went well; without a body a header is all that goes back. */
export interface Reply {
  readonly error: string
  readonly body?: unknown
}

interface Command {
  /** Undefined: nothing follows its header. */
  readonly body: z.ZodType | undefined
  run(agent: AgentContext, body: unknown): Promise<Reply>
}

const done: Reply = { error: '' }
/** Text is sent as text or as bytes, as the writer of the program liked it. */
const text = z.union([z.string(), z.instanceof(Uint8Array).transform((bytes) => textOf(bytes))])
/** Joining through each of them takes a connection. */
const addressesMax = 64

export const handshakeBody = z.object({ Version: z.int() })
const nodeBody = z.object({ Node: text })
const joinBody = z.object({ Existing: z.array(text).max(addressesMax).nullable(), WAN: z.boolean().default(false) })

/** Requests that scripts of that time send to an agent. Every client that reaches the port may: this protocol never had a token. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['members-lan', { body: undefined, run: async ({ lan }) => membersOf(lan.members()) }],
  ['members-wan', { body: undefined, run: async ({ wan }) => membersOf(wan?.members() ?? []) }],
  ['stats', { body: undefined, run: async (agent) => ({ error: '', body: agent.self().stats }) }],
  ['join', { body: joinBody, run: (agent, body) => join(agent, body as z.output<typeof joinBody>) }],
  ['force-leave', { body: nodeBody, run: async (agent, body) => forceLeave(agent, body as z.output<typeof nodeBody>) }],
  ['leave', { body: undefined, run: async (agent) => replyOf(await agent.leave()) }],
  ['reload', { body: undefined, run: async (agent) => replyOf(await agent.reload()) }],
])

/** The body of a command, or why it is none. */
export function readBody(schema: z.ZodType, bytes: Uint8Array): { readonly ok: boolean; readonly value: unknown } {
  const value = unpack(bytes)
  const read = value.ok ? schema.safeParse(value.value) : undefined
  return read?.success === true ? { ok: true, value: read.data } : { ok: false, value: undefined }
}

function replyOf(result: Awaited<ReturnType<AgentContext['leave']>>): Reply {
  return result.ok ? done : { error: failureText(result.error) }
}

async function join(agent: AgentContext, { Existing, WAN }: z.output<typeof joinBody>): Promise<Reply> {
  const addresses = Existing ?? []
  const wrong = addresses.find((address) => !isAddressText(address))
  if (wrong !== undefined) return { error: `Invalid address to join ${JSON.stringify(wrong)}`, body: { Num: 0 } }
  const joined = await (WAN ? agent.joinWan(addresses) : agent.join(addresses))
  return joined.ok ? { error: '', body: { Num: joined.value } } : { error: joined.error, body: { Num: 0 } }
}

/** A server is known by another name among all datacenters. */
function forceLeave(agent: AgentContext, { Node }: z.output<typeof nodeBody>): Reply {
  agent.lan.forceLeave(Node)
  for (const name of [Node, `${Node}.${agent.self().datacenter}`]) agent.wan?.forceLeave(name)
  return done
}

function membersOf(members: readonly Member[]): Reply {
  const shown = members.map((member) => ({
    ...memberJson(member),
    Addr: ipBytes(member.endpoint.host) ?? new Uint8Array(),
    Status: member.status,
  }))
  return { error: '', body: { Members: shown } }
}
