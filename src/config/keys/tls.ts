import { keysOf } from './key.ts'
import { bool, text } from './types.ts'

/** Keys of TLS. Reference: configuration.md#tls. */

const key = keysOf('tls')

export const tlsKeys = {
  ca_file: key(text, 'PEM file with the certificates of trusted authorities.', { reload: true }),
  ca_path: key(text, 'Directory of PEM files with the certificates of trusted authorities.', { reload: true }),
  cert_file: key(
    text,
    'PEM file with the certificate of this agent, followed by intermediate certificates if there are any.',
    { reload: true },
  ),
  enable_agent_tls_for_checks: key(bool, 'Checks over HTTP and gRPC present the certificate of the agent.', {
    default: false,
    reload: true,
  }),
  key_file: key(text, 'PEM file with the private key of cert_file.', { reload: true }),
  server_name: key(text, 'Name that the certificates of servers must carry if verify_outgoing is on.'),
  tls_cipher_suites: key(text, 'Cipher suites up to TLS 1.2, separated by commas.', { default: '' }),
  tls_min_version: key(text, 'The oldest version of TLS that is accepted: tls10, tls11 or tls12.', {
    default: 'tls12',
    since: '0.7.4',
  }),
  tls_prefer_server_cipher_suites: key(bool, 'The agent’s order of cipher suites counts, and not the client’s.', {
    default: false,
  }),
  verify_incoming: key(bool, 'Turns on verify_incoming_https and verify_incoming_rpc.', { default: false }),
  verify_incoming_https: key(bool, 'Clients of HTTPS must present a certificate of an authority in ca_file.', {
    default: false,
    since: '0.8.2',
  }),
  verify_incoming_rpc: key(
    bool,
    'Servers accept other agents over TLS only, and only with a certificate of an authority in ca_file.',
    { default: false, since: '0.8.2' },
  ),
  verify_outgoing: key(
    bool,
    'The agent talks to servers over TLS only; their certificates must be of an authority in ca_file.',
    {
      default: false,
    },
  ),
  verify_server_hostname: key(
    bool,
    'The certificate of a server must carry the name server.<datacenter>.<domain>. Implies verify_outgoing.',
    {
      default: false,
      since: '0.5.1',
    },
  ),
}
