import { z } from 'zod'
import { emptyBytes } from '../base/bytes.ts'
import { firstValueBytes, pack, unpack } from '../base/msgpack.ts'
import { ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, highWaterBytes, type ListenFailure, type TcpStream } from '../env/net.ts'
import { type CommandContext, commands, handshakeBody, type Reply, readBody } from './commands.ts'

/** Maximum size of a header, or of a body. */
const valueBytesMax = 16 << 10
const version = 1

const headerShape = z.object({
  Command: z.string(),
  Seq: z.union([z.int().min(0), z.bigint().min(0n)]),
})

type Header = z.output<typeof headerShape>

/**
 * One connection of the command line, in the protocol of the field's agents. MessagePack values follow each other: a
 * request is a header {Command, Seq} and, with some commands, a body; an answer is {Seq, Error} and a body. One request
 * is answered before the next is read.
 */
class Conversation {
  readonly #env: Env
  readonly #context: () => CommandContext | undefined
  readonly #stream: TcpStream
  /** Bytes that are not parsed yet: at most one incomplete value, and the rest of the chunk that it came with. */
  #pending: Uint8Array = emptyBytes
  #header: Header | undefined
  #greeted = false
  #busy = false
  /** The peer sends no more requests. */
  #ended = false
  #over = false

  constructor(env: Env, context: () => CommandContext | undefined, stream: TcpStream, onOver: () => void) {
    this.#env = env
    this.#context = context
    this.#stream = stream
    stream.onData((bytes) => this.#take(bytes))
    stream.onEnd(() => {
      this.#ended = true
      this.#readOn()
    })
    stream.onDrain(() => {
      if (!this.#busy) this.#goOn()
    })
    stream.onClose(() => {
      this.#over = true
      onOver()
    })
  }

  /** Pending answers still go out: a client that told the agent to leave learns that it has. */
  close(): void {
    this.#over = true
    this.#stream.end()
  }

  #take(bytes: Uint8Array): void {
    const both = new Uint8Array(this.#pending.length + bytes.length)
    both.set(this.#pending)
    both.set(bytes, this.#pending.length)
    this.#pending = both
    this.#readOn()
  }

  #readOn(): void {
    while (!this.#busy && !this.#over) {
      // Of a client that does not read its answers, no further request is read.
      if (this.#stream.queuedBytes() > highWaterBytes) return this.#stream.pause()
      const length = firstValueBytes(this.#pending)
      if ((length ?? this.#pending.length) > valueBytesMax) return this.#refuse('a value is too long')
      if (length === undefined) break
      const value = this.#pending.subarray(0, length)
      this.#pending = this.#pending.slice(length)
      this.#read(value)
    }
    if (this.#ended && !this.#busy) this.#stream.end()
  }

  #read(value: Uint8Array): void {
    if (this.#header !== undefined) return this.#perform(this.#header, value)
    const unpacked = unpack(value)
    const header = headerShape.safeParse(unpacked.ok ? unpacked.value : undefined)
    if (!header.success) return this.#refuse('a header was expected')
    const { Command, Seq } = header.data
    if (Command !== 'handshake' && !this.#greeted) return this.#endWith(Seq, 'Handshake required')
    const command = commands.get(Command)
    if (Command !== 'handshake' && command === undefined) return this.#endWith(Seq, 'Unsupported command')
    if (Command === 'handshake' || command?.hasBody === true) this.#header = header.data
    else this.#perform(header.data, undefined)
  }

  #perform({ Command, Seq }: Header, bytes: Uint8Array | undefined): void {
    this.#header = undefined
    if (Command === 'handshake') return this.#greet(Seq, bytes ?? emptyBytes)
    const command = commands.get(Command)
    const context = this.#context()
    if (command === undefined || context === undefined) return this.#endWith(Seq, 'the agent is starting')
    const run = command.read(bytes ?? emptyBytes)
    if (run === undefined) return this.#refuse(`what follows ${Command} is not its body`)
    this.#busy = true
    this.#stream.pause()
    this.#env.detach(
      run(context).then((reply) => {
        this.#answer(Seq, reply)
        this.#busy = false
        this.#goOn()
      }),
    )
  }

  #goOn(): void {
    this.#stream.resume()
    this.#readOn()
  }

  #greet(seq: Header['Seq'], bytes: Uint8Array): void {
    const body = readBody(handshakeBody, bytes)
    if (body === undefined) return this.#refuse('what follows handshake is not its body')
    if (this.#greeted) return this.#answer(seq, { error: 'Handshake already performed' })
    if (body.Version < 1 || body.Version > version) return this.#answer(seq, { error: 'Unsupported IPC version' })
    this.#greeted = true
    this.#answer(seq, { error: '' })
  }

  #answer(seq: Header['Seq'], { error, body }: Reply): void {
    this.#stream.write(pack({ Seq: seq, Error: error }))
    if (body !== undefined) this.#stream.write(pack(body))
  }

  /** It is unknown whether a body follows this command: the following bytes can no longer be parsed. */
  #endWith(seq: Header['Seq'], error: string): void {
    this.#answer(seq, { error })
    this.#over = true
    this.#stream.end()
  }

  #refuse(reason: string): void {
    this.#env.log.write('warn', 'agent', 'a connection of the command line is closed', { reason }, 'sampled')
    this.#over = true
    this.#stream.close()
  }
}

/** Maximum number of connections at a time; a further one is closed at once. */
const conversationsMax = 64

/**
 * Opens the port of the command line, as agents before 0.8.0 have it. `context` is undefined while the agent starts.
 * Port 0 chooses a free port.
 */
export async function openCliRpc(
  env: Env,
  context: () => CommandContext | undefined,
  at: Endpoint,
): Promise<Result<Closable & { readonly local: Endpoint }, ListenFailure>> {
  const open = new Set<Conversation>()
  const listener = await env.tcp.listen(at, (stream) => {
    if (open.size >= conversationsMax) return stream.close()
    const conversation = new Conversation(env, context, stream, () => open.delete(conversation))
    open.add(conversation)
  })
  if (!listener.ok) return listener
  const { local } = listener.value
  env.log.write('info', 'agent', 'Started CLI RPC server', { address: endpointText(local) })
  const close = (): void => {
    listener.value.close()
    for (const conversation of [...open]) conversation.close()
  }
  return ok({ local, close })
}
