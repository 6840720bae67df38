import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import type { DialFailure, TcpStream } from '../env/net.ts'
import { parseEndpoint } from './address.ts'
import type { DialOutcome } from './lost-peers.ts'
import { dialledProblem, diallerTls, type RpcTls, type ServerFacts } from './tls.ts'
import type { TlsReports } from './tls-reports.ts'

const dialTimeoutMs = 3_000

interface Dialling {
  readonly env: Pick<Env, 'tcp'>
  readonly tls: RpcTls
  readonly reports: TlsReports
}

/** Dials a server and verifies that it is the expected one. The error says as text why there is no stream. */
export async function dialServer(
  { env, tls, reports }: Dialling,
  address: string,
  server: ServerFacts,
): Promise<Result<TcpStream, { readonly outcome: DialOutcome; readonly why: string }>> {
  const to = parseEndpoint(address)
  if (to === undefined) return err({ outcome: 'failed', why: 'it is not an address' })
  const secured = diallerTls(tls, server)
  const options = { timeoutMs: dialTimeoutMs, ...(secured === undefined ? {} : { tls: secured }) }
  const stream = await env.tcp.dial(to, options)
  if (!stream.ok) {
    if (stream.error.kind === 'tls') reports.notDialled(address, server, stream.error)
    return err({ outcome: outcomeOf(stream.error), why: whyOf(stream.error) })
  }
  const problem = dialledProblem(tls, server, stream.value.peer)
  if (problem === undefined) return ok(stream.value)
  stream.value.close()
  reports.notDialled(address, server, { fault: 'not-a-server', message: problem })
  return err({ outcome: 'failed', why: problem })
}

/** A connection that is reset while it is being made is reported like any other failure of the operating system. */
function outcomeOf({ kind }: DialFailure): DialOutcome {
  if (kind === 'refused') return 'refused'
  return kind === 'io' ? 'cut-short' : 'failed'
}

function whyOf(failure: DialFailure): string {
  switch (failure.kind) {
    case 'tls':
      return `no TLS connection: ${failure.message}`
    case 'io':
      return failure.message
    case 'refused':
      return 'it refuses connections'
    case 'timeout':
      return 'it does not answer'
    case 'unreachable':
      return 'there is no route to it'
  }
}
