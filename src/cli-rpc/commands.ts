import { z } from 'zod'
import { textOf } from '../base/bytes.ts'
import { unpack } from '../base/msgpack.ts'
import { ipBytes } from '../dns-wire/ip-address.ts'
import { memberJson } from '../features/agent/model.ts'
import type { WithJoining, WithLife, WithPools, WithSelf } from '../features/contract/route-context.ts'
import type { Member } from '../gossip/pool.ts'
import { failureText } from '../model/failure.ts'
import { isAddressText } from '../rpc/address.ts'

/** The result of a command. An empty error means success; without a body only a header is sent back. */
export interface Reply {
  readonly error: string
  readonly body?: unknown
}

/** What these commands use of the context that routes have, too. */
export type CommandContext = WithPools & WithSelf & WithJoining & WithLife

type Work = (context: CommandContext) => Promise<Reply>

export interface Command {
  readonly hasBody: boolean
  /** Parses the body into the work to do; undefined if the bytes are not such a body. */
  read(bytes: Uint8Array): Work | undefined
}

const done: Reply = { error: '' }
/** A client sends text as a string or as bytes; the programs of that time differ in this. */
const text = z.union([z.string(), z.instanceof(Uint8Array).transform((bytes) => textOf(bytes))])
/** Limits the number of addresses, because joining through each one takes a connection. */
const addressesMax = 64

export const handshakeBody = z.object({ Version: z.int() })
const nodeBody = z.object({ Node: text })
const joinBody = z.object({ Existing: z.array(text).max(addressesMax).nullable(), WAN: z.boolean().default(false) })

/**
 * Requests that scripts of that time send to an agent. Every client that reaches the port may send them, because this
 * protocol never had a token.
 */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['members-lan', bare(async ({ lan }) => membersOf(lan.members()))],
  ['members-wan', bare(async ({ wan }) => membersOf(wan?.members() ?? []))],
  ['stats', bare(async (context) => ({ error: '', body: context.self().stats }))],
  ['join', withBody(joinBody, join)],
  ['force-leave', withBody(nodeBody, async (context, body) => forceLeave(context, body))],
  ['leave', bare(async (context) => replyOf(await context.leave()))],
  ['reload', bare(async (context) => replyOf(await context.reload()))],
])

/** A command whose header is followed by nothing. */
function bare(run: Work): Command {
  return { hasBody: false, read: () => run }
}

function withBody<Body extends object>(
  schema: z.ZodType<Body>,
  run: (context: CommandContext, body: Body) => Promise<Reply>,
): Command {
  const read = (bytes: Uint8Array): Work | undefined => {
    const body = readBody(schema, bytes)
    return body === undefined ? undefined : (context) => run(context, body)
  }
  return { hasBody: true, read }
}

/** Undefined: the bytes are not a valid body. */
export function readBody<Body extends object>(schema: z.ZodType<Body>, bytes: Uint8Array): Body | undefined {
  const value = unpack(bytes)
  return value.ok ? schema.safeParse(value.value).data : undefined
}

function replyOf(result: Awaited<ReturnType<WithLife['leave']>>): Reply {
  return result.ok ? done : { error: failureText(result.error) }
}

async function join(context: WithJoining, { Existing, WAN }: z.output<typeof joinBody>): Promise<Reply> {
  const addresses = Existing ?? []
  const wrong = addresses.find((address) => !isAddressText(address))
  if (wrong !== undefined) return { error: `Invalid address to join ${JSON.stringify(wrong)}`, body: { Num: 0 } }
  const joined = await (WAN ? context.joinWan(addresses) : context.join(addresses))
  return joined.ok ? { error: '', body: { Num: joined.value } } : { error: joined.error, body: { Num: 0 } }
}

/** A server has another name in the pool of all datacenters. */
function forceLeave(context: WithSelf & WithPools, { Node }: z.output<typeof nodeBody>): Reply {
  context.lan.forceLeave(Node)
  for (const name of [Node, `${Node}.${context.self().datacenter}`]) context.wan?.forceLeave(name)
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
