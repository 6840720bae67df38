import type { Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText } from '../../env/net.ts'
import type { FullState, Message } from '../core/messages.ts'
import { writeFullState } from '../wire/full-state.ts'
import type { Sliced } from '../wire/sliced.ts'
import { encodeStreamFrame, type StreamFrame } from '../wire/stream-frame.ts'
import type { FramedStream } from './framed-stream.ts'

/** What the member does with what others send over streams. */
export interface StreamUse {
  /** The answer to a request. */
  onRequest(from: Endpoint, state: FullState): Sliced<Result<FullState, string>>
  /** The answer to a ping that names this node; undefined if it names another one. */
  onPing(node: string, sequence: number): Uint8Array | undefined
  onMessage(from: Endpoint, message: Message): void
}

/** Answers the one frame of a stream that another member has opened, and ends the stream. */
export function* answerFrame(
  env: Env,
  use: StreamUse,
  stream: FramedStream,
  frame: Result<StreamFrame, string>,
): Sliced<void> {
  if (!frame.ok) return refuse(env, stream, frame.error)
  switch (frame.value.kind) {
    case 'full-state': {
      const answer = yield* use.onRequest(stream.remote, frame.value.state)
      if (stream.isOver) return
      stream.write(
        answer.ok ? yield* writeFullState(answer.value) : encodeStreamFrame({ kind: 'error', text: answer.error }),
      )
      break
    }
    case 'ping': {
      const { node, sequence } = frame.value
      const payload = use.onPing(node, sequence)
      if (payload !== undefined) stream.write(encodeStreamFrame({ kind: 'ack', sequence, payload }))
      break
    }
    case 'message':
      if (frame.value.message === undefined) env.metrics.count('gossip.ignored.message')
      else use.onMessage(stream.remote, frame.value.message)
      break
    case 'ack':
    case 'error':
      return refuse(env, stream, 'it does not begin with a request')
  }
  stream.end()
}

/** Sends the other side the reason, as in the field. */
function refuse(env: Env, stream: FramedStream, reason: string): void {
  env.metrics.count('gossip.dropped.stream')
  env.log.write('debug', 'memberlist', 'refusing a stream', { from: endpointText(stream.remote), reason }, 'sampled')
  stream.write(encodeStreamFrame({ kind: 'error', text: reason }))
  stream.end()
}
