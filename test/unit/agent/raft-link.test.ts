import { describe, expect, it } from 'vitest'
import { RaftLink } from '../../../src/agent/replication/raft-link.ts'
import type { Env } from '../../../src/env/env.ts'
import { termOf } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Raft } from '../../../src/raft/raft.ts'
import type { Hello } from '../../../src/rpc/frame.ts'
import type { Rpc } from '../../../src/rpc/rpc.ts'

const request: RaftMessage = { kind: 'timeout-now', term: termOf(1) }
const answer: RaftMessage = { kind: 'vote-response', pre: false, term: termOf(1), granted: true }

/** One server's end of the link, with what it sends and what reaches its consensus. */
class End {
  readonly sent: { readonly to: string | undefined; readonly address: string; topic: string; bytes: Uint8Array }[] = []
  readonly received: { readonly from: string; readonly message: RaftMessage }[] = []
  readonly lines: string[] = []
  readonly counted: string[] = []
  /** What the configuration here calls its members. */
  members: readonly string[] = []
  readonly link: RaftLink
  readonly hello: Hello

  constructor(number: number, protocol: number) {
    const env = {
      log: {
        write: (level: string, _: string, text: string, fields: { why?: string }) =>
          this.lines.push(`${level} ${text}: ${fields.why}`),
      },
      metrics: { count: (name: string) => this.counted.push(name) },
    } as unknown as Env
    const rpc = {
      notify: (to: string | undefined, address: string, topic: string, bytes: Uint8Array) =>
        this.sent.push({ to, address, topic, bytes }),
    } as unknown as Rpc
    this.link = new RaftLink(env, rpc, protocol)
    this.hello = {
      protocol: 1,
      nodeId: `id-${number}`,
      nodeName: `s${number}`,
      datacenter: 'dc1',
      address: `10.0.0.${number}:8300`,
    }
  }

  take(from: End, message: RaftMessage): void {
    from.link.send(this.hello.nodeId, this.hello.address, message)
    const { topic, bytes } = from.sent.at(-1) ?? { topic: '', bytes: new Uint8Array() }
    const raft = {
      receive: (name: string, received: RaftMessage) => this.received.push({ from: name, message: received }),
      memberName: (id: string, address: string) => this.members.find((name) => name === id || name === address),
    } as unknown as Raft
    this.link.receive(raft, from.hello, topic, bytes)
  }
}

describe('the link between servers', () => {
  const versions = [0, 1, 2, 3]
  const pairs = versions.flatMap((one) => versions.map((other) => [one, other] as const))

  it.each(pairs)(
    '[RFT-007] of Raft protocols %i and %i carries messages if they are neighbours, and says so if not',
    (one, other) => {
      const [a, b] = [new End(1, one), new End(2, other)]
      for (const message of [request, answer, request]) {
        a.take(b, message)
        b.take(a, message)
      }
      const talk = Math.abs(one - other) <= 1
      expect([a.received.length, b.received.length]).toEqual(talk ? [3, 3] : [0, 0])
      const why = (own: number, its: number): string =>
        `error messages of a server are ignored: its Raft protocol does not fit: it speaks Raft protocol ${its}, this server ${own}, and only neighbouring versions interoperate`
      expect([a.lines, b.lines]).toEqual(talk ? [[], []] : [[why(one, other)], [why(other, one)]])
    },
  )

  it('gives a request the name that its sender has for itself', () => {
    const end = new End(1, 2)
    end.members = ['id-3', '10.0.0.2:8300']
    end.take(new End(2, 2), request)
    end.take(new End(2, 3), request)
    end.take(new End(3, 3), request)
    expect(end.received.map(({ from }) => from)).toEqual(['10.0.0.2:8300', 'id-2', 'id-3'])
  })

  it('counts an answer for the member that the configuration has, whatever its protocol', () => {
    const end = new End(1, 2)
    end.members = ['id-3', '10.0.0.2:8300']
    end.take(new End(2, 3), answer)
    end.take(new End(3, 2), answer)
    end.take(new End(4, 3), answer)
    expect(end.received.map(({ from }) => from)).toEqual(['10.0.0.2:8300', 'id-3', 'id-4'])
  })

  it('sends to a node ID, or to any agent that listens at an address', () => {
    const end = new End(1, 2)
    end.link.send('id-2', '10.0.0.2:8300', request)
    end.link.send('10.0.0.3:8300', '', request)
    expect(end.sent.map(({ to, address, topic }) => [to, address, topic])).toEqual([
      ['id-2', '10.0.0.2:8300', 'raft/2'],
      [undefined, '10.0.0.3:8300', 'raft/2'],
    ])
  })

  it('drops and counts what is no message of ours', () => {
    const end = new End(1, 3)
    for (const topic of ['other', 'raft/3', 'raft/x']) {
      end.link.receive({} as Raft, new End(2, 3).hello, topic, new Uint8Array([1, 2, 3]))
    }
    expect(end.counted).toEqual(['rpc.notice.malformed', 'rpc.notice.malformed', 'rpc.notice.malformed'])
  })
})
