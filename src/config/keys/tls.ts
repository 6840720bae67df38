import { keysOf } from './key.ts'
import { bool, text } from './types.ts'

/** Keys of TLS. Reference: configuration.md#tls. */

const key = keysOf('tls')

export const tlsKeys = {
  ca_file: key(text, 'PEM file of authorities whose certificates are trusted.', { reload: true }),
  ca_path: key(text, 'Directory of such files.', { reload: true }),
  cert_file: key(text, 'PEM file of this agent’s certificate, and what leads to its authority.', { reload: true }),
  enable_agent_tls_for_checks: key(bool, 'Checks over HTTP and gRPC show the agent’s certificate.', {
    default: false,
    reload: true,
  }),
  key_file: key(text, 'PEM file of its private key.', { reload: true }),
  server_name: key(text, 'Name that the certificates of servers must carry under verify_outgoing.'),
  tls_cipher_suites: key(text, 'Suites of TLS up to 1.2, separated by commas.', { default: '' }),
  tls_min_version: key(text, 'tls10, tls11 or tls12.', { default: 'tls12', since: '0.7.4' }),
  tls_prefer_server_cipher_suites: key(bool, 'The order of the agent counts, not that of its client.', {
    default: false,
  }),
  verify_incoming: key(bool, 'Both of the two below.', { default: false }),
  verify_incoming_https: key(bool, 'HTTPS clients must show a certificate of an authority in ca_file.', {
    default: false,
    since: '0.8.2',
  }),
  verify_incoming_rpc: key(
    bool,
    'Servers take other agents with TLS alone, and with a certificate of an authority in ca_file.',
    { default: false, since: '0.8.2' },
  ),
  verify_outgoing: key(bool, 'TLS is spoken to every server, whose certificate must be of an authority in ca_file.', {
    default: false,
  }),
  verify_server_hostname: key(bool, 'It must be for server.<datacenter>.<domain>. Implies verify_outgoing.', {
    default: false,
    since: '0.5.1',
  }),
}
