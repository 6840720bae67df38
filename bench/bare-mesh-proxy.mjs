/**
 * What `bench/mesh-proxy.mjs` compares with: one side of a way over mutual TLS, made of Node's own parts. Its argument is
 * `{ side, from, to, cert, key, ca }`: `upstream` takes plain connections at `from` and dials `to` by TLS, `public` the other
 * way about. No agent is asked for authorization, and only the chain of the other side's certificate is looked at.
 */
import { connect, createServer } from 'node:net'
import { createSecureContext, createServer as createTlsServer, connect as tlsConnect } from 'node:tls'

const { side, from, to, cert, key, ca } = JSON.parse(process.argv[2])
const host = '127.0.0.1'

function splice(taken, dialled) {
  for (const socket of [taken, dialled]) socket.on('error', () => [taken, dialled].map((each) => each.destroy()))
  taken.pipe(dialled)
  dialled.pipe(taken)
}

if (side === 'upstream') {
  const secureContext = createSecureContext({ cert, key, ca })
  const dial = () =>
    tlsConnect({ host, port: to, secureContext, allowHalfOpen: true, checkServerIdentity: () => undefined })
  createServer({ allowHalfOpen: true }, (taken) => splice(taken, dial())).listen(from, host)
} else {
  const asked = { cert, key, ca, requestCert: true, rejectUnauthorized: true, allowHalfOpen: true }
  createTlsServer(asked, (taken) => splice(taken, connect({ host, port: to, allowHalfOpen: true }))).listen(from, host)
}
process.on('SIGINT', () => process.exit(0))
