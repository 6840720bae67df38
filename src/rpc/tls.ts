import type { ListenerTls, PeerCertificate, TlsFault, TlsOptions, TlsRefusal, TlsVersion } from '../env/net.ts'

/**
 * How the connections of one agent to others are secured. The Env does the cryptography. Which peer must present a
 * certificate, and what a certificate permits, is decided here, equally in production and in the simulator. Reference:
 * configuration.md#tls.
 */
export interface RpcTls {
  /** This agent's certificate and key; without them, a listener accepts only plain connections. */
  readonly identity: { readonly certificateChainPem: string; readonly privateKeyPem: string } | undefined
  readonly trustedPems: readonly string[]
  /** Diallers must speak TLS and present a certificate of a trusted certificate authority. */
  readonly verifyIncoming: boolean
  /** TLS is spoken to every server, whose certificate must be of a trusted certificate authority. */
  readonly verifyOutgoing: boolean
  /**
   * The certificate must also be for `server.<datacenter>.<domain>`: a client's certificate does not suffice. Implies
   * `verifyOutgoing`.
   */
  readonly verifyServerHostname: boolean
  /** The name that servers' certificates must carry if `verifyServerHostname` does not determine one. */
  readonly serverName: string | undefined
  /** Without dots around it: `svc`. */
  readonly domain: string
  readonly minVersion: TlsVersion
  readonly cipherSuites: readonly string[] | undefined
  readonly preferOwnOrder: boolean
}

export const noTls: RpcTls = {
  identity: undefined,
  trustedPems: [],
  verifyIncoming: false,
  verifyOutgoing: false,
  verifyServerHostname: false,
  serverName: undefined,
  domain: '',
  minVersion: 'tls12',
  cipherSuites: undefined,
  preferOwnOrder: false,
}

/** Facts about a server before it is dialed. */
export interface ServerFacts {
  readonly name: string
  readonly datacenter: string
  /** It announces that it accepts TLS. */
  readonly offersTls: boolean
}

/** The name in the certificates of a datacenter's servers, and in no others. */
export function serverCertificateName(datacenter: string, domain: string): string {
  return `server.${datacenter}.${domain}`
}

/** Undefined: only plain connections. */
export function listenerTls(tls: RpcTls, onRefused: NonNullable<ListenerTls['onRefused']>): ListenerTls | undefined {
  if (tls.identity === undefined) return undefined
  return {
    ...shared(tls),
    requirePeerCertificate: tls.verifyIncoming,
    plainToo: !tls.verifyIncoming,
    preferOwnOrder: tls.preferOwnOrder,
    onRefused,
  }
}

/**
 * How this server is dialled; undefined: without TLS. While a cluster is being migrated to TLS, it is spoken to the
 * servers that offer it, and proves nothing yet; with `verifyOutgoing`, to all.
 */
export function diallerTls(tls: RpcTls, server: ServerFacts): TlsOptions | undefined {
  const verifies = tls.verifyOutgoing || tls.verifyServerHostname
  if (!verifies && (!server.offersTls || tls.trustedPems.length === 0)) return undefined
  const expected = expectedName(tls, server)
  return {
    ...shared(tls),
    ...(verifies ? {} : { trust: 'anyone' }),
    anyName: true,
    ...(expected === undefined ? {} : { serverName: expected }),
  }
}

function shared(tls: RpcTls): TlsOptions {
  const { identity, trustedPems, minVersion, cipherSuites } = tls
  return {
    ...(identity ?? {}),
    trustedPems,
    minVersion,
    ...(cipherSuites === undefined ? {} : { cipherSuites }),
  }
}

function expectedName(tls: RpcTls, { datacenter }: ServerFacts): string | undefined {
  if (tls.verifyServerHostname) return serverCertificateName(datacenter, tls.domain)
  return tls.verifyOutgoing ? tls.serverName : undefined
}

/** Why a dialled server must not be used, although its certificate is of a trusted certificate authority. */
export function dialledProblem(
  tls: RpcTls,
  server: ServerFacts,
  peer: PeerCertificate | undefined,
): string | undefined {
  const expected = expectedName(tls, server)
  if (expected === undefined || isFor(peer, expected)) return undefined
  const shown = peer === undefined || peer.names.length === 0 ? 'no name' : peer.names.join(', ')
  return `its certificate is for ${shown}, not for ${expected}`
}

/**
 * Whether an agent that dialled this one may act as a server of its datacenter: take part in Raft, and introduce
 * itself. If servers' names are verified, the connection must have presented such a name, as a dialled server does;
 * otherwise any holder of a client certificate could make itself a server.
 */
export function mayActAsServer(tls: RpcTls, datacenter: string, peer: PeerCertificate | undefined): boolean {
  if (!tls.verifyServerHostname || !tls.verifyIncoming) return true
  return isFor(peer, serverCertificateName(datacenter, tls.domain))
}

/** RFC 6125, section 6.4.3: a wildcard matches the whole first label. */
function isFor(peer: PeerCertificate | undefined, expected: string): boolean {
  const name = expected.toLowerCase()
  const wild = `*${name.slice(name.indexOf('.'))}`
  return peer?.names.some((each) => each === name || each === wild) ?? false
}

/** The reason that the log gives for refusing a dialler, and what to do about it. */
export function refusalText(why: TlsRefusal): { readonly why: string; readonly remedy: string } {
  switch (why.kind) {
    case 'plain':
      return {
        why: 'it does not speak TLS, and verify_incoming is set here',
        remedy: 'give it ca_file, cert_file and key_file, and set verify_outgoing there',
      }
    case 'no-certificate':
      return {
        why: 'it shows no certificate, and verify_incoming is set here',
        remedy: 'give it cert_file and key_file',
      }
    case 'untrusted':
      return {
        why: `its certificate is not signed by a certificate authority that this agent trusts: ${why.message}`,
        remedy: 'sign its certificate with an authority in ca_file, or add its authority to ca_file here',
      }
    case 'handshake':
      return {
        why: `the TLS handshake failed: ${why.message}`,
        remedy: 'read its log, and compare tls_min_version and tls_cipher_suites on both sides',
      }
  }
}

/**
 * Why there is no TLS connection with a server: `not-a-server` if there could be one, but its certificate is not a
 * server's.
 */
export interface DialledProblem {
  readonly fault: TlsFault | 'not-a-server'
  readonly message: string
}

const signIt = 'sign its certificate with an authority in ca_file here'
const renewIt = 'renew the certificate of that server, and compare the clocks'
const seeThere = 'read its log'

const dialRemedies: Readonly<Record<DialledProblem['fault'], string>> = {
  plain: 'give that server cert_file and key_file, or unset verify_outgoing',
  'not-a-server':
    'give that server a certificate of its own, made with tls cert create -server, or remove it from the pool',
  expired: renewIt,
  'alert-certificate-expired': renewIt,
  'unknown-authority': signIt,
  'wrong-name': signIt,
  certificate: signIt,
  'alert-certificate-required': signIt,
  'alert-certificate-refused': signIt,
  'alert-unknown-authority': seeThere,
  garbled: seeThere,
  'nothing-in-common': seeThere,
  other: seeThere,
}

/** What to do about a server without a TLS connection. */
export function dialRemedy(fault: DialledProblem['fault']): string {
  return dialRemedies[fault]
}

const speakTls = 'give this agent ca_file, cert_file and key_file, and set verify_outgoing'

/** Why a server may have closed a connection before its hello, which is all that a refused dialler sees. */
export function silentRefusal(tls: RpcTls, server: ServerFacts): { readonly why: string; readonly remedy: string } {
  const closed = 'it closed the connection before it said hello'
  if (diallerTls(tls, server) === undefined) {
    return {
      why: `${closed}, as servers do that accept only TLS`,
      remedy: `if verify_incoming is set there, ${speakTls}; its log says more`,
    }
  }
  return tls.identity === undefined
    ? {
        why: `${closed}, and this agent shows no certificate`,
        remedy: 'give it cert_file and key_file, signed by an authority that the servers trust; their logs say more',
      }
    : {
        why: `${closed}, as servers do that do not trust the certificate which this agent shows`,
        remedy: 'sign cert_file with an authority in the ca_file of that server, whose log says more',
      }
}
