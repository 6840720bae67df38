import type { Env } from '../../env/env.ts'
import { decodeMessage, MessageEncoder } from '../../raft/codec.ts'
import type { RaftMessage } from '../../raft/core/messages.ts'
import type { ServerId } from '../../raft/core/types.ts'
import { interoperate, serverIdFor, whyNotInteroperable } from '../../raft/protocol.ts'
import type { Raft, RaftTransport } from '../../raft/raft.ts'
import type { Hello } from '../../rpc/frame.ts'
import type { Rpc } from '../../rpc/rpc.ts'

/** Prefix of the notices that carry Raft's messages; the sender's Raft protocol follows. */
export const raftTopicPrefix = 'raft/'
/** Maximum number of peers of other protocols whose report is remembered. */
const toldMax = 256

/** Carries Raft's messages over RPC, to and from servers that speak the same Raft protocol or a neighbouring one. */
export class RaftLink implements RaftTransport {
  readonly #env: Pick<Env, 'log' | 'metrics'>
  readonly #protocol: number
  readonly #rpc: Rpc
  readonly #topic: string
  readonly #encoder = new MessageEncoder()
  /** Refused peers, by node ID and protocol. */
  readonly #told = new Set<string>()

  constructor(env: Pick<Env, 'log' | 'metrics'>, rpc: Rpc, protocol: number) {
    this.#env = env
    this.#protocol = protocol
    this.#rpc = rpc
    this.#topic = `${raftTopicPrefix}${protocol}`
  }

  /** A name with a colon is an address, and means any agent that listens there; node IDs contain no colon. */
  send(to: ServerId, address: string, message: RaftMessage): void {
    const bytes = this.#encoder.encode(message)
    const when = isNoticeOfCommit(message) ? 'soon' : 'now'
    if (to.includes(':')) this.#rpc.notify(undefined, to, this.#topic, bytes, when)
    else this.#rpc.notify(to, address, this.#topic, bytes, when)
  }

  /**
   * A notice arrived. Its sender is known by two names. A request counts for the name that the sender gives itself,
   * which is fixed while its process runs, so that a term never seems to have two leaders. A response counts for the
   * member in this server's configuration, which may still have the name from before the sender changed its protocol.
   */
  receive(raft: Raft, peer: Hello, topic: string, bytes: Uint8Array): void {
    const message = topic.startsWith(raftTopicPrefix) ? decodeMessage(bytes) : undefined
    if (message?.ok !== true) return this.#env.metrics.count('rpc.notice.malformed')
    const protocol = topic === this.#topic ? this.#protocol : Number(topic.slice(raftTopicPrefix.length))
    if (!interoperate(this.#protocol, protocol)) return this.#refuse(peer, protocol)
    const own = serverIdFor(protocol, peer.nodeId, peer.address)
    const from = isAnswer(message.value) ? (raft.memberName(peer.nodeId, peer.address) ?? own) : own
    raft.receive(from, message.value)
  }

  #refuse(peer: Hello, protocol: number): void {
    this.#env.metrics.count('raft.protocol.refused')
    const key = `${peer.nodeId} ${protocol}`
    if (this.#told.has(key)) return
    if (this.#told.size >= toldMax) this.#told.clear()
    this.#told.add(key)
    const { nodeName: server, address } = peer
    const why = whyNotInteroperable(this.#protocol, protocol)
    this.#env.log.write(
      'error',
      'raft',
      'messages of a server are ignored: its Raft protocol does not fit',
      { server, address, why },
      'sampled',
    )
  }
}

/** Nothing waits for such a notice, while a client may wait for the leader; and the next append says the same. */
function isNoticeOfCommit(message: RaftMessage): boolean {
  return message.kind === 'append-request' && message.round === 0 && message.entries.length === 0
}

function isAnswer({ kind }: RaftMessage): boolean {
  return kind === 'append-response' || kind === 'vote-response' || kind === 'snapshot-response'
}
