import type { Env } from '../../../env/env.ts'
import type { TcpStream } from '../../../env/net.ts'
import type { CheckProbe } from '../../../model/catalog.ts'
import { critical, failureText, type Outcome } from './outcome.ts'
import { firstReached, placesAt } from './place.ts'

export type TcpProbe = Extract<CheckProbe, { kind: 'tcp' }>

/** Time and bytes that a target may take to end its side of the connection; then the connection is broken. */
const partingMs = 1_000
const partingBytesMax = 64 << 10

/** One run of a TCP check: a target that accepts a connection passes. */
export async function probeTcp(env: Env, probe: TcpProbe): Promise<Outcome> {
  const endMs = env.clock.monoMs() + probe.timeoutMs
  const places = await placesAt(env, probe.address, probe.timeoutMs)
  if (!places.ok) return critical(`dial tcp: ${places.error}`)
  const stream = await firstReached(places.value, (to) =>
    env.tcp.dial(to, { timeoutMs: Math.max(1, endMs - env.clock.monoMs()) }),
  )
  if (!stream.ok) return critical(failureText(stream.error))
  part(env, stream.value)
  return { status: 'passing', output: `TCP connect ${probe.address}: Success` }
}

/** Ends the connection in order: many servers log a reset as an error, and this would be one at each run. */
function part(env: Env, stream: TcpStream): void {
  const timer = env.timers.after(partingMs, () => stream.close())
  stream.onClose(() => timer.close())
  // The end of the target comes behind what it sends first, such as a greeting.
  let bytes = 0
  stream.onData(({ length }) => {
    bytes += length
    if (bytes > partingBytesMax) stream.close()
  })
  stream.end()
}
